"""Observers and limiters of a toolset's calls: `Toolset([...], observers=[...])`.

Each back end has a file of its own here. `details` has what they are given, `limits` refuses calls
before they run, `call_observers` notifies them. A toolset without observers loads nothing of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeAlias

from toolhaft.call.outcome import Err
from toolhaft.observers.details import CallDetails, CallStarted

__all__ = ["Finish", "Limiter", "Observer"]

Finish: TypeAlias = Callable[[CallDetails], object]


class Observer(Protocol):
    """An object that is notified of each call of a toolset, at its start and at its end.

    >>> from toolhaft import Toolset, tool
    >>> @tool
    ... def double(n: int) -> int:
    ...     "Twice a number."
    ...     return 2 * n
    >>> class Count:
    ...     def started(self, call):
    ...         return lambda done: print(done.tool, done.kind, done.coercion_rules)
    >>> Toolset([double], observers=[Count()]).call_sync("double", '{"n": "21"}').value
    double ok ('number_text',)
    42
    """

    def started(self, call: CallStarted, /) -> Finish | None:
        """Take note of a call, in the caller's task or thread; return what is told of its end.

        The end comes in the same place as the start, the ends of several observers in reverse
        order, and it comes for a cancelled call too. What is raised here is logged once, and the
        call goes on.
        """


class Limiter(Protocol):
    """An object that may refuse a call before its arguments are read: a rate, a budget."""

    def admit(self, call: CallStarted, /) -> Err | None:
        """Refuse a call with `call.refusal(...)`, or let it pass with None.

        What is raised here refuses the call: a limit that fails must not fail open.
        """
