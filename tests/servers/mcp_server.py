"""A server of the official `mcp` package that has our tools: for a client in the same process."""

from __future__ import annotations

from typing import Any

from mcp import MCPError
from mcp.server.lowlevel import Server
from mcp.types import CallToolRequestParams, CallToolResult, ListToolsResult

from toolhaft import LoopGuard
from toolhaft.export import Export

__all__ = ["server"]


def server(wire: Export, **options: Any) -> Server[Any]:
    """Serve an export; `options` go with each call, and the guard is the conversation's."""
    guard = LoopGuard()

    async def list_tools(context: Any, params: Any) -> ListToolsResult:
        return ListToolsResult.model_validate(wire.request)

    async def call_tool(context: Any, params: CallToolRequestParams) -> CallToolResult:
        [result] = (await wire.answer(params, guard=guard, **options)).results
        if "code" in result:
            raise MCPError(**result)
        return CallToolResult.model_validate(result)

    return Server("scripted", on_list_tools=list_tools, on_call_tool=call_tool)
