"""Deferred tools over MCP, by the official client: a session lists what it has found."""

from __future__ import annotations

import asyncio
import gc
import sys
import weakref
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Literal

import pytest
from mcp import Client, StdioServerParameters, types
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from tests.cli.running import SRC
from tests.serve.served import Address, served
from toolhaft import Toolset, tool
from toolhaft.serve.mcp_offers import FoundTools

pytestmark = pytest.mark.requirement("deferred-tools-of-sessions")

Mode = Literal["auto", "legacy"]


@tool(defer=True)
def list_orders(customer: str) -> str:
    """Return the orders of a customer."""
    return f"tea for {customer}"


@tool(defer=True)
def refund(order: str) -> str:
    """Give the money back for an order."""
    return order


@tool
def greet() -> str:
    """Greet."""
    return "hi"


CRM = Toolset([list_orders], name="crm", description="Customers.")
TOOLS = Toolset([greet, refund, CRM])
EVERY = ["crm.list_orders", "greet", "refund"]
BEFORE = ["greet", "search_tools"]


class Heard:
    """How many notifications of changed lists a client got."""

    def __init__(self) -> None:
        self.changes = 0

    async def note(self, message: Any) -> None:
        self.changes += isinstance(message, types.ToolListChangedNotification)


async def listed(client: Client) -> list[str]:
    return [one.name for one in (await client.list_tools()).tools]


async def search(client: Client, query: str) -> str:
    [part] = (await client.call_tool("search_tools", {"query": query, "limit": 1})).content
    assert isinstance(part, types.TextContent)
    return part.text


async def find_and_call(target: Any) -> None:
    heard = Heard()
    async with Client(target, mode="legacy", message_handler=heard.note) as client:
        assert client.server_capabilities.tools == types.ToolsCapability(list_changed=True)
        assert await listed(client) == BEFORE
        assert "No tool was found" in await search(client, "xylophone")
        assert heard.changes == 0
        assert '"refund"' in await search(client, "money back")
        assert (heard.changes, await listed(client)) == (1, [*BEFORE, "refund"])
        await search(client, "money back")
        assert heard.changes == 1
        assert '"crm.list_orders"' in await search(client, "customer")
        assert await listed(client) == [*BEFORE, "refund", "crm.list_orders"]
        called = await client.call_tool("crm.list_orders", {"customer": "ann"})
        assert not called.is_error


@pytest.mark.parametrize("transport", ["memory", "http", "stdio"])
def test_a_session_hears_that_its_list_has_changed_and_lists_what_it_found(transport: str) -> None:
    async def both(target: Any) -> None:
        await find_and_call(target)
        if transport != "stdio":  # another session of the same server has found nothing
            await find_and_call(target)

    if transport == "memory":
        asyncio.run(both(TOOLS.as_mcp_server()))
    elif transport == "http":
        with served(TOOLS, stateless=False) as address:
            asyncio.run(both(f"{address.url}/mcp"))
    else:
        module = Path(__file__)
        arguments = ["-m", "toolhaft", "serve", f"{module}:TOOLS", "--stdio"]
        environment = {"PYTHONPATH": f"{SRC}:{module.parents[2]}"}
        command = StdioServerParameters(command=sys.executable, args=arguments, env=environment)
        asyncio.run(both(command))


async def names_of(target: Any, mode: Mode) -> list[str]:
    async with Client(target, mode=mode) as client:
        names = await listed(client)
        assert not (await client.call_tool("refund", {"order": "7"})).is_error
        return names


def test_a_client_without_a_session_lists_every_tool() -> None:
    assert asyncio.run(names_of(TOOLS.as_mcp_server(), "auto")) == EVERY
    with served(TOOLS) as address:
        for mode in ("auto", "legacy"):
            assert asyncio.run(names_of(f"{address.url}/mcp", mode)) == EVERY


def test_native_search_is_that_of_the_client() -> None:
    tools = Toolset([TOOLS], search="native")
    assert asyncio.run(names_of(tools.as_mcp_server(), "legacy")) == EVERY


def test_what_a_session_found_is_judged_anew_for_each_caller() -> None:
    tools = Toolset([TOOLS], visible=lambda one, user: user == "admin" or one.name != "refund")

    async def talk(address: Address) -> None:
        async with create_mcp_http_client(headers={"user": "admin"}) as http:
            transport = streamable_http_client(f"{address.url}/mcp", http_client=http)
            async with Client(transport, mode="legacy") as client:
                await search(client, "money back")
                assert await listed(client) == [*BEFORE, "refund"]
                http.headers["user"] = "ann"
                assert await listed(client) == BEFORE
                assert '"refund"' not in await search(client, "money back")

    def context_of(request: Any) -> str:
        return str(request.headers.get("user"))

    with served(tools, stateless=False, context=context_of) as address:
        asyncio.run(talk(address))


def test_what_a_session_found_is_forgotten_with_it() -> None:
    client = types.InitializeRequestParams(
        protocol_version="2025-11-25",
        capabilities=types.ClientCapabilities(),
        client_info=types.Implementation(name="c", version="1"),
    )
    found, ended = FoundTools(), weakref.ref(client)
    request = SimpleNamespace(
        session=SimpleNamespace(client_params=client), protocol_version="2025-11-25"
    )
    assert found.of(request) is found.of(request)
    del client, request
    gc.collect()
    assert (ended(), found._names) == (None, {})


def test_many_found_tools_are_listed_in_pages_behind_those_before() -> None:
    many = [refund.replace(name=f"refund_{at:03}", description="Pay.") for at in range(150)]

    async def talk() -> None:
        server = Toolset([greet, *many]).as_mcp_server()
        async with Client(server, mode="legacy") as client:
            for at in range(0, 150, 10):
                query = {"query": " ".join(f"{n:03}" for n in range(at, at + 10)), "limit": 10}
                await client.call_tool("search_tools", query)
            first = await client.list_tools()
            second = await client.list_tools(cursor=first.next_cursor)
            names = [one.name for one in (*first.tools, *second.tools)]
            assert (names[:2], len(names)) == (BEFORE, 152)

    asyncio.run(talk())
