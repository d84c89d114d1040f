"""Cancel a handler whose client has gone away."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Final, Self

from toolhaft.serve.respond import Receive

__all__ = ["CLIENT_GONE", "WhileConnected"]

# Most calls end sooner, and cost no task that watches their connection.
PATIENCE_SECONDS: Final = 0.05
CLIENT_GONE: Final = 499  # nginx's status, for the log


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
