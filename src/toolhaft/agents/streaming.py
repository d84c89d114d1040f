"""The events of a stream, whichever client it comes from, and its end when a program leaves it."""

from __future__ import annotations

import asyncio
import inspect
from threading import Lock
from typing import Any, Final

__all__ = ["END", "Events", "events_of"]

END: Final = object()


class Events:
    """The events of an asynchronous stream; `END` comes after the last one."""

    def __init__(self, response: Any) -> None:
        self._response = response

    async def next(self) -> Any:
        """Return the next event."""
        return await anext(self._response, END)

    async def close(self) -> None:
        """Close the stream, so that its connection is free again."""
        close = getattr(self._response, "aclose", None) or getattr(self._response, "close", None)
        closing = None if close is None else close()
        if inspect.isawaitable(closing):
            await closing


class ThreadEvents(Events):
    """The events of a synchronous stream, which are read in threads.

    A thread that waits for an event cannot be stopped. If the stream is left meanwhile, the thread
    closes it when the event has come.
    """

    def __init__(self, response: Any) -> None:
        super().__init__(response)
        self._reading = Lock()
        self._is_left = False

    async def next(self) -> Any:
        return await asyncio.to_thread(self._read)

    async def close(self) -> None:
        self._is_left = True
        await asyncio.to_thread(self._close_unless_read)

    def _read(self) -> Any:
        try:
            with self._reading:
                return next(self._response, END)
        finally:
            if self._is_left:
                self._close_unless_read()

    def _close_unless_read(self) -> None:
        if not self._reading.acquire(blocking=False):
            return
        try:
            close = getattr(self._response, "close", None)
            if close is not None:
                close()
        finally:
            self._reading.release()


def events_of(response: Any, /) -> Events | None:
    """Return the events of a response that is a stream, or None if it is a whole response."""
    if hasattr(response, "__aiter__"):
        return Events(response)
    return ThreadEvents(response) if hasattr(response, "__next__") else None
