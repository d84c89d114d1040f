"""A barrier: calls run side by side, and one of a tool that is not parallel runs alone.

It holds over all loops and threads, for hosts that know nothing of `parallel=False`. As every
limit it is passed after a person was asked, and released when the handler has really ended.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile
from typing import ClassVar

from toolhaft.call.limits import Limit, Place, Turn

__all__ = ["Barrier"]


class Barrier(Limit):
    """Any number of runs at a time, unless one must run alone; in FIFO order.

    A call that a handler makes waits neither for that handler nor behind calls that do. It does
    wait for a run that is alone and, if it is itself alone, for all others.
    """

    __slots__ = ("alone",)

    counts_inner_calls: ClassVar[bool] = True

    def __init__(self) -> None:
        super().__init__(0)

    def renew(self) -> None:
        """Keep the places of the handlers around alone, as every limit does."""
        super().renew()
        self.alone: set[Turn] = {turn for turn in self.taken.values() if turn.is_alone}

    def take(self, place: Place, turn: Turn) -> None:
        """Note that a place is taken."""
        super().take(place, turn)
        if turn.is_alone:
            self.alone.add(turn)

    def drop(self, place: Place) -> Turn | None:
        """Note that a place is taken no more; give the turn that had it."""
        turn = super().drop(place)
        if turn is not None:
            self.alone.discard(turn)
        return turn

    def take_at_once(self, place: Place, turn: Turn) -> bool:
        """Take a place for a call that comes now, unless it has to wait."""
        if self._in_the_way(turn) or (self.queue and not self._is_inside(turn)):
            return False
        self.take(place, turn)
        return True

    def next_places(self) -> Iterator[Place]:
        """Yield the places in the queue that can be taken now, while each is taken."""
        is_first = True
        for place, turn in list(self.queue.items()):
            if not self._in_the_way(turn) and (is_first or self._is_inside(turn)):
                yield place
            else:
                is_first = False

    def is_held_by(self, turns: set[Turn], place: Place) -> bool:
        """Whether a place in the queue cannot be taken before one of these turns has ended."""
        waiting = [self.queue[place]]
        if not self._is_inside(waiting[0]):
            waiting += [self.queue[ahead] for ahead in takewhile(place.__ne__, self.queue)]
        return not all(turns.isdisjoint(self._in_the_way(turn)) for turn in waiting)

    def _in_the_way(self, turn: Turn) -> list[Turn]:
        """Return the turns that must end before this one begins."""
        others = self.taken.values() if turn.is_alone else self.alone
        return [other for other in others if other not in turn.around]

    def _is_inside(self, turn: Turn) -> bool:
        """Whether a handler that has passed the barrier makes the call, and waits for it."""
        return any(other in turn.around for other in self.taken.values())
