"""`toolhaft init` writes a module, a test and a hook that work as they are."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.running import SRC, Run


@pytest.mark.requirement("cli-init")
def test_the_created_files_pass_their_checks_and_their_test(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "new"
    ran = run("init", str(folder))
    assert (ran.code, ran.out) == (0, "")
    names = sorted(path.name for path in folder.iterdir())
    assert names == [".pre-commit-config.yaml", "test_tools.py", "tools.py"]
    ran = run("check", str(folder / "tools.py"), "--agreement")
    assert (ran.code, ran.out.rpartition(": ")[2]) == (0, "nothing found\n")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "."]
    done = subprocess.run(
        command,
        cwd=folder,
        env={"PYTHONPATH": SRC, "PATH": ""},
        capture_output=True,
        timeout=100,
        check=False,
    )
    assert b"3 passed" in done.stdout


@pytest.mark.requirement("cli-init")
def test_nothing_is_written_over(run: Run, tmp_path: Path) -> None:
    (tmp_path / "tools.py").write_text("mine")
    ran = run("init", str(tmp_path))
    words = "already exists; nothing was written"
    assert ran == (2, "", f"error: {tmp_path / 'tools.py'}: {words}\n")
    assert [path.name for path in tmp_path.iterdir()] == ["tools.py"]
    assert (tmp_path / "tools.py").read_text() == "mine"
