"""The rows of shapes and sizes that are seldom and real: as data, and as text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from typing import Any

from paired import calls_a_round, paired
from rows import Measured, Row
from shape_types import LIBRARIES, SHAPES, Shape, draw, type_of

from toolhaft import Ok, tool

__all__ = ["seldom_rows"]


def seldom_rows(seed: str) -> Iterator[Row]:
    """Every shape of every library that can declare it."""
    for library in LIBRARIES:
        for name, shape in SHAPES.items():
            if library in shape.vendors:
                for form in ("dict", "text"):
                    measure = partial(_measure, library, shape, form == "text", seed)
                    yield Row(library, f"{name}, {form}", measure)


def _measure(library: str, shape: Shape, is_text: bool, seed: str, rounds: int) -> Measured:
    tp, data, handle = type_of(shape, library), draw(shape, seed), _handle
    raw = json.dumps(data) if is_text else data
    made: Any = tool(handle, name="run", description="Run.", input=tp)
    outcome = made.call_sync(raw)
    if not isinstance(outcome, Ok):
        return Measured(None, (f"refused: {outcome.text}",))
    floor = LIBRARIES[library].right(tp, raw, handle)
    call = made.call_sync
    count = calls_a_round(floor)
    return Measured(paired(floor, lambda: call(raw), rounds=max(5, rounds // 4), count=count))


def _handle(_: Any) -> Any:
    return {"done": True}
