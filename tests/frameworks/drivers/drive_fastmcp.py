"""A server of FastMCP's, and its client in memory."""

from __future__ import annotations

import asyncio
import json
from base64 import b64decode
from typing import Any

from fastmcp import Client, FastMCP
from fastmcp.exceptions import ToolError

from tests.frameworks.driver import (
    NOT_READ,
    ONE_SENT,
    Call,
    Loss,
    Seen,
    keep_text,
    read_text,
    show_flagged,
)
from toolhaft.frameworks.fastmcp import to_fastmcp as to_host

shown = show_flagged
returned = keep_text
DECLINED = "This call was declined by a person and was not run."
LISTS_BY_RUN, SIDE_BY_SIDE = False, True
LOSSES = {
    "key twice": Loss(ONE_SENT, Seen('{"root":{"label":"b"}}', False)),
    "text cut off": Loss(NOT_READ, None),
    "Python's text": Loss(NOT_READ, None),
    "a list": Loss(NOT_READ, None),
    "sync": Loss("there is no sync runner", None),
    "unknown tool": Loss("FastMCP's own text", Seen("Unknown tool: 'nope'")),
}


def serve(tools: Any, **options: Any) -> FastMCP[Any]:
    server: FastMCP[Any] = FastMCP("server")
    for tool in to_host(tools, **options):
        server.add_tool(tool)
    return server


def seen(result: Any) -> Seen:
    text = "\n".join(part.text for part in result.content if part.type == "text")
    images = [b64decode(part.data) for part in result.content if part.type == "image"]
    return Seen(text, result.is_error, tuple(images))


async def run(tools: Any, name: str, text: str, *, context: Any = None) -> Seen | None:
    arguments = read_text(text)
    if arguments is None:
        return None
    async with Client(serve(tools, context=context)) as client:
        return seen(await client.call_tool(name, arguments, raise_on_error=False))


async def run_calls(tools: Any, calls: list[Call], context: Any) -> list[str]:
    async with Client(serve(tools, context=context)) as client:
        names = [tool.name for tool in await client.list_tools()]
        sent = [
            client.call_tool(call.name, json.loads(call.text), raise_on_error=False)
            for call in calls
        ]
        await asyncio.gather(*sent)
    return names


def run_sync(tools: Any, name: str, text: str) -> Seen | None:
    del tools, name, text
    return None


async def decide(tools: Any, name: str, text: str, approved: bool) -> Seen | None:
    asked: list[str] = []

    async def answer(message: str, response_type: Any, *rest: Any) -> Any:
        asked.append(message)
        return response_type(value=approved)

    async with Client(serve(tools), elicitation_handler=answer) as client:
        result = await client.call_tool(name, json.loads(text), raise_on_error=False)
    return seen(result) if asked else None


def sent(tool: Any, _strict: bool) -> Any:
    return tool.to_mcp_tool().input_schema


def steer() -> None:
    raise ToolError("not today")


async def is_steered(tools: Any, name: str) -> bool:
    return await run(tools, name, "{}") == Seen("not today", True)
