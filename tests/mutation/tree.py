"""The copy of the repository whose modules are changed, and what is kept of a run beside it."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any, Final

__all__ = ["FOLDERS", "KEPT", "MAPS", "MUTANTS", "NATIVE", "SOURCE", "TREE", "append_result"]
__all__ += ["copy", "environment", "read_results"]

FOLDERS: Final = ("call", "schema", "lowering", "jsonio", "definition", "serve")
# These tests run with the primitives in C, and all others with their twins in Python.
NATIVE: Final = "tests/native"
ROOT: Final = Path(__file__).parents[2]
KEPT: Final = ROOT / "build" / "mutation"
TREE: Final = KEPT / "tree"
SOURCE: Final = TREE / "src"
MAPS: Final = KEPT / "maps"
MUTANTS: Final = KEPT / "mutants.jsonl"
RESULTS: Final = KEPT / "results.jsonl"


def copy() -> None:
    """Copy what is committed, and the primitives in C as they are built.

    If there is a copy, it stays: a run that goes on keeps its own.
    """
    if TREE.exists():
        return
    git = ["git", "archive", "--format=tar", "HEAD"]
    archive = subprocess.run(git, cwd=ROOT, check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        tar.extractall(TREE, filter="data")
    for built in (ROOT / "src" / "toolhaft").glob("_native.*.so"):
        shutil.copy(built, SOURCE / "toolhaft")


def environment(*, native: bool = False) -> None:
    """Have this process and its children import the copy, and run the primitives in Python or C."""
    os.chdir(TREE)
    sys.dont_write_bytecode = False  # each trial would compile everything anew
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ |= {"PYTHONPATH": f"{SOURCE}:{TREE}", "TOOLHAFT_PURE": "0" if native else "1"}
    sys.path[:0] = [str(SOURCE), str(TREE)]


def read_results() -> dict[int, dict[str, Any]]:
    """Return the last result of each mutant that was tried."""
    if not RESULTS.exists():
        return {}
    lines = RESULTS.read_text(encoding="utf-8").splitlines()
    return {result["number"]: result for result in map(json.loads, lines)}


def append_result(result: dict[str, Any]) -> None:
    """Keep a result."""
    with RESULTS.open("a", encoding="utf-8") as results:
        results.write(json.dumps(result) + "\n")
