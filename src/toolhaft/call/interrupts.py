"""Tell a Ctrl-C from what a callback of the program raised."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Final

__all__ = ["CTRL_C_IS_A_SIGNAL", "raise_interrupt"]

# A server hears Ctrl-C as a signal: a KeyboardInterrupt is then a handler's own, and would end it.
CTRL_C_IS_A_SIGNAL: Final = ContextVar("toolhaft_ctrl_c_is_a_signal", default=False)


def raise_interrupt(error: BaseException) -> None:
    """Raise a Ctrl-C again, after a callback of the program raised; any other error is its own."""
    if issubclass(type(error), KeyboardInterrupt) and not CTRL_C_IS_A_SIGNAL.get():
        try:
            raise error
        finally:
            del error  # it knows this frame, and would be held by it
