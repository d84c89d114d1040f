"""Serve tools over the Model Context Protocol, with the protocol's own package."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from approval import asking
from mcp import MCPError, stdio_server
from mcp.server.lowlevel import Server
from mcp.types import CallToolRequestParams, CallToolResult, ListToolsResult

from toolhaft import Doc, ToolError, Toolset, tool

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


NEW, OLD = (Toolset([stock_of, order]).export(name) for name in ("mcp", "mcp-2025-11-25"))


async def list_tools(context: Any, _params: Any) -> ListToolsResult:
    """Answer `tools/list` in the revision that the client agreed on."""
    wire = NEW if context.protocol_version >= "2026-07-28" else OLD
    return ListToolsResult.model_validate(wire.request)


async def call_tool(context: Any, params: CallToolRequestParams) -> CallToolResult:
    """Answer `tools/call`."""
    wire = NEW if context.protocol_version >= "2026-07-28" else OLD
    [result] = (await wire.answer(params, approve=asking(context, params.name))).results
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
