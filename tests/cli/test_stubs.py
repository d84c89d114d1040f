"""`toolhaft stubs` writes a module of typed functions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.running import Run

SOURCE = (
    "from toolhaft import tool\n\n@tool\ndef now() -> str:\n    'Tell the time.'\n    return ''\n"
)


@pytest.mark.requirement("program-stubs")
def test_the_command_prints_the_module_or_writes_a_file(run: Run, tmp_path: Path) -> None:
    path, written = tmp_path / "clock.py", tmp_path / "stubs.py"
    path.write_text(SOURCE)
    printed = run("stubs", str(path))
    assert (printed.code, printed.err) == (0, "")
    assert "\n\nasync def now() -> str:\n" in printed.out
    ran = run("stubs", str(path), "-o", str(written), "--sync")
    assert (ran.code, ran.out, ran.err) == (0, "", f"toolhaft: wrote {written}\n")
    assert "\n\ndef now() -> str:\n" in written.read_text()
    ran = run("stubs", str(path), "--format", "json")
    assert json.loads(ran.out) == {"module": printed.out}
    assert run("stubs", str(path), "-o", str(written)).code == 0
    ran = run("stubs", str(path), "-o", str(path))
    reason = "was not written by stubs; --force writes over it"
    assert (ran.code, ran.err) == (2, f"error: {path}: {reason}\n")
    assert path.read_text() == SOURCE
    assert run("stubs", str(path), "-o", str(path), "--force").code == 0
    path.write_text(SOURCE)
    ran = run("stubs", str(path), "-o", str(tmp_path))
    assert (ran.code, "cannot be written" in ran.err) == (2, True)
