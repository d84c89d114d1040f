"""Events of a conversation: from a stream, from handlers, and for a program without a loop."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator
from functools import wraps
from threading import Lock
from typing import Any, Final, ParamSpec, TypeAlias, TypeVar

from toolhaft.agents.events import Reported
from toolhaft.call.progress import Progress, report_also_to
from toolhaft.call.workers import run_in_loop
from toolhaft.toolset.answers import Answer

__all__ = ["END", "events_of", "start_answer", "without_loop", "yield_reports"]

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


Reports: TypeAlias = "asyncio.Queue[Reported | None]"


def start_answer(
    answering: Coroutine[Any, Any, Answer],
) -> tuple[asyncio.Task[Answer], Reports]:
    """Begin to answer a turn; return it with the queue of what its handlers report."""
    loop, reports = asyncio.get_running_loop(), asyncio.Queue[Reported | None]()

    def tell(progress: Progress) -> None:
        loop.call_soon_threadsafe(reports.put_nowait, Reported(progress))

    with report_also_to(tell):
        answer = asyncio.ensure_future(answering)
    # After all earlier reports: both go through the loop.
    answer.add_done_callback(lambda _: loop.call_soon(reports.put_nowait, None))
    return answer, reports


async def yield_reports(
    answering: asyncio.Task[Answer], reports: Reports
) -> AsyncGenerator[Reported]:
    """Yield what handlers report until the turn is answered; end them where nobody listens."""
    try:
        while (event := await reports.get()) is not None:
            yield event
    finally:
        if not answering.done():
            answering.cancel()
            await asyncio.wait({answering})


P = ParamSpec("P")
T = TypeVar("T")


def without_loop(events_of: Callable[P, AsyncGenerator[T]], /) -> Callable[P, Iterator[T]]:
    """Return the same generator without a loop, which runs on the library's own."""

    @wraps(events_of)
    def stepped(*args: P.args, **options: P.kwargs) -> Iterator[T]:
        # A step that a Ctrl-C ends takes a moment to end: the next one waits for it.
        events, lock = events_of(*args, **options), asyncio.Lock()
        try:
            while (event := run_in_loop(_next(events, lock))) is not None:
                yield event
        finally:
            run_in_loop(_close(events, lock))

    return stepped


async def _next(events: AsyncGenerator[T], lock: asyncio.Lock) -> T | None:
    async with lock:
        return await anext(events, None)


async def _close(events: AsyncGenerator[T], lock: asyncio.Lock) -> None:
    async with lock:
        await events.aclose()
