"""mypy over files that a test wrote, by the project's own settings and from its own cache."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

__all__ = ["run_mypy"]

ROOT = Path(__file__).parents[1]


def run_mypy(names: Sequence[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Check files of a folder as strictly as the project is checked."""
    cache, settings = ROOT / ".mypy_cache", ROOT / "pyproject.toml"
    return subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(cache),
         "--config-file", str(settings), *names],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env={**os.environ, "MYPYPATH": str(ROOT / "src")},
    )  # fmt: skip
