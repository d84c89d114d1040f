"""Answers of MCP that take long, through proxies that close silent connections."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import Any, Final

import pytest

from tests.serve.kills import ACCEPT, META, message
from tests.serve.served import served
from toolhaft import Toolset, tool
from toolhaft.serve import connection
from toolhaft.serve.connection import COMMENT, HEADERS, KeptAlive

pytestmark = pytest.mark.requirement("serve-mcp")

START: Final = {"type": "http.response.start", "status": 400, "headers": []}
BODY: Final = {"type": "http.response.body", "body": b"{}"}


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "SILENT_SECONDS", 0)


async def answered(*, after: int) -> list[Any]:
    """Answer when so many messages were sent; return them all."""
    sent: list[Any] = []
    enough = asyncio.Event()

    async def send(message: Any) -> None:
        await asyncio.sleep(0)  # as where a client reads slowly
        sent.append(message)
        if len(sent) >= after:
            enough.set()

    async with KeptAlive(send) as kept:
        if after:
            await enough.wait()
        await kept(START)
        await kept(BODY)
    await asyncio.sleep(0)
    return sent


def test_an_answer_in_time_is_sent_as_it_is() -> None:
    assert asyncio.run(answered(after=0)) == [START, BODY]


def test_a_late_answer_is_the_only_event_of_a_stream() -> None:
    head = {"type": "http.response.start", "status": 200, "headers": HEADERS}
    event = {"type": "http.response.body", "body": b"event: message\r\ndata: {}\r\n\r\n"}
    sent = asyncio.run(answered(after=3))
    assert sent == [head, *[COMMENT] * (len(sent) - 2), event]


def test_a_client_hears_that_a_long_call_runs_and_reads_its_answer() -> None:
    goes_on = threading.Event()

    @tool
    def act(key: str) -> str:
        """Act."""
        goes_on.wait(20)
        return key

    body = json.dumps(message("x", _meta=META)).encode()
    with served(Toolset([act])) as server, server.connect() as connection:
        head = server.head(
            "POST",
            "/mcp",
            body,
            accept=ACCEPT,
            mcp_protocol_version="2026-07-28",
            mcp_method="tools/call",
            mcp_name="act",
        )
        connection.sendall(head + body)
        with connection.makefile("rb") as stream:
            status = stream.readline()
            while not stream.readline().rstrip().endswith(b": ping"):
                pass
            goes_on.set()
            while not (line := stream.readline()).startswith(b"data: "):
                pass
    assert status == b"HTTP/1.1 200 OK\r\n"
    assert json.loads(line.removeprefix(b"data: "))["result"]["structuredContent"] == "x"
