"""Everything imports and runs without the names that only POSIX systems have."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.portable import REMOVED
from toolhaft import DefinitionError, Toolset, tool

ROOT = Path(__file__).parents[1]
# The files of a batch and of an audit log: the rest of the portable part is `make portable`.
SLICE = (
    "tests/batch/test_pieces.py",
    "tests/observers/test_audit.py",
    "tests/observers/test_file_lock.py",
)


@pytest.mark.unmeasured
@pytest.mark.requirement("portable-names")
def test_every_module_imports_and_files_are_written_without_posix() -> None:
    command = [sys.executable, "-m", "tests.portable", "-n", "0", *SLICE]
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3_000:] + done.stderr[-3_000:]


def work(n: int) -> int:
    """Work."""
    return n


@pytest.mark.requirement("portable-names")
def test_a_process_that_could_not_be_ended_is_refused_by_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(os, "killpg")
    assert "killpg" in REMOVED[os]
    with pytest.raises(DefinitionError) as raised:
        Toolset([tool(work, isolation="process")])
    assert str(raised.value) == (
        "work.isolation: this system ends no process with all that it started; "
        "leave it out, or run the tool on Linux or macOS"
    )
