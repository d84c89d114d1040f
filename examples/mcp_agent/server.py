"""Serve tools over the Model Context Protocol, with the protocol's own package."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, TypedDict

from mcp import MCPError, stdio_server
from mcp.server.lowlevel import Server
from mcp.types import CallToolRequestParams, CallToolResult, ListToolsResult

from toolhaft import Doc, ToolError, Toolset, tool

STOCK = {"tea": 12, "coffee": 0}


class Stock(TypedDict):
    """How much of an item there is."""

    item: str
    left: int


@tool(annotations={"readOnlyHint": True})
def stock_of(item: Annotated[str, Doc("What to look for, e.g. tea")]) -> Stock:
    """Say how much of an item is left."""
    if item not in STOCK:
        raise ToolError(f"we do not sell this; we sell {', '.join(STOCK)}")
    return {"item": item, "left": STOCK[item]}


WIRE = Toolset([stock_of]).export("mcp")


async def list_tools(_context: Any, _params: Any) -> ListToolsResult:
    """Answer `tools/list`."""
    return ListToolsResult.model_validate(WIRE.request)


async def call_tool(_context: Any, params: CallToolRequestParams) -> CallToolResult:
    """Answer `tools/call`."""
    [result] = (await WIRE.answer(params)).results
    if "code" in result:  # an unknown tool is an error of the protocol
        raise MCPError(**result)
    return CallToolResult.model_validate(result)


async def main() -> None:
    """Serve standard input and output."""
    server: Server[Any] = Server("shop", on_list_tools=list_tools, on_call_tool=call_tool)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


if __name__ == "__main__":
    asyncio.run(main())
