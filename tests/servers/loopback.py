"""A server on 127.0.0.1 that plays a script over a provider's real wire, streaming or not.

It keeps every request that it was sent, and answers 400 to one that the provider would refuse.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from types import TracebackType
from typing import Any, NamedTuple, Self

from tests.servers.script import Refused, Turn

__all__ = ["Loopback", "Request", "Wire"]

Body = dict[str, Any]


class Request(NamedTuple):
    """A request as the server got it."""

    path: str
    headers: Mapping[str, str]
    body: Body


class Wire(ABC):
    """One provider's API: its rejections, and how it writes a turn.

    `said` has the turns of the model so far, in the wire's terms.
    """

    def __init__(self) -> None:
        self.said: list[Any] = []

    @abstractmethod
    def check(self, request: Request) -> None:
        """Refuse what the real server would refuse."""

    @abstractmethod
    def streams(self, request: Request) -> bool:
        """Whether the client asked for events."""

    @abstractmethod
    def response(self, turn: Turn) -> Body:
        """Write a turn as one response, and remember it."""

    @abstractmethod
    def events(self, response: Body) -> Iterator[tuple[str | None, Body]]:
        """Write the same response as named events."""

    @abstractmethod
    def error(self, reason: str) -> Body:
        """Write a refusal."""

    end = b""


class Loopback:
    """The server of one wire, in a thread; `requests` and `refusals` say what happened."""

    def __init__(self, wire: Wire, turns: Iterable[Turn]) -> None:
        self.wire = wire
        self.turns = list(turns)
        self.requests: list[Request] = []
        self.refusals: list[str] = []
        self.http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.http.daemon_threads = True

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.http.server_port}"

    def __enter__(self) -> Self:
        Thread(target=self.http.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.http.shutdown()
        self.http.server_close()

    def answer(self, request: Request) -> tuple[int, Body, bool]:
        """Return the status, the body, and whether it is cut off in the middle."""
        self.requests.append(request)
        try:
            self.wire.check(request)
            turn = self._next()
        except Refused as refusal:
            self.refusals.append(str(refusal))
            return 400, self.wire.error(str(refusal)), False
        return 200, self.wire.response(turn), turn.cut

    def _next(self) -> Turn:
        if not self.turns:
            raise Refused("the script has no further turn")
        return self.turns.pop(0)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        loopback = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                sent = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                headers = {name.lower(): value for name, value in self.headers.items()}
                request = Request(self.path, headers, sent)
                status, body, cut = loopback.answer(request)
                if status == 200 and loopback.wire.streams(request):
                    self.write(200, "text/event-stream", loopback.streamed(body, cut=cut))
                else:
                    self.write(status, "application/json", json.dumps(body).encode())

            def write(self, status: int, kind: str, content: bytes) -> None:
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, format: str, *args: Any) -> None:
                """Log nothing."""

        return Handler

    def streamed(self, body: Body, *, cut: bool) -> bytes:
        """Write events as server-sent ones."""
        events = list(self.wire.events(body))
        if cut:
            return b"".join(map(_event, events[: len(events) // 2]))
        return b"".join(map(_event, events)) + self.wire.end


def _event(event: tuple[str | None, Body]) -> bytes:
    name, data = event
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(data)}\n\n".encode()
