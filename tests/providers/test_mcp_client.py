"""The loop's tests of models' clients, with the official MCP client on the other side."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from tests.servers.cases import GOOD, SUNNY, Case, cases
from tests.servers.script import Call
from tests.servers.tools import BEGUN, TOOLS
from toolhaft import Report, Toolset, tool

mcp = pytest.importorskip("mcp", reason="mcp is not installed")

pytestmark = pytest.mark.usefixtures("known_error_ids")

# The newest revision without a handshake, and the one before it with all its messages.
revisions = pytest.mark.parametrize(
    ("target", "mode"), [("mcp", "auto"), ("mcp-2025-11-25", "legacy")]
)


def held(target: str, mode: str, session: Callable[[Any], Awaitable[Any]], **options: Any) -> Any:
    """Let the official client hold a session with a server of ours."""
    from tests.servers.mcp_server import server

    async def connected() -> Any:
        async with mcp.Client(server(TOOLS.export(target), **options), mode=mode) as client:
            return await session(client)

    return asyncio.run(connected())


async def made(client: Any, call: Call) -> tuple[bool, str]:
    """Make a call; return whether it failed, and its text."""
    try:
        result = await client.call_tool(call.name, call.arguments)
    except mcp.MCPError as error:  # an unknown tool is an error of the protocol
        return True, error.error.message
    [part] = result.content
    return result.is_error, part.text


@pytest.mark.requirement("loop-mcp")
@cases
@revisions
def test_whatever_comes_of_a_call_the_client_has_its_answer(
    target: str, mode: str, case: Case
) -> None:
    async def session(client: Any) -> list[tuple[bool, str]]:
        answers: list[tuple[bool, str]] = []
        for turn in case.turns:
            answers += await asyncio.gather(*[made(client, call) for call in turn.calls])
        return answers

    failed = (kind != "ok" for kind in case.kinds)
    assert held(target, mode, session) == list(zip(failed, case.told, strict=True))


@pytest.mark.requirement("loop-mcp")
@revisions
def test_a_call_that_the_client_cancels_ends_and_the_session_goes_on(
    target: str, mode: str
) -> None:
    async def session(client: Any) -> tuple[bool, str]:
        BEGUN.append(asyncio.Event())
        waiting = asyncio.create_task(client.call_tool("wait", {}))
        await BEGUN[-1].wait()
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        [call] = GOOD.calls
        return await made(client, call)

    assert held(target, mode, session) == (False, SUNNY)


@pytest.mark.requirement("loop-approval")
@revisions
def test_an_approval_may_come_in_another_process(target: str, mode: str) -> None:
    async def session(client: Any) -> tuple[bool, str]:
        return await made(client, Call("call_1", "refund", {"amount": 70}))

    assert held(target, mode, session, person=False) == (False, "70 EUR were paid back")


@tool
def copy(files: list[str], report: Report) -> int:
    """Copy files, in a thread."""
    for number, name in enumerate(files, 1):
        report(number, len(files), name)
    return len(files)


@tool
async def copy_later(files: list[str], report: Report) -> int:
    """Copy files, in a loop."""
    for number, name in enumerate(files, 1):
        report(number, len(files), name)
    return len(files)


@pytest.mark.requirement("progress-reports")
@revisions
@pytest.mark.parametrize("name", ["copy", "copy_later"])
def test_progress_reaches_the_client_before_the_result(target: str, mode: str, name: str) -> None:
    from tests.servers.mcp_server import server

    heard: list[Any] = []

    async def hear(done: float, total: float | None, message: str | None) -> None:
        heard.append((done, total, message))

    async def connected() -> None:
        wire = Toolset([copy, copy_later]).export(target)
        async with mcp.Client(server(wire), mode=mode) as client:
            files = {"files": ["a", "b", "c"]}
            result = await client.call_tool(name, files, progress_callback=hear)
            heard.append(result.content[0].text)

    asyncio.run(connected())
    assert heard == [(1, 3, "a"), (2, 3, "b"), (3, 3, "c"), "3"]
