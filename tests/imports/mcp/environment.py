"""The part of the tests that runs here: a slice, or with `make from-mcp` all of them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

__all__ = ["FASTMCP", "FASTMCP_PYTHON", "ROOT", "WHOLE"]

ROOT: Final = Path(__file__).parents[3]
WHOLE: Final = "FROM_MCP" in os.environ

_INSTALLED = [
    path
    for name in (".venv-bench", ".venv-frameworks")
    for path in ROOT.glob(f"{name}/lib/python3*/site-packages/fastmcp-*.dist-info")
]
# FastMCP has an environment of its own.
FASTMCP: Final = _INSTALLED[0].name.split("-")[1].removesuffix(".dist") if _INSTALLED else None
FASTMCP_PYTHON: Final = _INSTALLED[0].parents[3] / "bin" / "python" if _INSTALLED else None
