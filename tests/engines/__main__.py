"""Run the blocks of docs/engines.md, each engine in a process and a folder of its own.

`python -m tests.engines` runs all; `python -m tests.engines Polars DuckDB` those.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "engines.md"
CLUSTER = "from tests.engines.ray_cluster import main\nmain(Path.cwd())\n"
BLOCK = re.compile(r"<!-- skip: next -->\s*^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks_of(page: str) -> tuple[str, dict[str, str]]:
    """Give the block that all engines begin with, and that of each."""
    before, *sections = page.split("\n## ")
    [first] = BLOCK.findall(before)
    blocks = {part.partition("\n")[0]: BLOCK.findall(part) for part in sections}
    blocks["Ray cluster"] = [f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{CLUSTER}"]
    return first, {name: found[0] for name, found in blocks.items() if found}


def main() -> int:
    first, blocks = blocks_of(PAGE.read_text(encoding="utf-8"))
    wanted = sys.argv[1:] or list(blocks)
    broken = 0
    for name in wanted:
        started = time.monotonic()
        with TemporaryDirectory() as folder:
            script = Path(folder) / "block.py"
            script.write_text(f"{first}\nif __name__ == '__main__':\n{_indent(blocks[name])}")
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
        broken += done.returncode != 0
        words = "ok" if done.returncode == 0 else done.stderr[-3000:]
        print(f"{name}: {words} ({time.monotonic() - started:.1f} s)", flush=True)  # noqa: T201
    return broken


def _indent(block: str) -> str:
    return "".join(f"    {line}\n" for line in block.splitlines())


if __name__ == "__main__":
    sys.exit(main())
