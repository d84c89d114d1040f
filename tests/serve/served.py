"""Serve tools on a free port, in a thread of this process, and speak raw HTTP to them."""

from __future__ import annotations

import json
import os
import signal
import socket
import threading
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from typing import Annotated, Any, Final, NamedTuple

from pydantic import Field

from toolhaft import Toolset, tool
from toolhaft.serve.app import App
from toolhaft.serve.catalogue import Catalogue
from toolhaft.serve.options import Options
from toolhaft.serve.server import bind, make_server

CHILD_SECONDS: Final = 60


class Transfers:
    """The tool of the hostile items, and every call that ran."""

    def __init__(self) -> None:
        self.ran: list[dict[str, Any]] = []

        @tool
        def transfer(
            account: str,
            amount: Annotated[int, Field(ge=0, le=1_000_000)],
            memo: str = "",
            dry_run: bool = False,
            tags: list[str] = [],  # noqa: B006  the library copies it for each call
            opts: dict[str, Any] = {},  # noqa: B006
        ) -> str:
            """Move money."""
            self.ran.append({"account": account, "amount": amount})
            return f"{amount} to {account}"

        self.tools = Toolset([transfer])


class Response(NamedTuple):
    """A response as it came: status, headers in lower case, and body."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Address(NamedTuple):
    """Where a server can be reached."""

    port: int

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=60)

    def send(self, *parts: bytes) -> Response:
        """Send bytes over a connection of its own; return the first response."""
        with self.connect() as connection:
            for part in parts:
                connection.sendall(part)
            return read_response(connection)

    def request(self, method: str, path: str, body: bytes = b"", **headers: str) -> Response:
        """Send a request; a header is left out by an empty value."""
        return self.send(self.head(method, path, body, **headers) + body)

    def head(self, method: str, path: str, body: bytes = b"", **headers: str) -> bytes:
        named = {"host": f"127.0.0.1:{self.port}"}
        if body:
            named |= {"content-type": "application/json", "content-length": str(len(body))}
        named |= {name.replace("_", "-"): value for name, value in headers.items()}
        lines = [f"{name}: {value}" for name, value in named.items() if value]
        return "\r\n".join([f"{method} {path} HTTP/1.1", *lines, "", ""]).encode("latin-1")

    def post(self, path: str, data: Any, **headers: str) -> Response:
        return self.request("POST", path, json.dumps(data).encode(), **headers)


def read_response(connection: socket.socket) -> Response:
    """Read one response; status 0 where the connection was closed without one."""
    with connection.makefile("rb") as stream:
        line = stream.readline()
        if not line:
            return Response(0, {}, b"")
        headers = {}
        while (field := stream.readline().strip()) != b"":
            name, _, value = field.decode("latin-1").partition(":")
            headers[name.lower()] = value.strip()
        body = stream.read(int(headers["content-length"])) if "content-length" in headers else b""
        return Response(int(line.split()[1]), headers, body)


def serve_in_child(serve: Callable[[], AbstractContextManager[Address]]) -> tuple[int, Address]:
    """Serve in a child until it is killed; return its id and how to reach it.

    One that never serves fails its test: it holds the only end of the pipe that can be written to,
    and the system ends it after a minute, whatever it is doing.
    """
    source, sink = os.pipe()
    pid = os.fork()
    if pid == 0:
        signal.alarm(CHILD_SECONDS)
        try:
            with serve() as server:
                os.write(sink, f"{server.port}\n".encode())
                signal.pause()
        finally:
            os._exit(1)
    os.close(sink)
    with os.fdopen(source) as lines:
        return pid, Address(int(lines.readline()))


@contextmanager
def served(tools: Toolset, **options: Any) -> Generator[Address]:
    """Serve tools until the block ends."""
    chosen = Options(**options)
    app = App(Catalogue(tools), chosen)
    listening = bind("127.0.0.1", 0)
    reached = threading.Event()
    server = make_server(app, chosen.limits, reached.set)
    # A daemon: one that starts too slowly fails its test, and must not keep the tests from ending.
    thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
    thread.start()
    try:
        assert reached.wait(20)
        yield Address(listening.getsockname()[1])
    finally:
        server.handle_exit(signal.SIGTERM, None)
        thread.join(30)
        assert not thread.is_alive()
