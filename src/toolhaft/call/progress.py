"""Progress: what a handler's `Report` says, told to who listens in this context."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import Any, NamedTuple, TypeAlias

from toolhaft.definition.markers import Report

__all__ = ["Listener", "Progress", "report_of", "report_to"]


class Progress(NamedTuple):
    """How far a handler says that it has come: how much of what total, and in what words."""

    tool: str
    done: float
    total: float | None = None
    message: str | None = None


Listener: TypeAlias = Callable[[Progress], Any]
_listener: ContextVar[Listener | None] = ContextVar("toolhaft_progress", default=None)


@contextmanager
def report_to(listener: Listener, /) -> Generator[None]:
    """Have progress told to a listener, of all calls that begin inside: for a server or a host.

    It is called in the handler's thread. What it raises is logged, and the handler goes on.

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


def report_of(tool: str) -> Report:
    """Give the `Report` of one run: it does nothing where nobody listens."""
    listener = _listener.get()
    return Report() if listener is None else Report(partial(_tell, listener, tool))


def _tell(listener: Listener, tool: str, *progress: Any) -> None:
    try:
        listener(Progress(tool, *progress))
    except BaseException as error:  # noqa: BLE001  the program's own function, no part of the call
        from toolhaft.call import report
        from toolhaft.call.callbacks import raise_interrupt

        raise_interrupt(error)
        report.log_observer("progress", error)
