"""Calls that a program makes, such as code that a model wrote: `Toolset.dispatcher`."""

from __future__ import annotations

from itertools import count
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from toolhaft.call import feedback, report, workers
from toolhaft.call.call_options import CallOptions
from toolhaft.call.interrupts import raise_interrupt
from toolhaft.call.outcome import Err, Ok
from toolhaft.call.permission import Approve, Permission, ask_nobody
from toolhaft.call.types import ToolCall
from toolhaft.definition.options import fault_of_seconds
from toolhaft.errors import ToolhaftError
from toolhaft.tools.internals import call_options_of, may_wait

if TYPE_CHECKING:
    from toolhaft.toolset.dispatch import Dispatch

__all__ = ["Dispatcher"]


class Dispatcher:
    """Carries the calls of one program to the tools of a toolset; see `Toolset.dispatcher`.

    Raises:
        ToolhaftError: A budget allows nothing.
    """

    __slots__ = ("_approve", "_context", "_count", "_deadline", "_dispatch", "_max_calls")

    def __init__(
        self,
        dispatch: Dispatch,
        context: Any,
        max_calls: int | None,
        max_seconds: float | None,
        approve: Approve | None,
    ) -> None:
        if max_calls is not None and not (type(max_calls) is int and max_calls >= 1):
            raise ToolhaftError("dispatcher: max_calls: not a whole number of at least 1; pass one")
        if fault_of_seconds(max_seconds) is not None:
            raise ToolhaftError(
                "dispatcher: max_seconds: not a number of seconds above 0; pass one, or None"
            )
        self._dispatch, self._context = dispatch, context
        self._approve = Permission.of(approve=approve)
        self._max_calls = max_calls
        self._deadline = None if max_seconds is None else monotonic() + max_seconds
        self._count = count(1)

    async def __call__(self, name: str, arguments: Any = None, /) -> dict[str, Any]:
        """Run a call; never raises `Exception`.

        Args:
            name: The name of the tool.
            arguments: The arguments, as data or as JSON text.

        Returns:
            The outcome as JSON data, with the whole result.
        """
        call = ToolCall(None, name, arguments, origin="programmatic")
        refused = self._refuse(call)
        running = self._dispatch.run(call, refused, self._context, self._permission(call.name))
        if refused is not None or self._deadline is None:
            return (await running).as_json()
        ended = await workers.await_until(running, self._deadline - monotonic())
        outcome = self._to_outcome(call, ended)
        return outcome.as_json()

    def _refuse(self, call: ToolCall) -> Err | None:
        """Deny a call that the program has no budget for."""
        options = CallOptions(call.name)
        if self._max_calls is not None and next(self._count) > self._max_calls:
            return Err("denied", feedback.describe_spent(f"calls ({self._max_calls})"), options)
        if self._deadline is not None and monotonic() >= self._deadline:
            return Err("denied", feedback.describe_spent("time"), options)
        return None

    def _permission(self, name: str) -> Permission:
        """Return who decides about a call; one that would wait for an answer is denied."""
        tool = self._dispatch.find_visible(name, self._context)
        if self._approve.approve is None and tool is not None and may_wait(tool):
            return UNASKED
        return self._approve

    def _to_outcome(self, call: ToolCall, ended: Any) -> Ok[Any] | Err:
        """Return the outcome of a call that was waited for until the deadline."""
        if not isinstance(ended, workers.RunEnded):
            outcome: Ok[Any] | Err = ended
            return outcome
        tool = self._dispatch.find_visible(call.name, self._context)
        options = CallOptions(call.name) if tool is None else call_options_of(tool)
        if not isinstance(ended, workers.Crashed):
            text = feedback.describe_timeout(None, begun=True, may_repeat=options.may_repeat)
            return Err("timeout", text, options, effect="unknown")
        raise_interrupt(ended.error)
        error_id = report.log_crash(call.name, ended.error)
        text = feedback.describe_crash(error_id, "unknown", may_repeat=options.may_repeat)
        return Err("runtime_error", text, options, effect="unknown", error_id=error_id)


UNASKED: Final = Permission.of(approve=ask_nobody)
