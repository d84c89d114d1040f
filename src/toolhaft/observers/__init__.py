"""What is told about the calls of a toolset, and to whom: `Toolset([...], observers=[...])`.

Each back end has a file of its own here. `details` is what they are told, `limits` refuses calls
before they run, `watch` tells them. Nothing here is loaded for a toolset without any of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeAlias

from toolhaft.call.outcome import Err
from toolhaft.observers.details import CallDetails, CallStarted

__all__ = ["Finish", "Limiter", "Observer"]

Finish: TypeAlias = Callable[[CallDetails], object]


class Observer(Protocol):
    """Something that is told of each call of a toolset, once at its start and once at its end.

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
    """Something that may refuse a call before its arguments are looked at: a rate, a budget."""

    def admit(self, call: CallStarted, /) -> Err | None:
        """Refuse a call with `call.refusal(...)`, or let it pass with None.

        What is raised here refuses the call: a limit that fails must not fail open.
        """
