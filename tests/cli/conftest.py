"""Tools in a file, and the command line to use them from."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.cli.running import Ran, Run

TOOLS = '''
"""Two tools."""

from typing import Literal

from toolhaft import ToolError, tool


@tool
def add(a: int, b: int = 1, unit: Literal["cm", "km"] = "cm") -> dict[str, int | str]:
    """Add two lengths."""
    return {"sum": a + b, "unit": unit}


@tool
def fail(how: str) -> str:
    """Fail in one of several ways."""
    if how == "crash":
        raise RuntimeError("the key is sk-live-1")
    raise ToolError("not today")
'''


@pytest.fixture
def tools(tmp_path: Path) -> str:
    path = tmp_path / "tools.py"
    path.write_text(TOOLS)
    return str(path)


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command in this process; `sys.path` is as it was when the test is over."""

    def run(*args: str) -> Ran:
        from toolhaft.cli.app import app

        monkeypatch.setattr(sys, "path", list(sys.path))
        monkeypatch.setenv("COLUMNS", "100")
        capfd.readouterr()
        with pytest.raises(SystemExit) as ended:
            app(args, prog_name="toolhaft")
        code = ended.value.code
        assert isinstance(code, int)
        written = capfd.readouterr()
        return Ran(code, written.out, written.err)

    return run
