"""Calls whose arguments are one text, as targets with custom tools make them."""

from __future__ import annotations

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
from toolhaft.toolset.turn import PendingCall

__all__ = ["take_text"]

NO_TEXT: Final = "send JSON arguments and not a text"
STOPPED: Final = Issue("the text stops", (), "json")


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
