"""Answers of MCP that take long: a stream whose comments keep the connection open meanwhile.

Proxies close a connection on which nothing comes for a minute or so. A stream for each call, as the
SDK would open, costs a quarter of the call; so one begins only when there is something to keep.
"""

from __future__ import annotations

import asyncio
from typing import Any, Final, Self

from toolhaft.serve.respond import Send

__all__ = ["KeptAlive"]

SILENT_SECONDS: Final = 15.0  # as in the SDK's streams
# Those of the SDK's streams: no proxy may collect what is sent.
HEADERS: Final = (
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-cache, no-transform"),
    (b"connection", b"keep-alive"),
    (b"x-accel-buffering", b"no"),
)
COMMENT: Final = {"type": "http.response.body", "body": b": ping\r\n\r\n", "more_body": True}
EVENT: Final = b"event: message\r\ndata: %b\r\n\r\n"


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
