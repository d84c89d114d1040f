"""Tools of a server are imported with the oldest client that the extra allows and with the newest.

`make test` runs this with the newest, `make compat` with the oldest. What differs between the two
generations are the names of fields, which is shown with the objects of either.
"""

from __future__ import annotations

import asyncio
import sys
from types import SimpleNamespace
from typing import Any

import pytest
from mcp import ClientSession, StdioServerParameters, stdio_client

from toolhaft import File, Image, Ok, from_mcp
from toolhaft.content import ResourceLink
from toolhaft.imports.mcp.results import to_value

# The server of a package has the one name or the other.
SERVER = """
try:
    from mcp.server.fastmcp import FastMCP as Server
except ImportError:
    from mcp.server import MCPServer as Server
from pydantic import BaseModel
class Place(BaseModel):
    city: str
server = Server("shops")
@server.tool()
def count(city: str) -> int:
    "Count the shops of a city."
    return len(city)
@server.tool()
def find(city: str) -> Place:
    "Find a city."
    return Place(city=city)
server.run()
"""


async def ask() -> list[Any]:
    command = StdioServerParameters(command=sys.executable, args=["-c", SERVER])
    async with (
        stdio_client(command) as (reading, writing),
        ClientSession(reading, writing) as session,
    ):
        await session.initialize()
        tools = await from_mcp(session)
        calls = [("count", '{"city": "Rome"}'), ("find", '{"city": "Oslo"}'), ("count", "{}")]
        return [await tools.call(name, arguments) for name, arguments in calls]


def test_tools_of_a_server_are_called() -> None:
    counted, found, wrong = asyncio.run(ask())
    assert counted.text == "4"
    assert isinstance(found, Ok)
    assert found.json == {"city": "Oslo"}
    assert wrong.text == ("Please rewrite the input with valid arguments. Errors: city: required")


@pytest.mark.parametrize("is_new", [False, True])
def test_results_are_read_in_the_names_of_either_generation(is_new: bool) -> None:
    media_type, structured, failed = (
        ("mime_type", "structured_content", "is_error")
        if is_new
        else ("mimeType", "structuredContent", "isError")
    )
    held = SimpleNamespace(uri="a:b", text="hi", **{media_type: "text/markdown"})
    content = [
        SimpleNamespace(type="image", data="aGk=", **{media_type: "image/png"}),
        SimpleNamespace(type="resource", resource=held),
        SimpleNamespace(
            type="resource_link", uri="a:c", name="c", description=None, **{media_type: None}
        ),
    ]
    result = SimpleNamespace(content=content, **{structured: None, failed: False})
    assert to_value(result, 1000) == [
        Image(b"hi", "image/png"),
        File(b"hi", "text/markdown", uri="a:b"),
        ResourceLink("a:c", "c"),
    ]
