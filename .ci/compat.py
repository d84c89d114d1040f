"""Run the tests of other libraries with their oldest and with their newest versions.

    python .ci/compat.py [--python 3.12 ...] [--environment floors ...] [-- PYTEST OPTIONS]

Uses every Python from 3.11 on that is found on PATH or among pyenv's, each with its own
environments in `.venv-compat`. The logs of pip and pytest are beside them. Fails if a test fails,
or if an environment cannot be made on a Python that the package supports.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple
from xml.etree import ElementTree as ET

ROOT: Final = Path(__file__).resolve().parents[1]
HOME: Final = ROOT / ".venv-compat"
PROJECT: Final[dict[str, Any]] = tomllib.loads((ROOT / "pyproject.toml").read_text())
OLDEST: Final = (3, 11)
# Seconds that a command may take: pytest-xdist may wait for ever for a worker that crashed.
LONGEST: Final = 3600
NAMED: Final = [line.rpartition(" ")[2] for line in PROJECT["project"]["classifiers"]]
FLOORS: Final = ("--constraint", "constraints/floors.txt")
VALIDATORS: Final = "attrs,marshmallow,msgspec,voluptuous,opentelemetry,structlog,cli"
SDKS: Final = "anthropic,google-genai,mcp,openai,batch,serve"
CORE: Final = (
    "tests/vendors", "tests/call", "tests/schema", "tests/lowering", "tests/providers",
    "tests/hostile", "tests/cli", "tests/observers", "tests/jsonio",
)  # fmt: skip
TURNS: Final = (
    "tests/providers", "tests/servers", "tests/serve", "tests/examples", "tests/agents",
    "tests/batch", "tests/imports", "tests/toolset", "tests/cli/test_lock_and_diff.py",
)  # fmt: skip


class Environment(NamedTuple):
    """Packages to install beside ours, and the tests to run with them."""

    extras: str
    groups: Sequence[str]
    tests: Sequence[str]
    options: Sequence[str] = ()


ENVIRONMENTS: Final = {
    # The core and the validators without any SDK: providers are tested on recorded objects.
    "floors": Environment(VALIDATORS, ["test", "converters"], CORE, FLOORS),
    "sdk-floors": Environment(
        f"{VALIDATORS},{SDKS}", ["test", "converters", "examples"], TURNS, FLOORS
    ),
    # What is imported from servers, by the oldest client; serving needs a newer one.
    "mcp-floor": Environment(
        "mcp", ["test"], ["tests/imports/mcp/test_either_client.py"], ("mcp==1.30",)
    ),
    "newest": Environment("all", ["test", "converters", "examples", "sdks"], (*CORE, *TURNS[1:])),
}


class Row(NamedTuple):
    """One line of the table."""

    python: str
    environment: str
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    seconds: float = 0
    note: str = ""

    @property
    def is_bad(self) -> bool:
        is_named = self.python.rpartition(".")[0] in NAMED
        return bool(self.failed) or (is_named and not self.passed)


def interpreters() -> dict[str, Path]:
    """Find one Python of each minor version that can make environments, by its version."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    folders = [*map(Path, os.environ["PATH"].split(os.pathsep)), *pyenv.glob("versions/*/bin")]
    paths: dict[tuple[int, ...], Path] = {}
    for path in (path for folder in folders for path in folder.glob("python3.*[0-9]")):
        printed = output(path, "-c", "import ensurepip, sys, venv; print(*sys.version_info[:3])")
        version = tuple(map(int, printed.split()))
        if version >= OLDEST and not any(version[:2] == known[:2] for known in paths):
            paths[version] = path
    return {".".join(map(str, version)): paths[version] for version in sorted(paths)}


def output(*command: str | Path) -> str:
    """Return the output of a command, or nothing if it fails."""
    ran = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    return ran.stdout if ran.returncode == 0 else ""


def run(log: Path, *command: str | Path) -> int:
    """Run a command into a log; one that takes too long has failed."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    with log.open("a") as file:
        try:
            return subprocess.run(  # noqa: S603
                command, cwd=ROOT, env=clean, stdout=file, stderr=file, check=False, timeout=LONGEST
            ).returncode
        except subprocess.TimeoutExpired:
            file.write(f"\ngiven up after {LONGEST // 60} minutes\n")
            return 1


def run_tests(version: str, python: Path, name: str, options: Sequence[str]) -> Row:
    """Make an environment unless it exists, and run its tests."""
    folder, environment = HOME / f"{version}-{name}", ENVIRONMENTS[name]
    report, log = HOME / f"{folder.name}.xml", HOME / f"{folder.name}.log"
    log.unlink(missing_ok=True)
    report.unlink(missing_ok=True)
    started = time.monotonic()
    if not install(folder, environment, python, log):
        return Row(version, name, note=f"cannot be made: {last_line(log)}")
    # The anyio that old SDKs leave room for uses what pytest warns of; no test asks for its plugin.
    run(
        log, folder / "bin/python", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p",
        "no:anyio", "-n", "auto", "--maxprocesses", "2", "--dist", "loadscope",
        f"--junit-xml={report}", *environment.tests, *options,
    )  # fmt: skip
    if not report.exists():
        return Row(version, name, note=f"no report: {last_line(log)}")
    counts = read_counts(report)
    failed, skipped = counts["failures"] + counts["errors"], counts["skipped"]
    passed = counts["tests"] - failed - skipped
    return Row(version, name, passed, failed, skipped, time.monotonic() - started)


def install(folder: Path, environment: Environment, python: Path, log: Path) -> bool:
    """Install the package and the requirements of its tests; return whether that succeeded."""
    pip = (folder / "bin/python", "-m", "pip", "install", "--quiet", "--upgrade")
    groups = [word for group in environment.groups for word in ("--group", group)]
    package = ["--only-binary", ":all:", "--editable", f".[{environment.extras}]", *groups]
    return not (
        run(log, python, "-m", "venv", folder)
        or run(log, *pip, "pip")
        or run(log, *pip, "--upgrade-strategy", "eager", *environment.options, *package)
    )


def read_counts(report: Path) -> dict[str, int]:
    """Read how many tests there were, from a report that pytest has just written."""
    suite = ET.parse(report).getroot().find("testsuite")  # noqa: S314
    assert suite is not None
    return {key: int(value) for key, value in suite.items() if value.isdigit()}


def last_line(log: Path) -> str:
    """Return the last line of a log."""
    lines = log.read_text().strip().splitlines()
    return lines[-1][:120] if lines else "nothing was said"


def versions_in(row: Row) -> dict[str, str]:
    """List what is installed in an environment, of the packages that have a floor."""
    listed = output(HOME / f"{row.python}-{row.environment}/bin/python", "-m", "pip", "list",
                    "--format", "json")  # fmt: skip
    floors = (ROOT / "constraints/floors.txt").read_text()
    pinned = {normal(name) for name in re.findall(r"^([\w-]+)==", floors, re.MULTILINE)}
    installed = {normal(row["name"]): row["version"] for row in json.loads(listed or "[]")}
    return {name: installed[name] for name in sorted(pinned & installed.keys())}


def normal(name: str) -> str:
    """Spell the name of a package as the index does."""
    return re.sub(r"[-_.]+", "-", name).lower()


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print rows below their heads, each column as wide as it must be."""
    lines = [heads, *rows]
    widths = [max(len(line[at]) for line in lines) for at in range(len(heads))]
    for line in lines:
        print("  ".join(f"{cell:<{width}}" for cell, width in zip(line, widths, strict=True)))
    print()


def main() -> None:
    """Test in every requested environment, and print the results."""
    parser = argparse.ArgumentParser(description="Test with the oldest and the newest libraries.")
    parser.add_argument("--python", action="append", help="3.12, say: only this one")
    parser.add_argument("--environment", action="append", choices=ENVIRONMENTS)
    parser.add_argument("options", nargs="*", help="what pytest is told besides")
    asked = parser.parse_args()
    HOME.mkdir(exist_ok=True)
    # A shell's background job ignores it, and so would the tests that interrupt themselves.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    rows: list[Row] = []
    for version, python in interpreters().items():
        if asked.python is None or version.rpartition(".")[0] in asked.python:
            for name in asked.environment or ENVIRONMENTS:
                rows.append(run_tests(version, python, name, asked.options))
                print(f"{version} {name}: see {HOME.name}/{version}-{name}.log", flush=True)
    print()
    table(Row._fields, [[*map(str, row[:5]), f"{row.seconds:.0f}", row.note] for row in rows])
    columns = [versions_in(row) for row in rows]
    names = sorted({name for column in columns for name in column})
    table(["versions", *(f"{row.python} {row.environment}" for row in rows)],
          [[name, *(column.get(name, "") for column in columns)] for name in names])  # fmt: skip
    sys.exit(not rows or any(row.is_bad for row in rows))


if __name__ == "__main__":
    main()
