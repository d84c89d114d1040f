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
        """Handle the start of a call, in the caller's task or thread.

        An exception is logged once, and the call continues.

        Args:
            call: The call before anything was done about it.

        Returns:
            A function of the finished call, or None. It is called in the same task or thread, also
            for a cancelled call; several observers are notified of the end in reverse order.
        """


class Limiter(Protocol):
    """An object that can reject a call before its arguments are read: a rate limit or a budget."""

    def admit(self, call: CallStarted, /) -> Err | None:
        """Decide whether a call may run.

        An exception rejects the call, so that a limiter that fails does not let calls pass.

        Args:
            call: The call before anything was done about it.

        Returns:
            None to let the call pass, or `call.refusal(...)` to reject it.
        """
