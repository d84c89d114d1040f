"""The connection of a client: cancel a handler when it closes, keep it open for a late answer.

Proxies close a connection on which nothing comes for a minute or so. A stream for each call, as the
SDK would open, costs a quarter of the call; so one begins only when there is something to keep.
"""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Any, Final, Self

from toolhaft.serve.responses import Receive, Send

__all__ = ["CLIENT_GONE", "KeptAlive", "WhileConnected"]

# Most calls end sooner, and cost no task that watches their connection.
PATIENCE_SECONDS: Final = 0.05
CLIENT_GONE: Final = 499  # nginx's status, for the log
SILENT_SECONDS: Final = 15.0  # as in the SDK's streams
# The same headers as in the SDK's streams: no proxy may buffer the response.
HEADERS: Final = (
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-cache, no-transform"),
    (b"connection", b"keep-alive"),
    (b"x-accel-buffering", b"no"),
)
COMMENT: Final = {"type": "http.response.body", "body": b": ping\r\n\r\n", "more_body": True}
EVENT: Final = b"event: message\r\ndata: %b\r\n\r\n"


class WhileConnected:
    """Cancels the block when the client closes its connection, and ends it without an exception.

    A call that is kept under an idempotency key goes on: its client reads the answer later.
    """

    __slots__ = ("_is_kept", "_receive", "_task", "_timer", "_watching", "is_gone")

    def __init__(self, receive: Receive, *, is_kept: bool) -> None:
        self._receive = receive
        self._is_kept = is_kept
        self._task: asyncio.Task[object] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._watching: asyncio.Task[None] | None = None
        self.is_gone = False

    async def __aenter__(self) -> Self:
        if not self._is_kept:
            self._task = asyncio.current_task()
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(PATIENCE_SECONDS, self._begin)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> bool:
        if self._timer is not None:
            self._timer.cancel()
        if self._watching is not None:
            self._watching.cancel()
        was_cancelled = kind is not None and issubclass(kind, asyncio.CancelledError)
        return (
            was_cancelled and self.is_gone and self._task is not None and not self._task.uncancel()
        )

    def _begin(self) -> None:
        self._watching = asyncio.get_running_loop().create_task(self._watch())

    async def _watch(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass
        self.is_gone = True
        if self._task is not None:
            self._task.cancel()


class KeptAlive:
    """The `send` of one JSON answer, which is the only event of a stream if it comes late."""

    __slots__ = ("_answers", "_is_stream", "_lock", "_pinging", "_send", "_timer")

    def __init__(self, send: Send) -> None:
        self._send = send
        self._answers = self._is_stream = False
        self._lock: asyncio.Lock
        self._pinging: asyncio.Task[None] | None = None
        self._timer: asyncio.TimerHandle

    async def __aenter__(self) -> Self:
        self._timer = asyncio.get_running_loop().call_later(SILENT_SECONDS, self._begin)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._timer.cancel()
        if self._pinging is not None:
            self._pinging.cancel()

    async def __call__(self, message: Any) -> None:
        self._answers = True
        if not self._is_stream:
            await self._send(message)
        elif message["type"] == "http.response.body":  # the head is the stream's
            async with self._lock:
                await self._send({**message, "body": EVENT % message["body"]})

    def _begin(self) -> None:
        self._lock = asyncio.Lock()
        self._pinging = asyncio.get_running_loop().create_task(self._ping())

    async def _ping(self) -> None:
        message: dict[str, Any] = {"type": "http.response.start", "status": 200, "headers": HEADERS}
        while not self._answers:
            self._is_stream = True
            async with self._lock:
                await self._send(message)
            if message is COMMENT:
                await asyncio.sleep(SILENT_SECONDS)
            message = COMMENT
