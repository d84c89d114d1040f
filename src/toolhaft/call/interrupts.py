"""Distinguish a Ctrl-C from an exception that a callback of the program raised."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Final

__all__ = ["CTRL_C_IS_A_SIGNAL", "CtrlC", "raise_interrupt"]

# A server and a batch hear Ctrl-C as a signal: a KeyboardInterrupt is then a callback's own, and
# would end them.
CTRL_C_IS_A_SIGNAL: Final = ContextVar("toolhaft_ctrl_c_is_a_signal", default=False)


class CtrlC(KeyboardInterrupt):
    """A Ctrl-C that was heard as a signal, and ends what runs."""


def raise_interrupt(error: BaseException) -> None:
    """Raise a Ctrl-C again, after a callback of the program raised; any other error is its own."""
    ctrl_c = CtrlC if CTRL_C_IS_A_SIGNAL.get() else KeyboardInterrupt
    if issubclass(type(error), ctrl_c):
        try:
            raise error
        finally:
            del error  # it knows this frame, and would be held by it
