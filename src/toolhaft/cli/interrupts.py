"""Ctrl-C as a request to stop between two items of work, so that what is done stays whole."""

from __future__ import annotations

import signal
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread
from typing import TypeVar

__all__ = ["INTERRUPTED", "Interrupts", "catch_interrupts"]

INTERRUPTED = 130  # 128 and the number of SIGINT, as shells say it

T = TypeVar("T")


class Interrupts:
    """Whether Ctrl-C was pressed: `seen`."""

    def __init__(self) -> None:
        self.seen = False
        self._waiting = False

    def stop_between(self, items: Iterator[T]) -> Iterator[T]:
        """Give items until Ctrl-C; it ends the wait for one, and never the use of one."""
        try:
            while not self.seen:
                self._waiting = True
                item = next(items)
                self._waiting = False
                yield item
        except (StopIteration, KeyboardInterrupt):
            return
        finally:
            self._waiting = False

    def note(self, *_: object) -> None:
        """Note the signal, and end a wait."""
        self.seen = True
        if self._waiting:
            raise KeyboardInterrupt


@contextmanager
def catch_interrupts() -> Generator[Interrupts]:
    """Take Ctrl-C as such a request; where it is ignored, or elsewhere handled, leave it so."""
    interrupts = Interrupts()
    former = signal.getsignal(signal.SIGINT)
    if former is not signal.default_int_handler or current_thread() is not main_thread():
        yield interrupts
        return
    signal.signal(signal.SIGINT, interrupts.note)
    try:
        yield interrupts
    finally:
        signal.signal(signal.SIGINT, former)
