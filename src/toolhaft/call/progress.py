"""Progress: a handler's `Report` notifies the listener of this context."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager
from contextvars import ContextVar
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from toolhaft.definition.markers import Report

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, Queue

__all__ = ["AsyncListener", "Listener", "Progress", "report_also_to", "report_of", "report_to"]
__all__ += ["report_to_async"]


class Progress(NamedTuple):
    """One report of a running handler.

    Attributes:
        tool: The name of the tool.
        done: How much is done.
        total: How much there is to do, if the handler reports it.
        message: A short text for people.
    """

    tool: str
    done: float
    total: float | None = None
    message: str | None = None


Listener: TypeAlias = Callable[[Progress], Any]
AsyncListener: TypeAlias = Callable[[Progress], Awaitable[Any]]
_listener: ContextVar[Listener | None] = ContextVar("toolhaft_progress", default=None)


@contextmanager
def report_to(listener: Listener, /) -> Generator[None]:
    """Call a listener for each report of the calls that begin inside the block.

    The listener runs in the handler's thread. If it raises, the error is logged and the handler
    continues.

    Args:
        listener: A function of a `Progress`.

    >>> from toolhaft import Report, tool
    >>> @tool
    ... def copy(files: list[str], report: Report) -> int:
    ...     "Copy files."
    ...     for number, name in enumerate(files, 1):
    ...         report(number, len(files), name)
    ...     return len(files)
    >>> with report_to(print):
    ...     copy.call_sync({"files": ["a"]}).value
    Progress(tool='copy', done=1, total=1, message='a')
    1
    """
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


@asynccontextmanager
async def report_to_async(listener: AsyncListener, /) -> AsyncGenerator[None]:
    """Like `report_to`, for an async listener.

    The listener runs on the current event loop, for one report at a time and in their order, before
    the block ends.

    Args:
        listener: An async function of a `Progress`.
    """
    import asyncio

    loop, queue = asyncio.get_running_loop(), asyncio.Queue[Progress | None]()
    telling = asyncio.ensure_future(_tell_each(listener, queue))
    try:
        with report_to(partial(_put, loop, queue)):
            yield
    finally:
        _put(loop, queue, None)
        await telling


def _put(loop: AbstractEventLoop, queue: Queue[Progress | None], progress: Progress | None) -> None:
    loop.call_soon_threadsafe(queue.put_nowait, progress)


async def _tell_each(listener: AsyncListener, queue: Queue[Progress | None]) -> None:
    while (progress := await queue.get()) is not None:
        try:
            await listener(progress)
        except Exception as error:  # noqa: BLE001  the program's own function, no part of the call
            _log(error)


def report_also_to(listener: Listener, /) -> AbstractContextManager[None]:
    """Like `report_to`, while the listener around the block is still notified."""
    outer = _listener.get()
    if outer is None:
        return report_to(listener)

    def tell_both(progress: Progress) -> None:
        listener(progress)
        outer(progress)

    return report_to(tell_both)


def report_of(tool: str) -> Report:
    """Return the `Report` of one run: it does nothing without a listener."""
    listener = _listener.get()
    return Report() if listener is None else Report(partial(_tell, listener, tool))


def _tell(listener: Listener, tool: str, *progress: Any) -> None:
    try:
        listener(Progress(tool, *progress))
    except BaseException as error:  # noqa: BLE001  the program's own function, no part of the call
        _log(error)


def _log(error: BaseException) -> None:
    from toolhaft.call import report
    from toolhaft.call.interrupts import raise_interrupt

    raise_interrupt(error)
    report.log_part("a listener of progress", error)
