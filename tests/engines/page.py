"""The blocks of docs/engines.md, each run in a process and a folder of its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

__all__ = ["blocks", "run_block"]

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "engines.md"
CLUSTER = "from tests.engines.ray_cluster import main\nmain(Path.cwd())\n"
BLOCK = re.compile(r"<!-- skip: next -->\s*^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks() -> tuple[str, dict[str, str]]:
    """Return the block that all engines begin with, and the block of each."""
    before, *sections = PAGE.read_text(encoding="utf-8").split("\n## ")
    [first] = BLOCK.findall(before)
    found = {part.partition("\n")[0]: BLOCK.findall(part) for part in sections}
    found["Ray cluster"] = [f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{CLUSTER}"]
    return first, {name: parts[0] for name, parts in found.items() if parts}


def run_block(engine: str, folder: Path) -> str:
    """Run the block of an engine; return its report of the fault, or nothing."""
    first, of_engines = blocks()
    script = folder / "block.py"
    script.write_text(f"{first}\nif __name__ == '__main__':\n{_indent(of_engines[engine])}")
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(script)],
        cwd=folder,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT / "src"),
            "PYSPARK_PYTHON": sys.executable,
        },
        capture_output=True,
        check=False,
        text=True,
    )
    return done.stderr[-3000:] or f"exit code {done.returncode}" if done.returncode else ""


def _indent(block: str) -> str:
    return "".join(f"    {line}\n" for line in block.splitlines())
