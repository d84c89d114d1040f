"""MCP over standard input and output, with a transport of our own.

The SDK's replaces bytes that are not UTF-8, lets duplicate keys pass, has no limit, and answers
nothing to a line that it cannot read. A signal or the end of its input cuts it off while calls run.
"""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from toolhaft.call import report
from toolhaft.call.interrupts import CTRL_C_IS_A_SIGNAL
from toolhaft.jsonio import jsontext
from toolhaft.serve.life import LifeFailed
from toolhaft.serve.limits import Limits
from toolhaft.serve.messages import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    PARSE_ERROR,
    BadMessage,
    read_message,
)
from toolhaft.serve.responses import STOPPED

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

    from toolhaft.serve.app import App

__all__ = ["serve_stdio"]

CHUNK: Final = 1 << 16
# Requests that are answered by a stream without an end.
ENDLESS: Final = frozenset({"subscriptions/listen"})


class Lines:
    """Splits input into lines; None stands for a line that is longer than the limit."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._pending = bytearray()
        self._skips = False

    def feed(self, chunk: bytes) -> list[bytes | None]:
        """Return the lines that end in a chunk."""
        lines: list[bytes | None] = []
        *ends, start = chunk.split(b"\n")
        for end in ends:
            lines.append(None if self._skips else self._bounded(end))
            self._pending.clear()
            self._skips = False
        if not self._skips:
            self._skips = self._bounded(start) is None
        return [line for line in lines if line is None or line.strip()]

    def unfinished(self) -> bytes | None:
        """Return the text after the last line end."""
        return None if self._skips else bytes(self._pending)

    def _bounded(self, part: bytes) -> bytes | None:
        if len(self._pending) + len(part) > self._limit:
            self._pending.clear()
            return None
        self._pending += part
        return bytes(self._pending)


class _Unanswered:
    """The requests that wait for an answer."""

    def __init__(self) -> None:
        self._ids: set[str | int] = set()
        self._none = asyncio.Event()
        self._none.set()

    def read(self, message: dict[str, Any]) -> None:
        """Note a message of the client."""
        method, is_request = message.get("method"), "id" in message
        if method == "notifications/cancelled" and not is_request:
            self.answered(message.get("params", {}).get("requestId"))
        elif method is not None and is_request and method not in ENDLESS:
            self._ids.add(_coerce(message["id"]))
            self._none.clear()

    def answered(self, id: Any) -> None:
        if type(id) in (str, int):  # a cancellation may have anything as its id
            self._ids.discard(_coerce(id))
        if not self._ids:
            self._none.set()

    def has(self, id: Any) -> bool:
        return type(id) in (str, int) and _coerce(id) in self._ids

    async def none_left(self) -> None:
        await self._none.wait()


def _coerce(id: str | int) -> str | int:
    """Return an id as the SDK compares it: to it "1" is 1."""
    from mcp.shared.dispatcher import coerce_request_id

    return coerce_request_id(id)


class _Transport:
    """Carries the messages of one client between two descriptors and a server."""

    def __init__(
        self, source: int, sink: int, limits: Limits, stop_waiting: Callable[[], None]
    ) -> None:
        self._source = source
        self._sink = sink
        self._limits = limits
        self._stop_waiting = stop_waiting
        self._loop = asyncio.get_running_loop()
        self._chunks = asyncio.Queue[bytes]()
        self._has_room = threading.Semaphore(1)
        self._stopped = asyncio.Event()
        self._unanswered = _Unanswered()
        self._writing = asyncio.Lock()
        self.interrupted = False

    async def run(self, server: Server[Any]) -> None:
        """Serve until the input ends or a signal comes, and every call has its answer."""
        import anyio

        self._listen_to_signals()
        threading.Thread(target=self._read_source, name="toolhaft-stdin", daemon=True).start()
        to_server, from_client = anyio.create_memory_object_stream[Any](0)
        to_client, from_server = anyio.create_memory_object_stream[Any](0)
        options = server.create_initialization_options()
        serving = asyncio.ensure_future(server.run(from_client, to_client, options))
        writing = asyncio.ensure_future(self._write_all(from_server))
        async with to_server:
            await self._read_all(to_server)
            self._stop_waiting()
            with suppress(TimeoutError):
                async with asyncio.timeout(self._limits.drain_seconds):
                    await self._unanswered.none_left()
        _, late = await asyncio.wait({serving, writing}, timeout=self._limits.write_seconds)
        if late:
            os._exit(1)  # the client reads nothing, and a thread that writes cannot be stopped
        await serving
        await writing

    def _listen_to_signals(self) -> None:
        for number in (signal.SIGTERM, signal.SIGINT):
            with suppress(NotImplementedError):
                self._loop.add_signal_handler(number, self._stop, number)

    def _stop(self, number: int) -> None:
        if self._stopped.is_set() and number == signal.SIGINT:
            os._exit(128 + number)  # a person asked twice: abandon what runs
        self.interrupted = number == signal.SIGINT
        self._stopped.set()

    def _read_source(self) -> None:
        """Read in a thread of its own, which blocks for as long as nothing comes."""
        with suppress(RuntimeError):  # the loop is closed by now
            with suppress(OSError):
                while chunk := os.read(self._source, CHUNK):
                    self._has_room.acquire()
                    self._loop.call_soon_threadsafe(self._chunks.put_nowait, chunk)
            self._loop.call_soon_threadsafe(self._chunks.put_nowait, b"")

    async def _next_chunk(self) -> bytes:
        """Return the next chunk; empty when the input ended or a signal came."""
        coming = asyncio.ensure_future(self._chunks.get())
        stopped = asyncio.ensure_future(self._stopped.wait())
        await asyncio.wait({coming, stopped}, return_when=asyncio.FIRST_COMPLETED)
        stopped.cancel()
        if coming.done():
            self._has_room.release()
            return coming.result()
        coming.cancel()
        return b""

    async def _read_all(self, to_server: Any) -> None:
        lines = Lines(self._limits.body_bytes)
        while not self._stopped.is_set() and (chunk := await self._next_chunk()):
            for line in lines.feed(chunk):
                await self._take(line, to_server)
        if line := lines.unfinished():
            await self._take(line, to_server)

    async def _take(self, line: bytes | None, to_server: Any) -> None:
        """Pass a message to the server, or answer a line that is none with an error."""
        from mcp.shared.message import SessionMessage
        from mcp.types import jsonrpc_message_adapter

        try:
            message = self._read(line)
        except BadMessage as fault:
            await self._write(jsontext.write(fault.answer()))
            return
        self._unanswered.read(message)
        parsed = jsonrpc_message_adapter.validate_python(message, by_name=False)
        await to_server.send(SessionMessage(parsed))

    def _read(self, line: bytes | None) -> dict[str, Any]:
        limit = self._limits.body_bytes
        if line is None:
            raise BadMessage(PARSE_ERROR, f"Parse error: a message longer than {limit:,} bytes")
        message = read_message(line, limit)
        if "method" in message and self._unanswered.has(message.get("id")):
            raise BadMessage(
                INVALID_REQUEST, "Invalid request: the id is one that waits for an answer"
            )
        return message

    async def _write_all(self, from_server: Any) -> None:
        async with from_server:
            async for item in from_server:
                message = item.message
                _explain_stop(message)
                await self._write(_to_json(message))
                if not hasattr(message, "method"):
                    self._unanswered.answered(message.id)

    async def _write(self, text: str) -> None:
        """Write one line; ignore that a client went away."""
        async with self._writing:
            with suppress(OSError):
                await asyncio.to_thread(_write_whole, self._sink, text.encode() + b"\n")


def _explain_stop(message: Any) -> None:
    """Replace the SDK's error for a call that it gave up at the end: the call may have acted."""
    from mcp.types import CONNECTION_CLOSED, JSONRPCError

    if isinstance(message, JSONRPCError) and message.error.code == CONNECTION_CLOSED:
        message.error.message = STOPPED.detail
        message.error.data = dict(STOPPED.members)


def _to_json(message: Any) -> str:
    """Write a message as JSON; one that JSON cannot hold becomes an error response."""
    try:
        return str(message.model_dump_json(by_alias=True, exclude_unset=True))
    except ValueError as error:
        error_id = report.log_part("the server", error)
        words = f"Internal error: the message is not JSON (id {error_id})"
        # A notification of the server is replaced by an error without an id.
        message_id = None if hasattr(message, "method") else message.id
        return jsontext.write(BadMessage(INTERNAL_ERROR, words, message_id).answer())


def _write_whole(sink: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(sink, view) :]


def serve_stdio(app: App, sink: int, limits: Limits) -> bool:
    """Serve the client at the other end of standard input; False where Ctrl-C ended it.

    `sink` is the real standard output. Handlers, and the programs they start, read nothing from
    the client: their standard input is empty.
    """

    async def serve(source: int) -> bool:
        CTRL_C_IS_A_SIGNAL.set(True)
        transport = _Transport(source, sink, limits, app.stop_waiting)
        try:
            async with app.living():
                await transport.run(app.server)
        except LifeFailed:
            app.failed = True
        return not transport.interrupted

    source, empty = os.dup(0), os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    return asyncio.run(serve(source))
