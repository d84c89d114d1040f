"""A coroutine that has begun: it may be over without ever waiting."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Generator
from functools import partial
from typing import Any, Generic, TypeVar

__all__ = ["Begun"]

T = TypeVar("T")


class Begun(Generic[T]):
    """Runs a coroutine as far as it goes without waiting; await it for the rest.

    >>> async def answer() -> int:
    ...     return 42
    >>> begun = Begun(answer())
    >>> begun.is_done, begun.result
    (True, 42)
    """

    __slots__ = ("_awaited", "_coroutine", "is_done", "result")

    def __init__(self, coroutine: Coroutine[Any, Any, T]) -> None:
        self._coroutine = coroutine
        self.is_done = False
        self.result: T
        self._step(partial(coroutine.send, None))

    def _step(self, step: Callable[[], Any]) -> None:
        try:
            self._awaited = step()
        except StopIteration as done:
            self.is_done, self.result = True, done.value

    def __await__(self) -> Generator[Any, Any, T]:
        """Wait for what the coroutine waits for, and run the rest of it."""
        while not self.is_done:
            try:
                sent = yield self._awaited
            except BaseException as error:  # noqa: BLE001  a cancellation, which the coroutine gets
                self._step(partial(self._coroutine.throw, error))
            else:
                self._step(partial(self._coroutine.send, sent))
        return self.result
