"""Limits: how many handlers may run at a time, counted over all loops and threads.

When a limit is reached, calls wait in a queue. A place is released when the handler has really
ended: one that outlives its deadline keeps it until then.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Any

from toolhaft.call.after_fork import renew_after_fork

if TYPE_CHECKING:
    from concurrent.futures import Future

__all__ = ["Limit", "Turn"]


# The limits that the running handler holds: its own calls would wait for them for ever.
HELD_LIMITS: ContextVar[tuple[Limit, ...]] = ContextVar("toolhaft_held", default=())


class Limit:
    """At most `size` runs at a time, first come, first served."""

    __slots__ = ("__weakref__", "_lock", "free", "queue", "size")

    def __init__(self, size: int) -> None:
        self.size = size
        self.renew()
        renew_after_fork(self)

    def renew(self) -> None:
        """Free every place but that of the handler that runs here, as in a process it forked."""
        self._lock = Lock()
        self.free: int = self.size - HELD_LIMITS.get().count(self)
        self.queue: dict[Future[None], None] = {}

    def acquire(self) -> Future[None]:
        """Take a place, or queue for one; the future is done when the place is free."""
        from concurrent.futures import Future

        place = Future[None]()
        with self._lock:
            if self.free:
                self.free -= 1
                place.set_result(None)
            else:
                self.queue[place] = None
        return place

    def release(self, place: Future[None]) -> None:
        """Give up a place, queued or taken; a taken one goes to the next in the queue."""
        with self._lock:
            if place in self.queue:
                del self.queue[place]
                return
            next_place = next(iter(self.queue), None)
            if next_place is None:
                self.free += 1
                return
            del self.queue[next_place]
        next_place.set_result(None)


class Turn:
    """One call's places at several limits; waiting for them is part of the call's time."""

    __slots__ = ("_deadline", "_is_kept", "_limits", "_places")

    def __init__(self, limits: Iterable[Limit], timeout: float | None) -> None:
        self._limits = [limit for limit in limits if limit not in HELD_LIMITS.get()]
        self._places: list[tuple[Limit, Future[None]]] = []
        self._deadline = None if timeout is None else monotonic() + timeout
        self._is_kept = False

    @property
    def seconds_left(self) -> float | None:
        """The seconds that are left of the call's time; None where there is no timeout."""
        return None if self._deadline is None else max(self._deadline - monotonic(), 0.0)

    async def wait(self) -> bool:
        """Wait for a place at every limit; False where time ran out first."""
        import asyncio

        for place in self._acquire_places():
            await asyncio.wait({asyncio.wrap_future(place)}, timeout=self.seconds_left)
            if not place.done():
                return False
        return True

    def wait_sync(self) -> bool:
        """Do as `wait` does, without a loop."""
        from concurrent.futures import wait

        for place in self._acquire_places():
            wait([place], self.seconds_left)
            if not place.done():
                return False
        return True

    def _acquire_places(self) -> Iterator[Future[None]]:
        """Queue at one limit after another, and give the places that are not free at once."""
        for limit in self._limits:
            place = limit.acquire()
            self._places.append((limit, place))
            if not place.done():
                yield place

    @contextmanager
    def hold(self) -> Generator[None]:
        """Mark the limits as held inside the block; release them after it, unless they are kept."""
        token = HELD_LIMITS.set((*HELD_LIMITS.get(), *self._limits))
        try:
            yield
        finally:
            HELD_LIMITS.reset(token)
            if not self._is_kept:
                self.release()

    def keep_until_done(self, handler: Any) -> None:
        """Keep the places until the handler's future or task is done."""
        self._is_kept = True
        handler.add_done_callback(self.release)

    def release(self, _: object = None) -> None:
        """Release every place."""
        while self._places:
            limit, place = self._places.pop()
            limit.release(place)
