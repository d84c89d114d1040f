"""Tell a Ctrl-C from what a callback of the program raised."""

from __future__ import annotations

__all__ = ["raise_interrupt"]


def raise_interrupt(error: BaseException) -> None:
    """Raise a Ctrl-C again, after a callback of the program raised; any other error is its own."""
    if issubclass(type(error), KeyboardInterrupt):
        try:
            raise error
        finally:
            del error  # it knows this frame, and would be held by it
