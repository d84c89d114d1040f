"""A server of the official `mcp` package that has our tools: for a client in the same process."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from mcp import MCPError
from mcp.server.lowlevel import Server
from mcp.types import CallToolRequestParams, CallToolResult, ListToolsResult

from tests.forks import answering
from tests.servers.approver import KEY
from tests.servers.tools import approve
from toolhaft import LoopGuard
from toolhaft.call.progress import report_to_async
from toolhaft.toolset.answers import Answer
from toolhaft.toolset.export import Export

__all__ = ["server"]


def decided(wire: Export, answer: Answer) -> list[Any]:
    """Let another process approve what waits, and run it there; give the results."""
    [waiting] = answer.pending
    text = answer.to_json(key=KEY)
    given: dict[str, Any] = {"messages": [], "answer": text, "approved": waiting.call_id}
    with answering("tests.servers.approver") as ask:
        said, code = ask(wire.target, "", given)
    assert code == 0
    results: list[Any] = json.loads(said)["results"]
    return results


def server(wire: Export, *, person: bool = True) -> Server[Any]:
    """Serve an export, with a guard for the conversation; with no person here, one is elsewhere."""
    guard = LoopGuard()

    async def list_tools(context: Any, params: Any) -> ListToolsResult:
        return ListToolsResult.model_validate(wire.request)

    async def call_tool(context: Any, params: CallToolRequestParams) -> CallToolResult:
        async with report_to_async(lambda said: context.session.report_progress(*said[1:])):
            answer = await wire.answer(params, approve=approve if person else None, guard=guard)
        [result] = (
            await asyncio.to_thread(decided, wire, answer) if answer.pending else answer.results
        )
        if "code" in result:
            raise MCPError(**result)
        return CallToolResult.model_validate(result)

    return Server("scripted", on_list_tools=list_tools, on_call_tool=call_tool)
