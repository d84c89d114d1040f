"""HTTP/1.1 with deadlines for heads and readers, for which uvicorn waits without an end.

A connection that is one too many is refused as it is made.
"""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar, Final

from toolhaft.serve.extra import describe_lack
from toolhaft.serve.limits import LIMITS, Limits

try:
    from uvicorn.protocols.http.h11_impl import H11Protocol
except ModuleNotFoundError:
    raise ImportError(f"toolhaft.serve: {describe_lack(('uvicorn',))}") from None

__all__ = ["DeadlineProtocol"]

LENGTH: Final = b"\r\ncontent-length: "
PROBLEM: Final = (
    b"HTTP/1.1 %d %s\r\nconnection: close\r\ncontent-type: application/problem+json\r\n"
    b"content-length: %d\r\n\r\n%s"
)


class Joined:
    """A transport that sends the head of a whole response together with its body.

    uvicorn writes them apart. The head of a stream has no length, and does not wait.
    """

    def __init__(self, transport: Any) -> None:
        self._transport = transport
        self._head = b""
        self.get_extra_info = transport.get_extra_info
        self.is_closing = transport.is_closing
        self.pause_reading = transport.pause_reading
        self.resume_reading = transport.resume_reading
        self.abort = transport.abort

    def write(self, data: bytes) -> None:
        if not self._head and data.startswith(b"HTTP/1.1 ") and LENGTH in data.lower():
            self._head = data
            return
        whole, self._head = self._head + data, b""
        self._transport.write(whole)

    def close(self) -> None:
        self.write(b"")
        self._transport.close()


class DeadlineProtocol(H11Protocol):
    """One connection; a subclass has the limits of its server."""

    limits: ClassVar[Limits] = LIMITS
    _head_timer: asyncio.TimerHandle | None = None
    _write_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        if len(self.connections) >= self.limits.connections:
            transport.write(_problem(503, b"Service Unavailable", b"too many connections"))
            transport.set_protocol(asyncio.Protocol())
            transport.close()
            return
        # Joined has the methods that uvicorn uses.
        super().connection_made(Joined(transport))  # type: ignore[arg-type]
        self._await_head()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._awaits_head:  # most heads come whole, and cost no timer
            self._await_head()
        elif self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    @property
    def _awaits_head(self) -> bool:
        cycle: Any = self.cycle  # None before the first request, whatever uvicorn declares
        return cycle is None or cycle.response_complete

    def _await_head(self) -> None:
        if self._head_timer is None:
            self._head_timer = self.loop.call_later(self.limits.header_seconds, self._end_late)

    def _end_late(self) -> None:
        """Close a connection whose next head did not arrive in time."""
        self._head_timer = None
        if not self.transport.is_closing():
            self.transport.write(_problem(408, b"Request Timeout", b"the head took too long"))
            self.transport.close()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._write_timer = self.loop.call_later(self.limits.write_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._cancel_write_timer()

    def _cancel_write_timer(self) -> None:
        if self._write_timer is not None:
            self._write_timer.cancel()
            self._write_timer = None

    def connection_lost(self, exc: Exception | None) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
        self._cancel_write_timer()
        super().connection_lost(exc)


def _problem(status: int, title: bytes, detail: bytes) -> bytes:
    body = b'{"title":"%s","status":%d,"detail":"%s"}' % (title, status, detail)
    return PROBLEM % (status, title, len(body), body)
