"""Limits: how many runs there may be at a time, counted over all loops and threads.

Whoever comes when a limit is reached stands in line. A place is given back when the handler has
really ended: one that outlives its deadline keeps it until then.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from concurrent.futures import Future

__all__ = ["Limit", "Turn"]


class Limit:
    """At most `size` at a time, first come, first served."""

    __slots__ = ("_lock", "free", "line")

    def __init__(self, size: int) -> None:
        self.free: int = size
        self._lock = Lock()
        self.line: dict[Future[None], None] = {}

    def enter(self) -> Future[None]:
        """Take a place: a future that is done when its turn has come, at once if one is free."""
        from concurrent.futures import Future

        place = Future[None]()
        with self._lock:
            if self.free:
                self.free -= 1
                place.set_result(None)
            else:
                self.line[place] = None
        return place

    def leave(self, place: Future[None]) -> None:
        """Give a place up, in line or at its turn, which then is the next one's."""
        with self._lock:
            if place in self.line:
                del self.line[place]
                return
            following = next(iter(self.line), None)
            if following is None:
                self.free += 1
                return
            del self.line[following]
        following.set_result(None)


# A handler that calls tools has its turn already: its calls would wait for it for ever.
HELD: ContextVar[tuple[Limit, ...]] = ContextVar("toolhaft_held", default=())


class Turn:
    """One call's turn at several limits; waiting for it is part of the call's time."""

    __slots__ = ("_kept", "_places", "_until", "_wanted")

    def __init__(self, limits: Iterable[Limit], timeout: float | None) -> None:
        self._wanted = [one for one in limits if one not in HELD.get()]
        self._places: list[tuple[Limit, Future[None]]] = []
        self._until = None if timeout is None else monotonic() + timeout
        self._kept = False

    @property
    def left(self) -> float | None:
        """The seconds that are left of the call's time; None where it has no end."""
        return None if self._until is None else max(self._until - monotonic(), 0.0)

    async def come(self) -> bool:
        """Wait; False where time ran out first."""
        import asyncio

        for place in self._entered():
            await asyncio.wait({asyncio.wrap_future(place)}, timeout=self.left)
            if not place.done():
                return False
        return True

    def come_sync(self) -> bool:
        """Do as `come` does, without a loop."""
        from concurrent.futures import wait

        for place in self._entered():
            wait([place], self.left)
            if not place.done():
                return False
        return True

    def _entered(self) -> Iterator[Future[None]]:
        """Stand in line after line, and give the places that are not free at once."""
        for limit in self._wanted:
            place = limit.enter()
            self._places.append((limit, place))
            if not place.done():
                yield place

    @contextmanager
    def taken(self) -> Generator[None]:
        """Let what runs within know of the turn, and end it after that, unless it is kept."""
        token = HELD.set((*HELD.get(), *self._wanted))
        try:
            yield
        finally:
            HELD.reset(token)
            if not self._kept:
                self.end()

    def keep(self, handler: Any) -> None:
        """Keep the turn until the handler ends, given as the future or task that it is."""
        self._kept = True
        handler.add_done_callback(self.end)

    def end(self, _: object = None) -> None:
        """Give every place up."""
        while self._places:
            limit, place = self._places.pop()
            limit.leave(place)
