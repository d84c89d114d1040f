"""Limits: how many handlers may run at a time, counted over all loops and threads.

When a limit is reached, calls wait in a queue. A place is released when the handler has really
ended: one that outlives its deadline keeps it until then. Handlers that call tools may come to wait
for each other; the call that closes such a circle is refused.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from itertools import islice
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Any, ClassVar, Final

from toolhaft.call.after_fork import renew_after_fork
from toolhaft.call.workers import Overloaded, RunEnded, TimedOut

if TYPE_CHECKING:
    from concurrent.futures import Future

__all__ = ["Limit", "Place", "Turn"]

# The turns of the handlers around this code: their own calls would wait for them for ever.
TURNS_AROUND: ContextVar[tuple[Turn, ...]] = ContextVar("toolhaft_turns", default=())


class Place:
    """A place at a limit: taken at once, or queued for until `waiting` is done."""

    waiting: Future[None] | None = None  # of the few places that are queued for

    def done(self) -> bool:
        """Whether the place is taken."""
        return self.waiting is None or self.waiting.done()


class _Waiting:
    """The calls in a queue: at which limit, and the turns that cannot end before they run."""

    def __init__(self) -> None:
        self.renew()
        renew_after_fork(self)

    def renew(self) -> None:
        # One lock for all limits, as a circle has several.
        self.lock = Lock()
        self.calls: dict[Place, tuple[Limit, tuple[Turn, ...]]] = {}

    @contextmanager
    def enter(self, place: Place, limit: Limit, turns: tuple[Turn, ...]) -> Generator[bool]:
        """Wait inside the block; gives whether the place would never come."""
        with self.lock:
            self.calls[place] = limit, turns
            is_stuck = bool(turns) and not self._stuck_turns().isdisjoint(turns)
        try:
            yield is_stuck
        finally:
            with self.lock:
                del self.calls[place]

    def _stuck_turns(self) -> set[Turn]:
        """Return the turns that wait only for each other: turns that can still end are left out."""
        calls = [(place, *call) for place, call in self.calls.items() if place in call[0].queue]
        stuck: set[Turn] = set()
        count = -1
        while count != len(calls):
            count = len(calls)
            stuck = {turn for _, _, turns in calls for turn in turns}
            calls = [call for call in calls if call[1].is_held_by(stuck, call[0])]
        return stuck


WAITING: Final = _Waiting()


class Limit:
    """At most `size` runs at a time, first come, first served."""

    __slots__ = ("__weakref__", "queue", "size", "taken")

    # Whether the calls of a handler that holds a place need places of their own.
    counts_inner_calls: ClassVar[bool] = False

    def __init__(self, size: int) -> None:
        self.size: int = size
        self.taken: dict[Place, Turn] = {}
        self.renew()
        renew_after_fork(self)

    def renew(self) -> None:
        """Keep the places of the handlers around alone, as in a process that one of them forked."""
        around = TURNS_AROUND.get()
        self.taken = {place: turn for place, turn in self.taken.items() if turn in around}
        self.queue: dict[Place, Turn] = {}

    @property
    def free(self) -> int:
        """How many places nobody has."""
        return self.size - len(self.taken)

    def acquire(self, turn: Turn | None = None) -> Place:
        """Take a place, or queue for one."""
        place = Place()
        if turn is None:
            turn = Turn((), None)
        with WAITING.lock:
            if not self.take_at_once(place, turn):
                from concurrent.futures import Future  # most calls never wait

                place.waiting = Future()
                self.queue[place] = turn
        return place

    def release(self, place: Place) -> None:
        """Release a place, queued or taken, and start the queued runs that can begin now."""
        with WAITING.lock:
            self.drop(place)
            admitted = self._admit(place) if self.queue else ()
        for waiting in admitted:
            waiting.set_result(None)

    def _admit(self, released: Place) -> list[Any]:
        """Take the places in the queue that are free now; return what they are waited for by."""
        self.queue.pop(released, None)
        admitted: list[Any] = []
        for place in self.next_places():
            self.take(place, self.queue.pop(place))
            admitted.append(place.waiting)
        return admitted

    def take_at_once(self, place: Place, turn: Turn) -> bool:
        """Take a place for a call that comes now, unless it has to wait."""
        if len(self.taken) >= self.size:
            return False
        self.taken[place] = turn
        return True

    def take(self, place: Place, turn: Turn) -> None:
        """Note that a place is taken."""
        self.taken[place] = turn

    def drop(self, place: Place) -> Turn | None:
        """Note that a place is taken no more; give the turn that had it."""
        return self.taken.pop(place, None)

    def next_places(self) -> Iterable[Place]:
        """Return the places in the queue that can be taken now."""
        return list(islice(self.queue, self.free))

    def is_held_by(self, turns: set[Turn], place: Place) -> bool:
        """Whether a place in the queue cannot be taken before one of these turns has ended."""
        del place
        return turns >= set(self.taken.values())


class Turn:
    """One call's places at several limits; waiting for them is part of the call's time.

    Inside a `with` block the limits count as held; the places are released after it, unless they
    are kept. `around` is the turns of the handlers that make the call; `is_alone` says that its
    tool is not parallel.
    """

    __slots__ = ("_deadline", "_is_kept", "_limits", "_places", "_token", "around", "is_alone")

    def __init__(
        self, limits: Iterable[Limit], timeout: float | None, *, is_alone: bool = False
    ) -> None:
        self.around: tuple[Turn, ...] = TURNS_AROUND.get()
        self.is_alone: bool = is_alone
        self._limits: Iterable[Limit] = self._not_held(limits) if self.around else limits
        self._places: list[tuple[Limit, Place]] = []
        self._deadline = None if timeout is None else monotonic() + timeout
        self._is_kept = False

    def _not_held(self, limits: Iterable[Limit]) -> list[Limit]:
        """Leave out the limits whose places the handlers around hold already."""
        held = [limit for turn in self.around for limit in turn._limits]  # noqa: SLF001  a Turn's
        return [limit for limit in limits if limit.counts_inner_calls or limit not in held]

    @property
    def seconds_left(self) -> float | None:
        """The seconds that are left of the call's time, or None without a timeout."""
        return None if self._deadline is None else max(self._deadline - monotonic(), 0.0)

    async def wait(self) -> RunEnded | None:
        """Wait for a place at every limit; give why there is none."""
        for limit in self._limits:
            place = limit.acquire(self)
            self._places.append((limit, place))
            if place.waiting is None or place.waiting.done():
                continue
            import asyncio

            with self._queued(place, limit) as is_stuck:
                if is_stuck:
                    return Overloaded()
                waiting = asyncio.wrap_future(place.waiting)
                await asyncio.wait({waiting}, timeout=self.seconds_left)
                if not place.done():
                    return TimedOut(begun=False)
        return None

    def wait_sync(self) -> RunEnded | None:
        """Synchronous version of `wait`."""
        for limit in self._limits:
            place = limit.acquire(self)
            self._places.append((limit, place))
            if place.waiting is None or place.waiting.done():
                continue
            from concurrent.futures import wait

            with self._queued(place, limit) as is_stuck:
                if is_stuck:
                    return Overloaded()
                wait([place.waiting], self.seconds_left)
                if not place.done():
                    return TimedOut(begun=False)
        return None

    def _queued(self, place: Place, limit: Limit) -> AbstractContextManager[bool]:
        """Note that a place is waited for, by the turns that hold other places meanwhile."""
        turns = (*self.around, self) if len(self._places) > 1 else self.around
        return WAITING.enter(place, limit, turns)

    def __enter__(self) -> None:
        around = (*self.around, self) if self._limits else self.around
        self._token = TURNS_AROUND.set(around)

    def __exit__(self, *_: object) -> None:
        TURNS_AROUND.reset(self._token)
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
