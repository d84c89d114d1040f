"""The events of a run, in the order in which they happen, and its end."""

from __future__ import annotations

from typing import Any, Generic, Literal, NamedTuple, TypeAlias

from toolhaft.call.outcome import Err, Ok
from toolhaft.call.progress import Progress
from toolhaft.call.types import ToolCall
from toolhaft.definition.typevars import Out_co
from toolhaft.providers.ending import Usage
from toolhaft.providers.streams import PartialCall
from toolhaft.toolset.answers import Answer

__all__ = ["Called", "Event", "Finished", "ModelTurn", "Reason", "Reported", "Streamed"]

Reason: TypeAlias = Literal[
    "done",
    "length",
    "refusal",
    "failed",
    "approval",
    "loop",
    "invalid",
    "max_turns",
    "max_calls",
    "max_seconds",
    "max_total_tokens",
]


class Streamed(NamedTuple):
    """One piece of the model's turn; only with `stream=True`.

    Attributes:
        event: The event as the client returned it.
        text: The text for the reader in it; empty if it has none.
        calls: The calls that the model has written so far, as a tuple of `PartialCall`. Each has
            its `name`, the `text` of its arguments, and as `data` the complete arguments. They
            cannot be run.
    """

    event: Any
    text: str = ""
    calls: tuple[PartialCall, ...] = ()


class ModelTurn(NamedTuple):
    """The model has finished a turn; its calls run next.

    Attributes:
        number: The number of the turn, from 1.
        response: The response as the client returned it.
        calls: The calls in it that run next, as a tuple of `ToolCall`.
        usage: The tokens of the request; None if the response does not say.
    """

    number: int
    response: Any
    calls: tuple[ToolCall, ...]
    usage: Usage | None = None


class Called(NamedTuple):
    """A call has ended or waits for a person.

    Attributes:
        call: The call as the model sent it.
        outcome: Its outcome; `outcome.prepared` is set if it waits for a person.
    """

    call: ToolCall
    outcome: Ok[Any] | Err


class Reported(NamedTuple):
    """A running handler reports progress through its `Report` parameter.

    Attributes:
        progress: The report.
    """

    progress: Progress


class Finished(NamedTuple, Generic[Out_co]):
    """The conversation has ended.

    Attributes:
        reason: Why it ended. `done`: the model called no tool. `length`: a limit cut its answer
            off. `refusal`: the model or the provider refused. `failed`: the provider reports a
            failure, or the model made a call of a kind that toolhaft does not know; the turn is not
            in the messages. `approval`: calls wait for a person (`answer.pending`); append their
            turn to the messages when they are decided. `loop`: the model repeated a call after the
            guard had rejected it. `invalid`: `max_invalid` calls in a row were invalid.
            `max_turns`, `max_calls`, `max_seconds`, `max_total_tokens`: a budget is used up.
        answer: The answer to the last turn.
        response: The response of the last turn, as the client returned it; None if there is none.
        text: The text of the last turn.
        usage: The tokens of all requests; None if no response says.
        detail: The provider's own name for a `length`, `refusal` or `failed`, or the kind of the
            unknown call; otherwise None.
    """

    reason: Reason
    answer: Answer[Out_co]
    response: Any
    text: str
    usage: Usage | None
    detail: str | None

    @property
    def output(self) -> Ok[Out_co] | Err | None:
        """The final answer, with `output=`: `Ok` with the object, or `Err`; None if there is none.

        An `Err` of a run that ended for another reason than `done` is the last wrong answer.
        """
        return self.answer.output


Event: TypeAlias = Streamed | ModelTurn | Reported | Called | Finished[Out_co]
