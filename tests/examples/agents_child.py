"""Runs an example's scripts, each in a process that is forked with its provider's SDK loaded."""

from __future__ import annotations

import io
import os
import runpy
import sys
from contextlib import redirect_stdout
from importlib import import_module
from pathlib import Path

from tests.forks import serve

__all__: list[str] = []

LOADED = ("asyncio", "pydantic", "toolhaft.agent_loop", "toolhaft.agents.clients")


def run(script: str, folder: str, variables: dict[str, str], typed: str) -> list[str]:
    """Run a script as `python SCRIPT` would; return the lines that it printed."""
    os.chdir(folder)
    os.environ.update(variables)
    sys.argv[:] = [script]
    sys.path.insert(0, str(Path(script).parent))
    sys.stdin = io.StringIO(typed)
    with redirect_stdout(io.StringIO()) as printed:
        runpy.run_path(script, run_name="__main__")
    return printed.getvalue().splitlines()


if __name__ == "__main__":
    for name in (*LOADED, *sys.argv[1:]):
        import_module(name)
    serve(run)
