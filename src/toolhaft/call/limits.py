"""Limits: how many handlers may run at a time, counted over all loops and threads.

When a limit is reached, calls wait in a queue. A place is released when the handler has really
ended: one that outlives its deadline keeps it until then. Handlers that call tools may come to wait
for each other; the call that closes such a circle is refused.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar, Token
from itertools import islice
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Any, ClassVar, Final

from toolhaft.call.after_fork import renew_after_fork
from toolhaft.call.workers import Overloaded, RunEnded, TimedOut

if TYPE_CHECKING:
    from concurrent.futures import Future

__all__ = ["Limit", "Turn"]

# The turns of the handlers around this code: their own calls would wait for them for ever.
TURNS_AROUND: ContextVar[tuple[Turn, ...]] = ContextVar("toolhaft_turns", default=())


class _Waiting:
    """The turns in a queue: at which limit, and the turns that cannot end before they run."""

    def __init__(self) -> None:
        self.renew()
        renew_after_fork(self)

    def renew(self) -> None:
        # One lock for all limits, as a circle has several.
        self.lock = Lock()
        self.calls: dict[Turn, tuple[Limit, tuple[Turn, ...]]] = {}

    @contextmanager
    def enter(self, turn: Turn, limit: Limit, turns: tuple[Turn, ...]) -> Generator[bool]:
        """Wait inside the block; gives whether the turn would never come."""
        with self.lock:
            self.calls[turn] = limit, turns
            waits = bool(turns) and turn in limit.queue  # its place may have come meanwhile
            is_stuck = waits and not self._stuck_turns().isdisjoint(turns)
        try:
            yield is_stuck
        finally:
            with self.lock:
                del self.calls[turn]

    def _stuck_turns(self) -> set[Turn]:
        """Return the turns that wait only for each other: turns that can still end are left out."""
        calls = [(turn, *call) for turn, call in self.calls.items() if turn in call[0].queue]
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
        self.taken: dict[Turn, None] = {}
        self.renew()
        renew_after_fork(self)

    def renew(self) -> None:
        """Keep the places of the handlers around alone, as in a process that one of them forked."""
        around = TURNS_AROUND.get()
        self.taken = {turn: None for turn in self.taken if turn in around}
        self.queue: dict[Turn, None] = {}

    @property
    def free(self) -> int:
        """How many places nobody has."""
        return self.size - len(self.taken)

    def acquire(self, turn: Turn) -> None:
        """Take a place for a turn, or queue it."""
        with WAITING.lock:
            if not self.take_at_once(turn):
                from concurrent.futures import Future  # most calls never wait

                turn.waiting, turn.queued_at = Future(), self
                self.queue[turn] = None

    def release(self, turn: Turn) -> None:
        """Release the place of a turn, taken or queued for, and start what can begin now."""
        with WAITING.lock:
            self.drop(turn)
            admitted = self._admit(turn) if self.queue else ()
        for waiting in admitted:
            waiting.set_result(None)

    def _admit(self, released: Turn) -> list[Any]:
        """Take the places of the queue that are free now; return what they are waited for by."""
        self.queue.pop(released, None)
        admitted: list[Any] = []
        for turn in self.next_turns():
            del self.queue[turn]
            self.take(turn)
            admitted.append(turn.waiting)
        return admitted

    def take_at_once(self, turn: Turn) -> bool:
        """Give a turn that comes now a place, unless it has to wait."""
        if len(self.taken) >= self.size:
            return False
        self.taken[turn] = None
        return True

    def take(self, turn: Turn) -> None:
        """Note that a turn has a place."""
        self.taken[turn] = None

    def drop(self, turn: Turn) -> None:
        """Note that a turn has no place any more."""
        self.taken.pop(turn, None)

    def next_turns(self) -> Iterable[Turn]:
        """Return the turns in the queue that can begin now."""
        return list(islice(self.queue, self.free))

    def is_held_by(self, turns: set[Turn], waiting: Turn) -> bool:
        """Whether a turn in the queue cannot begin before one of these turns has ended."""
        del waiting
        return turns >= self.taken.keys()


class Turn:
    """One call's places at several limits; waiting for them is part of the call's time.

    `begin` takes the places that are free, up to the first that is not: then `waiting` is done when
    that one comes, and `wait` waits for it and for the rest. Until its `end` the limits count as
    held; then the places are released, unless they are kept. `around` is the turns of the handlers
    that make the call; `is_alone` says that its tool is not parallel.
    """

    __slots__ = (
        "_deadline",
        "_is_kept",
        "_limits",
        "_token",
        "around",
        "is_alone",
        "queued_at",
        "waiting",
    )

    if TYPE_CHECKING:
        queued_at: Limit  # of the limits, while it waits

    def __init__(
        self, limits: Sequence[Limit], timeout: float | None, *, is_alone: bool = False
    ) -> None:
        self.around: tuple[Turn, ...] = TURNS_AROUND.get()
        self.is_alone: bool = is_alone
        self.waiting: Future[None] | None = None
        self._limits: Sequence[Limit] = self._not_held(limits) if self.around else limits
        self._deadline = None if timeout is None else monotonic() + timeout
        self._is_kept = False
        self._token: Token[tuple[Turn, ...]] | None = None

    def _not_held(self, limits: Sequence[Limit]) -> list[Limit]:
        """Leave out the limits whose places the handlers around hold already.

        A task that a handler started may outlive it: then no place is held any more.
        """
        held = [
            limit
            for turn in self.around
            for limit in turn._limits  # noqa: SLF001  a Turn's
            if turn in limit.taken
        ]
        return [limit for limit in limits if limit.counts_inner_calls or limit not in held]

    @property
    def seconds_left(self) -> float | None:
        """The seconds that are left of the call's time, or None without a timeout."""
        return None if self._deadline is None else max(self._deadline - monotonic(), 0.0)

    def begin(self) -> None:
        """Count the limits as held, and take places up to the first that is not free."""
        self._token = TURNS_AROUND.set((*self.around, self) if self._limits else self.around)
        self._take(self._limits)

    def _take(self, limits: Sequence[Limit]) -> None:
        for limit in limits:
            limit.acquire(self)
            if self.waiting is not None:
                return

    def _take_rest(self) -> None:
        """Take places after one that came."""
        self.waiting = None
        self._take(self._limits[self._limits.index(self.queued_at) + 1 :])

    async def wait(self) -> RunEnded | None:
        """Wait for a place at every limit; give why there is none."""
        import asyncio

        while self.waiting is not None:
            with self._queued() as is_stuck:
                if is_stuck:
                    return Overloaded()
                waiting = asyncio.wrap_future(self.waiting)
                await asyncio.wait({waiting}, timeout=self.seconds_left)
                if not self.waiting.done():
                    return TimedOut(begun=False)
            self._take_rest()
        return None

    def wait_sync(self) -> RunEnded | None:
        """Synchronous version of `wait`."""
        from concurrent.futures import wait

        while self.waiting is not None:
            with self._queued() as is_stuck:
                if is_stuck:
                    return Overloaded()
                wait([self.waiting], self.seconds_left)
                if not self.waiting.done():
                    return TimedOut(begun=False)
            self._take_rest()
        return None

    def _queued(self) -> AbstractContextManager[bool]:
        """Note that a place is waited for, by the turns that hold other places meanwhile."""
        is_first = self.queued_at is self._limits[0]
        return WAITING.enter(
            self, self.queued_at, self.around if is_first else (*self.around, self)
        )

    def end(self) -> None:
        """Release the places, unless they are kept."""
        try:
            if self._token is not None:
                TURNS_AROUND.reset(self._token)
        except ValueError:  # a coroutine that is closed by the collector ends in another context
            pass
        finally:
            if not self._is_kept:
                self.release()

    def keep_until_done(self, handler: Any) -> None:
        """Keep the places until the handler's future or task is done."""
        self._is_kept = True
        handler.add_done_callback(self.release)

    def release(self, _: object = None) -> None:
        """Release every place, and leave every queue."""
        for limit in self._limits:
            limit.release(self)
