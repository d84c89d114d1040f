"""The calls of one turn: lifted to the tools' own schemas, or one text; outcomes lowered again."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from toolhaft.call import feedback
from toolhaft.call.call_options import CallOptions
from toolhaft.call.outcome import Err, Ok
from toolhaft.call.types import ToolCall
from toolhaft.schema.issues import move_issue
from toolhaft.spec import Issue
from toolhaft.tools.internals import call_options_of
from toolhaft.tools.tool import AnyTool
from toolhaft.toolset.dispatch import with_call_fields
from toolhaft.toolset.lifting import Lifted, Lifting

__all__ = ["PendingCall", "Turn", "lift_call", "take_text"]

NO_TEXT: Final = "send JSON arguments and not a text"
STOPPED: Final = Issue("the text stops", (), "json")


@dataclass(slots=True)
class PendingCall:
    """A call with lifted arguments and how to lower its outcome; or a refusal."""

    call: ToolCall
    lifting: Lifting | None = None
    lifted: Lifted | None = None
    refused: Err | None = None

    @property
    def name_and_arguments(self) -> tuple[str, Any]:
        """The name and the arguments of the call."""
        return self.call.name, self.call.arguments

    def refuse(self, refused: Err | None) -> None:
        """Set the outcome of a call that must not run, if there is one."""
        if refused is not None:
            self.refused = refused

    def to_wire_outcome(self, outcome: Ok[Any] | Err) -> Ok[Any] | Err:
        """Write the outcome of the call in the wire's names."""
        if self.lifting is not None and self.lifted is not None:
            outcome = self.lifting.to_wire_outcome(outcome, self.lifted)
            outcome.call_id, outcome.caller = self.call.id, self.call.caller
        return outcome


def lift_call(call: ToolCall, lifting: Lifting | None) -> PendingCall:
    """Lift the arguments of a call, or refuse it; without a lifting they are the tool's own."""
    if lifting is None:
        return PendingCall(call)
    lifted = lifting.lift(call.arguments)
    if isinstance(lifted, Err):
        return PendingCall(call, refused=lifted)
    call.arguments, call.coercions = lifted.arguments, lifted.coercions
    return PendingCall(call, lifting, lifted)


class Turn:
    """The calls of one turn: those to run, and the outcomes in the order of the request."""

    def __init__(self, pending: Iterable[PendingCall]) -> None:
        self._pending = list(pending)
        self.calls = [
            pending_call.call for pending_call in self._pending if pending_call.refused is None
        ]

    def merge_outcomes(self, outcomes: Iterable[Ok[Any] | Err]) -> list[Ok[Any] | Err]:
        """Merge the outcomes of the calls that ran with the outcomes of rejected ones."""
        ran = iter(outcomes)
        return [
            call.to_wire_outcome(next(ran)) if call.refused is None else call.refused
            for call in self._pending
        ]


@dataclass(slots=True)
class PendingText(PendingCall):
    """A call by a text, for which the model knows no name."""

    options: CallOptions | None = None

    def to_wire_outcome(self, outcome: Ok[Any] | Err) -> Ok[Any] | Err:
        if isinstance(outcome, Ok) or outcome.kind != "invalid_input" or self.options is None:
            return outcome
        issues = tuple(move_issue(issue, issue.path[1:]) for issue in outcome.issues)
        return _refuse(self.call, self.options, *issues)


def take_text(call: ToolCall, tool: AnyTool) -> PendingCall:
    """Make the text of a call the argument of its tool, or refuse it if the tool takes no text."""
    options = call_options_of(tool)
    if tool.text_format is None:
        return PendingCall(call, refused=_refuse(call, options, Issue(NO_TEXT, (), "json")))
    if call.arguments is None:  # the token limit cut it off
        stopped = Err("truncated", feedback.TRUNCATED, options, (STOPPED,))
        with_call_fields(stopped, call)
        return PendingCall(call, refused=stopped)
    [name] = tool.input_schema.json_schema()["properties"]
    call.arguments = {name: call.arguments}
    return PendingText(call, options=options)


def _refuse(call: ToolCall, options: CallOptions, *issues: Issue) -> Err:
    refused = Err("invalid_input", feedback.describe_invalid, options, issues)
    with_call_fields(refused, call)
    return refused
