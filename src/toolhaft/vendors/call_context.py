"""The context of the call whose arguments are being read: for hidden values that are made of it."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final

__all__ = ["CONTEXT", "call_context"]

CONTEXT: Final[ContextVar[Any]] = ContextVar("toolhaft_call_context", default=None)


@contextmanager
def call_context(context: Any) -> Generator[None]:
    """Pass the context of a call to the factories that run inside the block."""
    token = CONTEXT.set(context)
    try:
        yield
    finally:
        CONTEXT.reset(token)
