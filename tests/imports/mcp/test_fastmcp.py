"""The tools of FastMCP's server, which runs in an environment of its own (`make from-mcp`)."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="mcp is not installed")

from mcp import Client, StdioServerParameters, stdio_client

from tests.imports.mcp.environment import FASTMCP_PYTHON
from tests.imports.mcp.servers import MODES
from toolhaft import Err, Ok, from_mcp
from toolhaft.call.progress import Progress, report_to
from toolhaft.content import Image

SERVER = '''
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from fastmcp import Context, FastMCP
from fastmcp.exceptions import ToolError
from fastmcp.utilities.types import Image
from pydantic import Field

server: Any = FastMCP("shop")


@dataclass
class Found:
    """What was found."""

    city: str
    shops: list[str]


@server.tool(annotations={"readOnlyHint": True, "title": "Find shops"})
def find(city: str, most: Annotated[int, Field(ge=1, le=5)] = 2) -> Found:
    """Find the shops of a city."""
    return Found(city, ["a", "b", "c"][:most])


@server.tool(name="count shops")
def count(city: Literal["Paris", "Rome"]) -> int:
    """Count the shops of a city."""
    return len(city)


@server.tool
def picture() -> Image:
    """Show a picture."""
    return Image(data=b"hello", format="png")


@server.tool
def fail(how: str) -> str:
    """Fail in one of two ways."""
    if how == "said":
        raise ToolError("no such shop")
    raise RuntimeError("the key is sk-live-1")


@server.tool
async def copy(context: Context) -> str:
    """Copy, and tell of it."""
    await context.report_progress(1, 2, "half")
    return "copied"


server.run(show_banner=False)
'''


def told(outcome: Ok[Any] | Err) -> tuple[Any, ...]:
    if isinstance(outcome, Ok):
        return outcome.value, outcome.content
    return outcome.kind, outcome.text


@pytest.mark.skipif(FASTMCP_PYTHON is None, reason="no environment with fastmcp; make from-mcp")
@pytest.mark.requirement("from-mcp-fastmcp")
@pytest.mark.parametrize("revision", MODES)
def test_the_tools_of_fastmcps_server_are_ours(revision: str) -> None:
    async def connected(server_log: Any) -> dict[str, Any]:
        server = StdioServerParameters(command=str(FASTMCP_PYTHON), args=["-c", SERVER])
        async with Client(stdio_client(server, server_log), mode=MODES[revision]) as client:
            assert client.protocol_version == revision
            return await use(client)

    async def use(client: Any) -> dict[str, Any]:
        tools = await from_mcp(client)
        heard: list[Progress] = []
        with report_to(heard.append):
            copied = told(await tools.call("copy"))
        return {
            "names": {tool.name for tool in tools},
            "refusals": tools.refusals,
            "annotations": tools["find"].annotations,
            "as text": told(await tools.call("find", '{"city": "Rome", "most": "1"}')),
            "out of bounds": told(await tools.call("find", {"city": "Rome", "most": 9})),
            "unknown key": told(await tools.call("find", {"city": "Rome", "top": 1})),
            "count": told(await tools.call("count_shops", {"city": "rome"})),
            "picture": told(await tools.call("picture")),
            "said": told(await tools.call("fail", {"how": "said"})),
            "copied": copied,
            "heard": heard,
        }

    with Path(os.devnull).open("w") as server_log:
        seen = asyncio.run(connected(server_log))
    refused = "Please rewrite the input with valid arguments. Errors: "
    assert seen == {
        "names": {"find", "count_shops", "picture", "fail", "copy"},
        "refusals": (),
        "annotations": {"title": "Find shops", "readOnlyHint": True},
        "as text": ({"city": "Rome", "shops": ["a"]}, '{"city":"Rome","shops":["a"]}'),
        "out of bounds": ("invalid_input", f"{refused}most: expected at most 5"),
        "unknown key": ("invalid_input", f"{refused}top: unknown (allowed: city, most)"),
        "count": ({"result": 4}, "4"),
        "picture": ([Image(b"hello", "image/png")], (Image(b"hello", "image/png"),)),
        "said": ("tool_error", "no such shop"),
        "copied": ({"result": "copied"}, "copied"),
        "heard": [Progress("copy", 1, 2, "half")],
    }
