"""`CallInfo`: what a handler may know about the call that runs it, beside its arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from datetime import datetime

__all__ = ["ORIGINS", "CallInfo", "Origin"]

# The caller of a call: the model or a program of yours, or code that a model wrote.
Origin: TypeAlias = Literal["direct", "programmatic"]
ORIGINS: Final[frozenset[str]] = frozenset({"direct", "programmatic"})


class CallInfo(NamedTuple):
    """The type of a parameter through which a handler learns about the call that runs it.

    The parameter is not in the schema, and the model can neither see nor set it. If you call the
    function yourself, pass a `CallInfo()`.

    Attributes:
        id: The provider's id of the call, if it has one. Providers repeat ids: use `key` to find
            out whether a call was made before.
        tool: The name of the tool, as in its toolset.
        attempt: The number of this attempt, from 1. Only a call that waited for approval has
            several: it can be made again if it was stopped before your function ran.
        deadline: The time in UTC when the call times out; None without a `timeout`.
        origin: The kind of caller: "direct" is a model or your own program, "programmatic" is code
            that a provider runs, or a program that has a dispatcher.
        principal: The authenticated client of `toolhaft serve`; None elsewhere.
        key: An idempotency key. It is the same in each attempt to make this call.

    >>> from toolhaft import CallInfo, tool
    >>> @tool(timeout=5)
    ... def charge(cents: int, call: CallInfo) -> str:
    ...     "Charge the customer."
    ...     return f"{call.tool}: {cents} cents, attempt {call.attempt}, {call.origin}"
    >>> charge.call_sync({"cents": 250}).value
    'charge: 250 cents, attempt 1, direct'
    >>> charge(250, CallInfo(tool="charge"))
    'charge: 250 cents, attempt 1, direct'
    """

    id: str | None = None
    tool: str = ""
    attempt: int = 1
    deadline: datetime | None = None
    origin: Origin = "direct"
    principal: str | None = None
    key: str = ""
