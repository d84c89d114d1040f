"""The tools of a small warehouse, which both programs serve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from toolhaft import Doc, ToolError, Toolset, tool

SHELVES = {"tea": 12, "coffee": 0}


@dataclass
class Stock:
    """How much there is of an item."""

    item: str
    left: int


@tool(annotations={"readOnlyHint": True})
def stock_of(item: Annotated[str, Doc("What to look for, e.g. tea")]) -> Stock:
    """Say how much of an item is left."""
    if item not in SHELVES:
        raise ToolError(f"we do not sell this; we sell {', '.join(SHELVES)}")
    return Stock(item, SHELVES[item])


@tool(annotations={"idempotentHint": True})
def set_stock(
    item: Annotated[str, Doc("What was counted, e.g. tea")],
    packets: Annotated[int, Doc("How many there are")],
) -> Stock:
    """Write down how many packets of an item were counted on its shelf."""
    SHELVES[item] = packets
    return Stock(item, SHELVES[item])


TOOLS = Toolset([stock_of, set_stock])
