"""Build wheels with and without a compiler, and run the tests of calls on every supported Python.

    python .ci/wheels.py [TESTS AND PYTEST OPTIONS]

A wheel is installed in a fresh environment of `.venv-wheels`, without the source tree beside it.
Fails where a wheel is not of its kind, or a test fails.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

from compat import NAMED, ROOT, interpreters

HOME: Final = ROOT / ".venv-wheels"
TAGS: Final = {"native": "cp311-abi3-", "pure": "py3-none-any"}
# A name that no compiler has stands for a machine without one.
COMPILERS: Final = {"native": {}, "pure": {"CC": "no-such-compiler"}}
TESTS: Final = ("tests/call", "tests/native")
EXTRAS: Final = "attrs,marshmallow,msgspec,voluptuous,opentelemetry,structlog,cli"


def main(options: list[str]) -> int:
    """Build both wheels, and test each with each Python."""
    shutil.rmtree(HOME, ignore_errors=True)
    HOME.mkdir()
    for name in ("tests", "conftest.py", "pyproject.toml"):  # but not src
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, HOME / name)
    failed = 0
    for kind in TAGS:
        wheel = build(kind)
        for version, python in interpreters().items():
            if version.rpartition(".")[0] in NAMED:
                failed += test(kind, wheel, version, python, options)
    return int(failed > 0)


def build(kind: str) -> Path:
    """Build a wheel, and require that it is of the kind."""
    folder = HOME / kind
    run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder, ROOT,
        environment=COMPILERS[kind])  # fmt: skip
    (wheel,) = folder.glob("*.whl")
    if TAGS[kind] not in wheel.name:
        sys.exit(f"{wheel.name} is not {kind}: is there a compiler?")
    print(wheel.name, flush=True)
    return wheel


def test(kind: str, wheel: Path, version: str, python: Path, options: list[str]) -> int:
    """Install a wheel in an environment of its own, and run the tests with it."""
    folder = HOME / f"{version}-{kind}"
    run(python, "-m", "venv", folder)
    pip = (folder / "bin/python", "-m", "pip", "install", "-q", "--upgrade")
    run(*pip, "pip")
    run(*pip, "--group", f"{ROOT}/pyproject.toml:test", f"{wheel}[{EXTRAS}]")
    run(folder / "bin/toolhaft", "--version")
    ran = subprocess.run(  # noqa: S603
        [folder / "bin/python", "-m", "pytest", "-q", *(options or TESTS)],
        cwd=HOME, check=False,
    )  # fmt: skip
    print(f"{version} {kind}: {'failed' if ran.returncode else 'passed'}", flush=True)
    return ran.returncode


def run(*command: str | Path, environment: dict[str, str] | None = None) -> None:
    """Run a command that has to succeed."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    subprocess.run(command, check=True, env=clean | (environment or {}))  # noqa: S603


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
