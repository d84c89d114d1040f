"""Check the stubs of the whole recorded catalogue with mypy --strict."""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.mypy_runs import run_mypy
from tests.review.stubs.catalogue import recorded_tools
from toolhaft.review.stubs.module import write_stubs

if __name__ == "__main__":
    tools = recorded_tools()
    with TemporaryDirectory() as folder:
        for name, sync in ("catalogue.py", False), ("synced.py", True):
            (Path(folder) / name).write_text(write_stubs(tools, sync=sync), encoding="utf-8")
        ran = run_mypy(["catalogue.py", "synced.py"], Path(folder))
    sys.stdout.write(f"{len(tools)} tools: {ran.stdout}")
    sys.exit(ran.returncode)
