"""Ctrl-C and SIGTERM as a request to stop between two items of work: finished work stays whole."""

from __future__ import annotations

import signal
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread
from typing import Any, TypeVar

from toolhaft.call.interrupts import CTRL_C_IS_A_SIGNAL, CtrlC

__all__ = ["INTERRUPTED", "Interrupts", "catch_interrupts"]

INTERRUPTED = 130  # 128 and the number of SIGINT, as shells say it

T = TypeVar("T")


class Interrupts:
    """The signal that asked to stop, 0 if none did: `seen`."""

    def __init__(self) -> None:
        self.seen = 0
        self._waiting = False
        self._listener: Callable[[int, Any], object] | None = None

    def stop_between(self, items: Iterator[T]) -> Iterator[T]:
        """Yield items until Ctrl-C; it ends the wait for an item, and never the use of one."""
        try:
            while not self.seen:
                self._waiting = True
                item = next(items)
                self._waiting = False
                yield item
        except (StopIteration, CtrlC):
            return
        finally:
            self._waiting = False

    @contextmanager
    def ending(self) -> Generator[None]:
        """End the block at a signal, unless something else listens to it."""
        self._waiting = True
        try:
            yield
        except CtrlC:
            pass
        finally:
            self._waiting = False

    def pass_on(self, listener: Callable[[int, Any], object]) -> None:
        """Let another handler of signals listen, which is called at once if there was one."""
        self._listener = listener
        if self.seen:
            listener(self.seen, None)

    def note(self, number: int, frame: object) -> None:
        """Note the signal, and end a wait."""
        self.seen = number
        if self._listener is not None:
            self._listener(number, frame)
        elif self._waiting:
            raise CtrlC


@contextmanager
def catch_interrupts() -> Generator[Interrupts]:
    """Take Ctrl-C and SIGTERM as such a request; ignored or handled signals stay as they are."""
    interrupts = Interrupts()
    former: dict[int, Any] = {}
    if current_thread() is main_thread():
        former = {
            number: handler
            for number in (signal.SIGINT, signal.SIGTERM)
            if (handler := signal.getsignal(number)) in (signal.default_int_handler, signal.SIG_DFL)
        }
    for number in former:
        signal.signal(number, interrupts.note)
    is_a_signal = CTRL_C_IS_A_SIGNAL.set(True)
    try:
        yield interrupts
    finally:
        CTRL_C_IS_A_SIGNAL.reset(is_a_signal)
        for number, handler in former.items():
            signal.signal(number, handler)
