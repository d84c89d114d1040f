"""The real material beside the repository; tests that need it skip if it is absent."""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

__all__ = ["hostile_value", "rows"]

DATA = Path(__file__).parents[3] / "shared" / "data"


def rows(name: str) -> list[dict[str, Any]]:
    path = DATA / name
    if not path.exists():
        pytest.skip(f"{name} is not beside the repository")
    text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return [json.loads(line) for line in text.splitlines()]


def hostile_value() -> Callable[[Any], Any]:
    """Return the function that turns a hostile item's input into a value."""
    if not (DATA / "hostile_inputs.py").exists():
        pytest.skip("hostile_inputs.py is not beside the repository")
    sys.path.insert(0, str(DATA))
    try:
        from hostile_inputs import materialise  # type: ignore[import-not-found] # data's own
    finally:
        sys.path.remove(str(DATA))
    made: Callable[[Any], Any] = materialise
    return made
