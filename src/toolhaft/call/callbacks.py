"""Ask the program's own callbacks, sync or async, with or without an event loop."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, NamedTuple, TypeVar, cast

__all__ = [
    "CallbackAnswer",
    "ask_callback",
    "await_answer",
    "give",
    "has_running_loop",
    "run_without_loop",
    "settle_answer",
    "to_no_answer",
]

T = TypeVar("T")


class CallbackAnswer(NamedTuple):
    """The answer of a program's callback, or None and an id in the log if it raised."""

    value: Any
    error_id: str | None = None


async def ask_callback(
    tool: str, callback: Callable[..., Any], *arguments: Any, has_loop: bool
) -> CallbackAnswer:
    """Call a callback, sync or async; an exception is logged and counts as no answer."""
    try:
        answer = callback(*arguments)
    except BaseException as error:  # noqa: BLE001  the program's own function
        return to_no_answer(tool, error)
    if answer is True or answer is False:
        return CallbackAnswer(answer)
    return await settle_answer(tool, answer, has_loop=has_loop)


async def settle_answer(tool: str, answer: Any, *, has_loop: bool) -> CallbackAnswer:
    """Await an answer, if it is to be awaited."""
    if type(answer) is CallbackAnswer:
        return answer
    try:
        if hasattr(answer, "__await__"):
            answer = await await_answer(answer, has_loop=has_loop)
    except BaseException as error:  # noqa: BLE001  the program's own function
        return to_no_answer(tool, error)
    return CallbackAnswer(answer)


def to_no_answer(tool: str, error: BaseException) -> CallbackAnswer:
    """Log the exception of a callback; an interrupt and a cancellation are raised again."""
    from toolhaft.call import report, workers
    from toolhaft.call.interrupts import raise_interrupt

    try:
        raise_interrupt(error)
        if workers.is_stopping(error):
            raise error
        return CallbackAnswer(None, report.log_permission(tool, error))
    finally:
        del error  # it knows this frame, and would be held by it


def run_without_loop(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine that never waits to its end, here and now."""
    try:
        coroutine.send(None)
    except StopIteration as stop:
        value: T = stop.value
        return value
    coroutine.close()
    raise RuntimeError("a coroutine waited where no loop runs")


def has_running_loop() -> bool:
    """Return whether code here can await: a program that never loaded asyncio has no loop."""
    asyncio = sys.modules.get("asyncio")
    return asyncio is not None and asyncio._get_running_loop() is not None  # noqa: SLF001


async def give(value: T) -> T:
    """Return a value, to code that awaits it."""
    return value


async def await_answer(answer: Awaitable[T], *, has_loop: bool) -> T:
    """Await the answer of a program's function: here, or on the library's own loop."""
    from toolhaft.call import workers

    if has_loop:
        return await answer
    return cast("T", workers.run_in_loop(_as_coroutine(answer)))


async def _as_coroutine(answer: Awaitable[T]) -> T:
    return await answer
