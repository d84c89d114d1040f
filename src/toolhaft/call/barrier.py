"""A barrier: calls run side by side, and one of a tool that is not parallel runs alone.

It holds over all loops and threads, for hosts that know nothing of `parallel=False`. As every
limit it is passed after a person was asked, and released when the handler has really ended.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile
from typing import ClassVar

from toolhaft.call.limits import Limit, Turn

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
        self.alone: set[Turn] = {turn for turn in self.taken if turn.is_alone}

    def take(self, turn: Turn) -> None:
        """Note that a turn has a place."""
        super().take(turn)
        if turn.is_alone:
            self.alone.add(turn)

    def drop(self, turn: Turn) -> None:
        """Note that a turn has no place any more."""
        super().drop(turn)
        self.alone.discard(turn)

    def take_at_once(self, turn: Turn) -> bool:
        """Give a turn that comes now a place, unless it has to wait."""
        if self._in_the_way(turn) or (self.queue and not self._is_inside(turn)):
            return False
        self.take(turn)
        return True

    def next_turns(self) -> Iterator[Turn]:
        """Yield the turns in the queue that can begin now, while each does."""
        is_first = True
        for turn in list(self.queue):
            if not self._in_the_way(turn) and (is_first or self._is_inside(turn)):
                yield turn
            else:
                is_first = False

    def is_held_by(self, turns: set[Turn], waiting: Turn) -> bool:
        """Whether a turn in the queue cannot begin before one of these turns has ended."""
        ahead = [] if self._is_inside(waiting) else takewhile(waiting.__ne__, self.queue)
        return not all(turns.isdisjoint(self._in_the_way(turn)) for turn in (waiting, *ahead))

    def _in_the_way(self, turn: Turn) -> list[Turn]:
        """Return the turns that must end before this one begins."""
        others = self.taken if turn.is_alone else self.alone
        return [other for other in others if other not in turn.around]

    def _is_inside(self, turn: Turn) -> bool:
        """Whether a handler that has passed the barrier makes the call, and waits for it."""
        return any(other in turn.around for other in self.taken)
