"""The events of an asynchronous generator for a program without a loop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator
from functools import wraps
from typing import ParamSpec, TypeVar

from toolhaft.call.workers import run_in_loop

__all__ = ["without_loop"]

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
