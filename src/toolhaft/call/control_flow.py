"""Let a framework's control flow out of a call: exceptions by which a handler steers its runner.

A framework that runs tools has exceptions that are not failures: a graph that stops for a person's
answer, a request that the model try again. Within `passing`, they leave a call as the handler
raised them, also out of tools that its handler calls; other exceptions are outcomes, as ever.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final

__all__ = ["passing", "raise_control_flow"]

KINDS: Final[ContextVar[tuple[type[BaseException], ...]]] = ContextVar(
    "toolhaft_control_flow", default=()
)


@contextmanager
def passing(kinds: tuple[type[BaseException], ...]) -> Generator[None]:
    """Let exceptions of these kinds pass out of the calls that are made in the block.

    >>> from toolhaft import tool
    >>> class Stop(Exception):
    ...     pass
    >>> @tool
    ... def stop() -> None:
    ...     "Stop the run."
    ...     raise Stop
    >>> try:
    ...     with passing((Stop,)):
    ...         stop.call_sync()
    ... except Stop:
    ...     print("stopped")
    stopped
    """
    token = KINDS.set(kinds)
    try:
        yield
    finally:
        KINDS.reset(token)


def raise_control_flow(error: Any) -> None:
    """Raise a host's control flow again; the type is read, as a class may override `__class__`."""
    if not issubclass(type(error), KINDS.get()):
        return
    try:
        raise error
    finally:
        del error  # it knows this frame, and would be held by it
