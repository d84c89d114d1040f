"""The tools of a shop: `toolhaft serve examples/mcp_agent/server.py --stdio` is an MCP server."""

from __future__ import annotations

from typing import Annotated

from toolhaft import Doc, ToolError, tool

STOCK = {"tea": 12, "coffee": 0}


@tool(annotations={"readOnlyHint": True})
def stock_of(item: Annotated[str, Doc("What to look for, e.g. tea")]) -> dict[str, str | int]:
    """Say how much of an item is left."""
    if item not in STOCK:
        raise ToolError(f"we do not sell this; we sell {', '.join(STOCK)}")
    return {"item": item, "left": STOCK[item]}


@tool(requires_approval=True)
def order(item: Annotated[str, Doc("What to order, e.g. tea")]) -> str:
    """Order one more packet of an item."""
    return f"ordered {item}"
