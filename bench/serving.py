"""Compare the CPU time of a call with other people's servers, each in its own process.

The servers take turns within one run, so other load of the machine affects all alike. CPU time is
the kernel's count for the process (/proc/PID/schedstat), client not included.

`python bench/serving.py` prints a table; `--hold` holds 500 connections for 60 seconds instead.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import socket
import statistics
import sys
from collections.abc import Callable
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

META: Final = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
PARAMS: Final = {"name": "weather", "arguments": {"city": "Paris", "days": 3}, "_meta": META}
CALL: Final = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": PARAMS}
HEADERS: Final = (
    "accept: application/json, text/event-stream\r\nmcp-protocol-version: 2026-07-28\r\n"
    "mcp-method: tools/call\r\nmcp-name: weather\r\n"
)
OK: Final = 200
MOST_GROWTH: Final = 1_000  # KiB: the allocator may take this much more
CONNECTIONS: Final = 20
ROUNDS: Final = 8
CALLS: Final = 100


def weather(city: str, days: int = 1) -> dict[str, str | int]:
    """Return how warm it will be."""
    return {"city": city, "days": days, "degrees": 21}


def named(number: int) -> Callable[..., Any]:
    """Make the same function under another name."""

    def other(city: str, days: int = 1) -> dict[str, str | int]:
        """Return how warm it will be."""
        return weather(city, days)

    other.__name__ = f"weather_{number}"
    return other


def functions(count: int) -> list[Callable[..., Any]]:
    """Make so many functions, the first of which is called."""
    return [weather, *map(named, range(1, count))]


def serve_ours(listening: socket.socket, count: int) -> None:
    """Serve with toolhaft."""
    from toolhaft import Toolset, tool
    from toolhaft.serve import asgi
    from toolhaft.serve.limits import LIMITS
    from toolhaft.serve.server import make_server

    # In the loop, as the handler of Starlette; it waits for nothing.
    tools = Toolset([tool(one, offload=False) for one in functions(count)])
    make_server(asgi(tools), LIMITS, lambda: None).run([listening])


def serve_logged(listening: socket.socket, count: int) -> None:
    """Serve with toolhaft and its access log, as `toolhaft serve` logs."""
    from toolhaft.cli.serve_logging import start_logging

    start_logging("info", "text")
    serve_ours(listening, count)


def serve_app(app: Any, listening: socket.socket) -> None:
    """Serve an application with uvicorn, as its users do."""
    import uvicorn

    config = uvicorn.Config(app, http="h11", loop="asyncio", log_level="critical", access_log=False)
    uvicorn.Server(config).run([listening])


def serve_sdk(listening: socket.socket, count: int) -> None:
    """Serve with the MCPServer of the official SDK."""
    from mcp.server.mcpserver import MCPServer

    server = MCPServer("bench", log_level="CRITICAL")
    for one in functions(count):
        server.tool()(one)
    serve_app(server.streamable_http_app(), listening)


def serve_fastmcp(listening: socket.socket, count: int) -> None:
    """Serve with FastMCP."""
    from fastmcp import FastMCP  # pyright: ignore[reportMissingImports]  of .venv-bench

    server: Any = FastMCP("bench")
    for one in functions(count):
        server.tool(one)
    serve_app(server.http_app(), listening)


def serve_bare(listening: socket.socket, count: int) -> None:
    """Serve a Starlette handler that decodes, validates with pydantic and encodes."""
    from pydantic import BaseModel, ConfigDict
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import JSONResponse
    from starlette.routing import Route

    class Arguments(BaseModel):
        model_config = ConfigDict(strict=True, extra="forbid")
        city: str
        days: int = 1

    async def handle(request: Request) -> JSONResponse:
        arguments = Arguments.model_validate(await request.json())
        return JSONResponse(weather(arguments.city, arguments.days))

    serve_app(Starlette(routes=[Route("/tools/weather", handle, methods=["POST"])]), listening)


MCP: Final = "/mcp"
POST: Final = "/tools/weather"
SERVERS: Final[dict[str, tuple[Callable[[socket.socket, int], None], int, str]]] = {
    "toolhaft, MCP, 1 tool": (serve_ours, 1, MCP),
    "mcp's MCPServer, 1 tool": (serve_sdk, 1, MCP),
    "fastmcp, 1 tool": (serve_fastmcp, 1, MCP),
    "toolhaft, MCP, 100 tools": (serve_ours, 100, MCP),
    "fastmcp, 100 tools": (serve_fastmcp, 100, MCP),
    "toolhaft, POST": (serve_ours, 1, POST),
    "toolhaft, POST, access log": (serve_logged, 1, POST),
    "starlette and pydantic, POST": (serve_bare, 1, POST),
}
LIMITS: Final = (
    ("toolhaft, MCP, 1 tool", "mcp's MCPServer, 1 tool", 0.75),
    ("toolhaft, MCP, 100 tools", "fastmcp, 100 tools", 0.2),
    ("toolhaft, POST", "starlette and pydantic, POST", 1.15),
    ("toolhaft, POST, access log", "toolhaft, POST", 1.05),
)


class Child:
    """A server in a process of its own, and a connection to it that is kept."""

    def __init__(self, name: str) -> None:
        serve, count, self.path = SERVERS[name]
        listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = listening.getsockname()[1]
        self.pid = os.fork()
        if self.pid == 0:
            with Path(os.devnull).open("w") as nothing:
                os.dup2(nothing.fileno(), 2)
            serve(listening, count)
            os._exit(0)
        listening.close()
        self.request = request_to(self.path, self.port)
        self.connections: list[socket.socket] = []

    def call(self, times: int) -> None:
        """Call, over several connections at a time, so that nobody waits for a busy machine."""
        with ExitStack() as stack:
            for _ in range(CONNECTIONS):
                connection = socket.create_connection(("127.0.0.1", self.port), timeout=60)
                self.connections.append(stack.enter_context(connection))
            streams = [stack.enter_context(one.makefile("rb")) for one in self.connections]
            for _ in range(times // CONNECTIONS):
                for connection in self.connections:
                    connection.sendall(self.request)
                for stream in streams:
                    status, body = read_response(stream)
                    assert (status, b"21" in body) == (OK, True), body
        self.connections.clear()

    def cpu(self) -> int:
        """Return the nanoseconds of CPU time of all its threads."""
        tasks = Path(f"/proc/{self.pid}/task").iterdir()
        return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks)

    def memory(self) -> int:
        """Return its resident memory in kibibytes."""
        status = Path(f"/proc/{self.pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0])

    def stop(self) -> None:
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


def request_to(path: str, port: int) -> bytes:
    """Write the request of a call."""
    body = json.dumps(CALL if path == MCP else PARAMS["arguments"]).encode()
    head = f"POST {path} HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\n"
    head += HEADERS if path == MCP else ""
    head += f"content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
    return head.encode() + body


def read_response(stream: Any) -> tuple[int, bytes]:
    """Read the status and the body of a response."""
    status, length = int(stream.readline().split()[1]), 0
    while (field := stream.readline().strip()) != b"":
        if field.lower().startswith(b"content-length:"):
            length = int(field.split(b":")[1])
    return status, stream.read(length)


def compare() -> bool:
    """Print the CPU time of a call of each server; return whether ours are within their limits."""
    has_fastmcp = find_spec("fastmcp") is not None
    names = [name for name in SERVERS if has_fastmcp or not name.startswith("fastmcp")]
    children = {name: Child(name) for name in names}
    costs: dict[str, list[float]] = {name: [] for name in names}
    try:
        for child in children.values():
            child.call(100)
        for _ in range(ROUNDS):
            for name, child in children.items():
                before = child.cpu()
                child.call(CALLS)
                costs[name].append((child.cpu() - before) / CALLS / 1_000)
    finally:
        for child in children.values():
            child.stop()
    for name, values in costs.items():
        print(f"{name:32} {statistics.median(values):8,.0f} us")
    good = True
    for ours, theirs, limit in LIMITS:
        if theirs not in costs:
            continue
        pairs = zip(costs[ours], costs[theirs], strict=True)
        ratio = statistics.median(own / other for own, other in pairs)
        good &= ratio <= limit
        print(f"{ours} / {theirs}: {ratio:.2f} (at most {limit})")
    return good


async def hold(seconds: float, count: int) -> bool:
    """Hold connections that call all the time; print errors, and what memory did."""
    child = Child("toolhaft, POST, access log")
    errors, calls, stopped = 0, 0, asyncio.Event()
    try:
        child.call(2_000)

        async def caller() -> None:
            nonlocal errors, calls
            reader, writer = await asyncio.open_connection("127.0.0.1", child.port)
            while not stopped.is_set():
                writer.write(child.request)
                head = await reader.readuntil(b"\r\n\r\n")
                length = int(head.lower().partition(b"content-length: ")[2].split()[0])
                await reader.readexactly(length)
                errors += not head.startswith(b"HTTP/1.1 200")
                calls += 1
            writer.close()

        callers = [asyncio.ensure_future(caller()) for _ in range(count)]
        memory = []
        for _ in range(10):
            await asyncio.sleep(seconds / 10)
            memory.append(child.memory())
        stopped.set()
        results = await asyncio.gather(*callers, return_exceptions=True)
        errors += sum(isinstance(result, Exception) for result in results)
    finally:
        child.stop()
    growth = memory[-1] - memory[1]  # of the first tenth is what 500 connections need
    print(f"{count} connections, {seconds:g} s: {calls:,} calls, {errors} errors")
    print(f"memory {memory[1]:,} KiB at a fifth, {memory[-1]:,} KiB at the end: {growth:+,} KiB")
    return errors == 0 and growth < MOST_GROWTH


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hold", action="store_true", help="500 connections for 60 seconds")
    good = asyncio.run(hold(60, 500)) if parser.parse_args().hold else compare()
    sys.exit(not good)
