"""Tools over MCP, by the official client: over HTTP and stdio, in both revisions."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Iterator
from itertools import chain, cycle
from pathlib import Path
from typing import Any, Literal

import pytest
from mcp import Client, MCPError, StdioServerParameters, types

from tests.cli.running import SRC
from tests.serve.served import Address, served
from toolhaft import Context, Image, Report, ToolError, Toolset, tool
from toolhaft.content import Audio, File, ResourceLink

Mode = Literal["auto", "legacy"]
MODES: tuple[Mode, Mode] = ("auto", "legacy")
both = pytest.mark.parametrize("mode", MODES)


@tool
def add(a: int, b: int) -> int:
    """Add two whole numbers."""
    return a + b


@tool
def shows() -> Any:
    """Show one thing of each kind."""
    return [
        "text",
        Image(b"i", "image/png"),
        Audio(b"a", "audio/wav"),
        File(b"f", "text/plain", name="f.txt"),
        ResourceLink("https://example.com/r", "r"),
    ]


@tool
def fails() -> str:
    """Fail."""
    raise ToolError("sold out")


@tool
def interrupts() -> str:
    """Raise what Ctrl-C raises."""
    raise KeyboardInterrupt


@tool
def copies(report: Report) -> str:
    """Report progress."""
    for done in range(1, 4):
        report(done, 3, f"file {done}")
    return "copied"


@tool
def copies_oddly(report: Report) -> str:
    """Report what JSON cannot hold."""
    report(1, float("inf"), "file \udcff")
    report(float("nan"), 2, "none")
    return "copied"


@tool(requires_approval=True)
def order(item: str, count: int = 1) -> str:
    """Order something."""
    return f"{count} {item}"


TOOLS = Toolset([add, shows, fails, interrupts, copies, copies_oddly, order])


@pytest.fixture(scope="module")
def address() -> Iterator[Address]:
    with served(TOOLS, stateless=False) as server:
        yield server


class User:
    """The user of a client, and the questions to that user."""

    def __init__(self) -> None:
        self.action: Any = "accept"
        self.questions: list[str] = []

    async def answer(self, context: Any, params: Any) -> types.ElicitResult:
        self.questions.append(params.message)
        accepted = self.action == "accept"
        return types.ElicitResult(action=self.action, content={} if accepted else None)


async def list_and_call(client: Client, mode: Mode) -> None:
    listed = (await client.list_tools()).tools
    assert [one.name for one in listed] == [
        "add",
        "copies",
        "copies_oddly",
        "fails",
        "interrupts",
        "order",
        "shows",
    ]
    right = await client.call_tool("add", {"a": 1, "b": "2"})
    three = 3 if mode == "auto" else {"value": 3}
    assert (right.is_error, right.structured_content) == (False, three)
    assert right.content[0] == types.TextContent(type="text", text="3")
    wrong = await client.call_tool("add", {"a": "x", "b": 2})
    assert (wrong.is_error, wrong.structured_content) == (True, None)
    assert "a: expected integer" in text_of(wrong)
    failed = await client.call_tool("fails", {})
    assert failed.is_error
    interrupted = await client.call_tool("interrupts", {})
    assert (interrupted.is_error, "may have taken effect" in text_of(interrupted)) == (True, True)
    with pytest.raises(MCPError) as unknown:
        await client.call_tool("ad", {"a": 1})
    assert unknown.value.error.code == -32602
    assert "Did you mean add?" in unknown.value.error.message
    shown = await client.call_tool("shows", {})
    kinds = [part.type for part in shown.content]
    assert kinds == ["text", "image", "audio", "resource", "resource_link"]


async def hear_progress(client: Client) -> None:
    told: list[tuple[float, float | None, str | None]] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, total, message))

    await client.call_tool("copies", {}, progress_callback=note)
    await client.call_tool("copies_oddly", {}, progress_callback=note)
    assert told[:3] == [(1, 3, "file 1"), (2, 3, "file 2"), (3, 3, "file 3")]
    assert told[3:] == [(1, None, "file \\udcff")]


async def ask_the_user(client: Client, user: User) -> None:
    for action, text in (("accept", "2 tea"), ("decline", "declined")):
        user.action = action
        result = await client.call_tool("order", {"item": "tea", "count": 2})
        assert text in text_of(result)
        assert result.is_error is (action != "accept")
    assert user.questions == ['Run order with {"item":"tea","count":2}?'] * 2


def text_of(result: types.CallToolResult) -> str:
    assert isinstance(result.content[0], types.TextContent)
    return result.content[0].text


@pytest.mark.requirement("serve-mcp")
@pytest.mark.requirement("serve-approval")
@both
@pytest.mark.parametrize("transport", ["http", "stdio"])
def test_the_official_client_calls_hears_of_progress_and_asks_its_user(
    transport: str, mode: Mode, address: Address
) -> None:
    target: Any = f"{address.url}/mcp"
    if transport == "stdio":
        module = Path(__file__)
        arguments = ["-m", "toolhaft", "serve", f"{module}:TOOLS", "--stdio"]
        target = StdioServerParameters(
            command=sys.executable, args=arguments, env={"PYTHONPATH": f"{SRC}:{module.parents[2]}"}
        )

    async def talk() -> None:
        user = User()
        async with Client(target, mode=mode, elicitation_callback=user.answer) as client:
            await list_and_call(client, mode)
            await hear_progress(client)
            await ask_the_user(client, user)

    asyncio.run(talk())


@pytest.mark.requirement("serve-workers")
@both
def test_a_client_needs_no_session(mode: Mode) -> None:
    """Each request of a client goes to another server, as behind a load balancer."""
    from mcp.client.streamable_http import streamable_http_client
    from mcp.shared._httpx_utils import create_mcp_http_client

    async def talk(*addresses: Address) -> types.CallToolResult:
        ports = cycle([server.port for server in addresses])

        async def send_elsewhere(request: Any) -> None:
            request.url = request.url.copy_with(port=next(ports))
            request.headers["host"] = f"127.0.0.1:{request.url.port}"

        async with create_mcp_http_client() as http:
            http.event_hooks["request"].append(send_elsewhere)
            transport = streamable_http_client(f"{addresses[0].url}/mcp", http_client=http)
            async with Client(transport, mode=mode, elicitation_callback=User().answer) as client:
                await list_and_call(client, mode)
                await hear_progress(client)
                return await client.call_tool("order", {"item": "tea"})

    key = b"k" * 32
    with served(TOOLS, key=key) as first, served(TOOLS, key=key) as second:
        result = asyncio.run(talk(first, second))
    assert result.is_error == (mode == "legacy")  # whose user cannot be asked without a session


@pytest.mark.requirement("serve-approval")
@both
def test_a_client_that_cannot_ask_reads_that_the_call_waits(mode: Mode, address: Address) -> None:
    async def talk() -> types.CallToolResult:
        async with Client(f"{address.url}/mcp", mode=mode) as client:
            return await client.call_tool("order", {"item": "tea"})

    result = asyncio.run(talk())
    assert result.is_error
    assert "approv" in text_of(result)


@both
def test_many_tools_are_listed_in_pages(mode: Mode) -> None:
    many = Toolset([add.replace(name=f"t{number:03}") for number in range(250)])

    async def talk(address: Address) -> list[list[str]]:
        pages: list[list[str]] = []
        async with Client(f"{address.url}/mcp", mode=mode) as client:
            cursor = None
            while True:
                page = await client.list_tools(cursor=cursor)
                pages.append([one.name for one in page.tools])
                cursor = page.next_cursor
                if cursor is None:
                    break
            with pytest.raises(MCPError, match="cursor"):
                await client.list_tools(cursor="x")
        return pages

    with served(many) as address:
        pages = asyncio.run(talk(address))
    assert [len(page) for page in pages] == [100, 100, 50]
    assert [*chain(*pages)] == [f"t{number:03}" for number in range(250)]


@pytest.mark.requirement("serve-visible")
@both
def test_a_hidden_tool_is_not_there(mode: Mode) -> None:
    @tool
    def who(*, context: Context[Any]) -> str:
        """Say who asks."""
        return str(context)

    def visible(one: Any, user: Any) -> bool:
        return bool(user == "admin" or one.name != "restart")

    hidden = who.replace(name="restart")
    tools = Toolset([who, hidden], visible=visible)

    async def talk(address: Address, user: str) -> tuple[list[str], Any]:
        from mcp.client.streamable_http import streamable_http_client
        from mcp.shared._httpx_utils import create_mcp_http_client

        async with create_mcp_http_client(headers={"user": user}) as http:
            transport = streamable_http_client(f"{address.url}/mcp", http_client=http)
            return await listed_and_called(transport)

    async def listed_and_called(transport: Any) -> tuple[list[str], Any]:
        async with Client(transport, mode=mode) as client:
            listed = [one.name for one in (await client.list_tools()).tools]
            try:
                result = await client.call_tool("restart", {})
            except MCPError as error:
                return listed, (error.error.code, error.error.message)
            part = result.content[0]
            return listed, part.text if isinstance(part, types.TextContent) else None

    def context_of(request: Any) -> str:
        return str(request.headers.get("user"))

    with served(tools, context=context_of) as address:
        assert asyncio.run(talk(address, "admin")) == (["restart", "who"], "admin")
        words = "There is no tool named restart. Available tools: who."
        assert asyncio.run(talk(address, "ann")) == (["who"], (-32602, words))
        paths = address.request("GET", "/openapi.json", user="ann").json["paths"]
        assert sorted(paths) == ["/tools", "/tools/who"]
        assert address.request("GET", "/tools/restart", user="ann").status == 404
        refused = address.request("POST", "/tools/restart", user="ann")
        assert (refused.status, refused.json["detail"]) == (404, words)


@both
def test_a_call_that_its_client_cancels_is_cancelled(mode: Mode) -> None:
    begun, ended = threading.Event(), threading.Event()

    @tool
    async def waits() -> None:
        """Wait."""
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    async def talk(address: Address) -> None:
        async with Client(f"{address.url}/mcp", mode=mode) as client:
            call = asyncio.ensure_future(client.call_tool("waits", {}))
            await asyncio.to_thread(begun.wait, 10)
            call.cancel()
            assert await asyncio.to_thread(ended.wait, 10)

    with served(Toolset([waits]), stateless=False) as address:
        asyncio.run(talk(address))
    assert ended.is_set()
