"""Objects that live as long as the server, whose handlers end with their clients."""

from __future__ import annotations

import asyncio
import json
import signal
import threading
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from tests.cli.running import spawned
from tests.serve.served import Address, served
from toolhaft import Context, Toolset, tool
from toolhaft.serve import asgi, mount
from toolhaft.serve.app import App
from toolhaft.serve.catalogue import Catalogue
from toolhaft.serve.limits import LIMITS
from toolhaft.serve.options import Options
from toolhaft.serve.server import bind, make_server

pytestmark = pytest.mark.requirement("serve-life")


class Pool:
    """What a program opens once, and what became of it."""

    def __init__(self) -> None:
        self.events: list[str] = []

    @asynccontextmanager
    async def lifespan(self) -> AsyncGenerator[str]:
        self.events.append("open")
        yield "pool"
        self.events.append("closed")


@tool
def use(*, context: Context[Any]) -> str:
    """Use the context."""
    return str(context)


def both(request: Any, pool: str) -> str:
    return f"{pool} of {request.headers['user']}"


@pytest.mark.parametrize(
    ("context", "seen"), [(None, "pool"), (both, "pool of ann"), (lambda request: "own", "own")]
)
def test_a_lifespan_is_entered_once_and_given_to_calls(context: Any, seen: str) -> None:
    pool = Pool()
    with served(Toolset([use]), lifespan=pool.lifespan, context=context) as server:
        assert pool.events == ["open"]
        assert [server.post("/tools/use", {}, user="ann").json for _ in range(2)] == [seen] * 2
    assert pool.events == ["open", "closed"]


def test_where_the_application_is_mounted_the_first_request_enters_it() -> None:
    pool, outer = Pool(), Starlette()
    mount(outer, [use], "/ours", lifespan=pool.lifespan)
    client = TestClient(outer, base_url="http://localhost:80")
    with client:
        assert pool.events == []
        assert client.post("/ours/tools/use").json() == "pool"
        assert client.post("/ours/tools/use").json() == "pool"
    assert pool.events.count("open") == 1


MODULE: Final = """
from contextlib import asynccontextmanager
from toolhaft import Context, tool

@asynccontextmanager
async def lifespan():
    %s
    yield {"pool": 1}
    open("closed", "w").close()

@tool
def use(*, context: Context[dict]) -> int:
    "Use the pool."
    return context["pool"]
"""
META: Final = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


def call(name: str) -> bytes:
    params = {"name": name, "arguments": {}, "_meta": META}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    return json.dumps(message).encode()


def test_the_module_has_the_lifespan_of_a_server_over_stdio(tmp_path: Path) -> None:
    (tmp_path / "tools.py").write_text(MODULE % "pass")
    ran = spawned("serve", "tools.py", "--stdio", cwd=tmp_path, input=call("use"))
    assert (ran.code, ran.json["result"]["structuredContent"]) == (0, 1)
    assert (tmp_path / "closed").exists()


@pytest.mark.parametrize("transport", [("--stdio",), ("--port", "0")])
def test_a_lifespan_that_fails_ends_the_server_with_its_traceback(
    tmp_path: Path, transport: tuple[str, ...]
) -> None:
    (tmp_path / "tools.py").write_text(MODULE % "raise RuntimeError('no database')")
    ran = spawned("serve", "tools.py", *transport, cwd=tmp_path)
    assert (ran.code, ran.out) == (1, "")
    assert "RuntimeError: no database" in ran.err


def test_a_context_that_nobody_gives_is_refused_before_the_server_starts(tmp_path: Path) -> None:
    module = MODULE.replace("async def lifespan", "async def other")
    (tmp_path / "tools.py").write_text(module % "pass")
    ran = spawned("serve", "tools.py", "--stdio", cwd=tmp_path)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert ran.err.startswith("error: use needs context from --context; a Context is your own")


class Waiting:
    """A tool that waits until it is cancelled."""

    def __init__(self) -> None:
        self.begun, self.ended = threading.Event(), threading.Event()

        @tool
        async def wait() -> None:
            """Wait."""
            self.begun.set()
            try:
                await asyncio.sleep(60)
            finally:
                self.ended.set()

        self.tools = Toolset([wait])


NEWER: Final = {
    "accept": "application/json, text/event-stream",
    "mcp_protocol_version": "2026-07-28",
    "mcp_method": "tools/call",
    "mcp_name": "wait",
}
OLDER: Final = {"accept": NEWER["accept"], "mcp_protocol_version": "2025-11-25"}


@pytest.mark.parametrize(
    ("path", "body", "headers"),
    [
        ("/tools/wait", b"{}", {}),
        ("/mcp", call("wait"), NEWER),
        ("/mcp", call("wait"), OLDER),
    ],
    ids=["http", "mcp", "older mcp"],
)
def test_a_client_that_goes_away_cancels_its_call(
    path: str, body: bytes, headers: dict[str, str]
) -> None:
    waiting = Waiting()
    with served(waiting.tools) as server:
        with server.connect() as connection:
            connection.sendall(server.head("POST", path, body, **headers) + body)
            assert waiting.begun.wait(20)
        assert waiting.ended.wait(20)
        assert server.request("GET", "/health").status == 200


def test_a_server_that_was_told_to_stop_before_it_started_ends() -> None:
    pool = Pool()
    app = App(Catalogue(Toolset([use])), Options(lifespan=pool.lifespan))
    server = make_server(app, LIMITS, lambda: None)
    server.stop()
    server.run([bind("127.0.0.1", 0)])
    assert pool.events == ["open", "closed"]


@asynccontextmanager
async def stuck() -> AsyncGenerator[None]:
    """Never begin; the server is asked to stop meanwhile."""
    for number in (signal.SIGINT, signal.SIGINT):
        signal.raise_signal(number)
    await asyncio.Event().wait()
    yield


def test_a_second_ctrl_c_ends_a_server_whose_lifespan_does_not_begin() -> None:
    server = make_server(App(Catalogue(Toolset()), Options(lifespan=stuck)), LIMITS, lambda: None)
    with bind("127.0.0.1", 0) as listening:
        server.run([listening])
    assert server.interrupted


@asynccontextmanager
async def stopped() -> AsyncGenerator[None]:
    """Never begin, though the server is asked to stop once."""
    signal.raise_signal(signal.SIGTERM)
    await asyncio.Event().wait()
    yield


def test_a_server_whose_lifespan_does_not_begin_waits_no_longer_than_its_drain() -> None:
    app = App(Catalogue(Toolset()), Options(lifespan=stopped))
    server = make_server(app, LIMITS._replace(drain_seconds=0.05), lambda: None)
    with bind("127.0.0.1", 0) as listening:
        server.run([listening])
    assert not server.interrupted


def test_a_server_is_not_ready_before_it_stops_listening() -> None:
    app = App(Catalogue(Toolset()), Options())
    limits = LIMITS._replace(drain_delay=0.5)
    listening = bind("127.0.0.1", 0)
    reached = threading.Event()
    server = make_server(app, limits, reached.set)
    thread = threading.Thread(target=server.run, args=([listening],))
    address = Address(listening.getsockname()[1])
    thread.start()
    assert reached.wait(20)
    before = address.request("GET", "/ready").status
    server.handle_exit(signal.SIGTERM, None)
    after = address.request("GET", "/ready").status
    thread.join(30)
    assert (before, after) == (200, 503)


PROBED: Final = [
    ("GET", "/health", "10.0.0.7:8000", 200),
    ("GET", "/ready", "[fe80::1]:8000", 200),
    ("GET", "/health", "evil.example", 421),
    ("GET", "/health", "10.0.0.7.evil.example", 421),
    ("GET", "/health", "10.0.0.7:8000@evil.example", 421),
    ("GET", "/tools", "10.0.0.7:8000", 421),
    ("POST", "/tools/use", "10.0.0.7:8000", 421),
    ("POST", "/health", "10.0.0.7:8000", 421),
    ("GET", "/health/../tools", "10.0.0.7:8000", 421),
]


@pytest.mark.parametrize(("method", "path", "host", "status"), PROBED)
def test_a_probe_by_address_reads_the_health_and_nothing_else(
    method: str, path: str, host: str, status: int
) -> None:
    with served(Toolset()) as server:
        assert server.request(method, path, host=host).status == status


def test_the_endpoint_of_mcp_may_end_in_a_slash() -> None:
    with served(Toolset()) as server:
        assert server.post("/mcp/", {"jsonrpc": "1.0"}, accept=NEWER["accept"]).status == 400
        assert server.post("/mcp//", {}).status == 404


@pytest.mark.parametrize("path", ["/", "", "agent", "//"])
def test_tools_are_never_mounted_over_the_routes_of_their_host(path: str) -> None:
    with pytest.raises(ValueError, match="not a place below the application"):
        mount(Starlette(), [use], path, context=lambda request: "x")


def test_a_lifespan_that_a_tool_cannot_use_is_found_at_the_start() -> None:
    @asynccontextmanager
    async def nothing() -> AsyncGenerator[None]:
        yield None

    app = asgi([use], lifespan=nothing)
    client = TestClient(app, base_url="http://localhost:80")
    assert client.post("/tools/use").json() == "None"
