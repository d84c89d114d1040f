"""Run what touches other libraries with their oldest and with their newest versions.

    python .ci/compat.py [--python 3.12 ...] [--environment floors ...] [-- PYTEST OPTIONS]

Every Python from 3.11 on that is found on PATH or among pyenv's is taken, each with environments of
its own in `.venv-compat`. What pip and pytest said is beside them. Fails where a test fails, or
where an environment cannot be made on a Python that the package names as its own.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple
from xml.etree import ElementTree as ET

ROOT: Final = Path(__file__).resolve().parents[1]
HOME: Final = ROOT / ".venv-compat"
PROJECT: Final[dict[str, Any]] = tomllib.loads((ROOT / "pyproject.toml").read_text())
OLDEST: Final = (3, 11)
NAMED: Final = [one.rpartition(" ")[2] for one in PROJECT["project"]["classifiers"]]
FLOORS: Final = ("--constraint", "constraints/floors.txt")
VALIDATORS: Final = "attrs,marshmallow,msgspec,voluptuous,opentelemetry,structlog,cli"
SDKS: Final = "anthropic,google-genai,mcp,openai"
CORE: Final = (
    "tests/vendors", "tests/call", "tests/schema", "tests/lowering", "tests/providers",
    "tests/hostile", "tests/cli", "tests/observers", "tests/test_jsontext.py",
)  # fmt: skip
TURNS: Final = (
    "tests/providers", "tests/servers", "tests/examples", "tests/test_agent_loop.py",
    "tests/test_answers.py", "tests/test_clients.py", "tests/cli/test_lock_and_diff.py",
)  # fmt: skip


class Environment(NamedTuple):
    """What is installed beside the package, and which tests run with it."""

    extras: str
    groups: Sequence[str]
    tests: Sequence[str]
    options: Sequence[str] = ()


ENVIRONMENTS: Final = {
    # The core and the validators without any SDK: providers are tested on recorded objects.
    "floors": Environment(VALIDATORS, ["test", "converters"], CORE, FLOORS),
    "sdk-floors": Environment(f"{VALIDATORS},{SDKS}", ["test"], TURNS, FLOORS),
    "newest": Environment("all", ["test", "converters", "sdks"], (*CORE, *TURNS[1:])),
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
        is_ours = self.python.rpartition(".")[0] in NAMED
        return bool(self.failed) or (is_ours and not self.passed)


def interpreters() -> dict[str, Path]:
    """Find one Python of each minor version that can make environments, by its version."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    places = [*map(Path, os.environ["PATH"].split(os.pathsep)), *pyenv.glob("versions/*/bin")]
    found: dict[tuple[int, ...], Path] = {}
    for path in (one for place in places for one in place.glob("python3.*[0-9]")):
        said = output(path, "-c", "import ensurepip, sys, venv; print(*sys.version_info[:3])")
        version = tuple(map(int, said.split()))
        if version >= OLDEST and not any(version[:2] == one[:2] for one in found):
            found[version] = path
    return {".".join(map(str, version)): found[version] for version in sorted(found)}


def output(*command: str | Path) -> str:
    """Give what a command prints; nothing where it fails."""
    ran = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    return ran.stdout if ran.returncode == 0 else ""


def run(log: Path, *command: str | Path) -> int:
    """Run a command into a log."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    with log.open("a") as file:
        return subprocess.run(  # noqa: S603
            command, cwd=ROOT, env=clean, stdout=file, stderr=file, check=False
        ).returncode


def tested(version: str, python: Path, name: str, options: Sequence[str]) -> Row:
    """Make an environment where it is not there yet, and run its tests."""
    folder, wanted = HOME / f"{version}-{name}", ENVIRONMENTS[name]
    report, log = HOME / f"{folder.name}.xml", HOME / f"{folder.name}.log"
    log.unlink(missing_ok=True)
    report.unlink(missing_ok=True)
    pip = (folder / "bin/python", "-m", "pip", "install", "--quiet", "--upgrade")
    groups = [word for group in wanted.groups for word in ("--group", group)]
    package = ["--only-binary", ":all:", "--editable", f".[{wanted.extras}]"]
    begun = time.monotonic()
    if (
        run(log, python, "-m", "venv", folder)
        or run(log, *pip, "pip")
        or run(log, *pip, *wanted.options, *package, *groups)
    ):
        return Row(version, name, note=f"cannot be made: {last_line(log)}")
    run(
        log, folder / "bin/python", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "auto",
        "--maxprocesses", "2", "--dist", "loadscope", f"--junit-xml={report}", *wanted.tests,
        *options,
    )  # fmt: skip
    if not report.exists():
        return Row(version, name, note=f"no report: {last_line(log)}")
    counts = {key: int(value) for key, value in suite(report) if value.isdigit()}
    failed, skipped = counts["failures"] + counts["errors"], counts["skipped"]
    passed = counts["tests"] - failed - skipped
    return Row(version, name, passed, failed, skipped, time.monotonic() - begun)


def suite(report: Path) -> Iterator[tuple[str, str]]:
    """Read the counts of a report that pytest has just written."""
    found = ET.parse(report).getroot().find("testsuite")  # noqa: S314
    assert found is not None
    yield from found.items()


def last_line(log: Path) -> str:
    """Give what a log ends with."""
    lines = log.read_text().strip().splitlines()
    return lines[-1][:120] if lines else "nothing was said"


def versions(row: Row) -> dict[str, str]:
    """List what is installed in an environment, of the packages that have a floor."""
    listed = output(HOME / f"{row.python}-{row.environment}/bin/python", "-m", "pip", "list",
                    "--format", "json")  # fmt: skip
    floors = (ROOT / "constraints/floors.txt").read_text()
    named = {normal(one) for one in re.findall(r"^([\w-]+)==", floors, re.MULTILINE)}
    found = {normal(one["name"]): one["version"] for one in json.loads(listed or "[]")}
    return {name: found[name] for name in sorted(named & found.keys())}


def normal(name: str) -> str:
    """Spell the name of a package as the index does."""
    return re.sub(r"[-_.]+", "-", name).lower()


def table(heads: Sequence[str], lines: Sequence[Sequence[str]]) -> None:
    """Print lines below their heads, each column as wide as it must be."""
    every = [heads, *lines]
    widths = [max(len(line[at]) for line in every) for at in range(len(heads))]
    for line in every:
        print("  ".join(f"{cell:<{width}}" for cell, width in zip(line, widths, strict=True)))
    print()


def main() -> None:
    """Test in every environment asked for, and print what came of it."""
    parser = argparse.ArgumentParser(description="Test with the oldest and the newest libraries.")
    parser.add_argument("--python", action="append", help="3.12, say: only this one")
    parser.add_argument("--environment", action="append", choices=ENVIRONMENTS)
    parser.add_argument("options", nargs="*", help="what pytest is told besides")
    asked = parser.parse_args()
    HOME.mkdir(exist_ok=True)
    rows: list[Row] = []
    for version, python in interpreters().items():
        if asked.python is None or version.rpartition(".")[0] in asked.python:
            for name in asked.environment or ENVIRONMENTS:
                rows.append(tested(version, python, name, asked.options))
                print(f"{version} {name}: see {HOME.name}/{version}-{name}.log", flush=True)
    print()
    table(Row._fields, [[*map(str, row[:5]), f"{row.seconds:.0f}", row.note] for row in rows])
    installed = [versions(row) for row in rows]
    names = sorted({name for one in installed for name in one})
    table(["versions", *(f"{row.python} {row.environment}" for row in rows)],
          [[name, *(one.get(name, "") for one in installed)] for name in names])  # fmt: skip
    sys.exit(not rows or any(row.is_bad for row in rows))


if __name__ == "__main__":
    main()
