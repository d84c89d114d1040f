"""A conversation with a model: turn after turn, until there is a reason to finish.

A turn is asked for, answered and appended to the messages as a whole. `messages` can be sent again
whatever happens: a turn that is cancelled or not run has its calls answered all the same, and one
that failed is left out.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from itertools import count
from typing import Any, Final

from toolhaft.agents.budgets import Budgets
from toolhaft.agents.clients import Ask, events_of
from toolhaft.agents.events import Called, Event, Finished, ModelTurn, Reason, Streamed
from toolhaft.agents.reports import start_answer, yield_reports
from toolhaft.call.types import ToolCall
from toolhaft.errors import WireError
from toolhaft.providers.ending import Ending, Usage, sum_usage
from toolhaft.providers.streams import Stream
from toolhaft.toolset.answers import Answer
from toolhaft.toolset.export import Export
from toolhaft.toolset.internals import empty_answer
from toolhaft.toolset.wire import Reading

__all__ = ["Conversation"]

BUDGET_SPENT: Final = "This call was not run: no more calls are allowed in this conversation."
STOPPED: Final = "This call was not run: the provider stopped the turn before its end."


@dataclass(slots=True)
class Turn:
    """One turn: the response, what it says, and the answer to its calls."""

    number: int
    response: Any
    reading: Reading
    calls: list[ToolCall]
    answer: Answer

    @property
    def ending(self) -> Ending:
        return self.reading.ending

    @property
    def has_failed(self) -> bool:
        return self.ending.reason == "failed"

    @property
    def event(self) -> ModelTurn:
        return ModelTurn(self.number, self.response, tuple(self.calls), self.reading.usage)


class Conversation:
    """A conversation while it runs.

    `asking` is what `Export.answer` takes besides the response.
    """

    def __init__(
        self,
        wire: Export,
        ask: Ask,
        messages: list[Any],
        budgets: Budgets,
        asking: dict[str, Any],
    ) -> None:
        self._wire, self._ask, self._messages = wire, ask, messages
        self._budgets, self._asking = budgets, asking
        self._usage: Usage | None = None

    async def events(self) -> AsyncGenerator[Event]:
        """Take turns until there is a reason to finish."""
        for number in count(1):
            response = await self._ask(self._messages)
            if (pieces := events_of(response)) is not None:
                stream = self._wire.stream()
                async for piece in pieces:
                    _feed(stream, piece)
                    yield Streamed(piece)
                response = stream.response() if stream.failed is None else stream.failed
            turn = self._read(number, response)
            async with aclosing(self._take(turn)) as events:
                async for event in events:
                    yield event
            reason = self._budgets.find_reason(turn.answer, turn.ending.reason)
            if reason is not None:
                yield self._finish(reason, turn)
                return

    def _read(self, number: int, response: Any) -> Turn:
        """Read a response: nothing is run yet."""
        reading = self._wire.read(response)
        failed = reading.ending.reason == "failed"
        calls = [] if failed else self._wire.calls(response)
        self._budgets.begin_turn(len(calls))
        self._usage = sum_usage(self._usage, reading.usage)
        return Turn(number, response, reading, calls, empty_answer(self._wire))

    async def _take(self, turn: Turn) -> AsyncGenerator[Event]:
        """Yield a turn, what its handlers report, and its outcomes, when it is in the messages."""
        try:
            yield turn.event
            answering, reports = start_answer(self._answer(turn))
            async with aclosing(yield_reports(answering, reports)) as events:
                async for event in events:
                    yield event
            turn.answer = answering.result()
        except BaseException:  # cancelled, or left by the caller
            if not turn.has_failed:
                self._messages += self._wire.unanswered(turn.response).messages
            raise
        self._messages += [] if turn.answer.pending else turn.answer.messages
        for call, outcome in zip(turn.calls, turn.answer.outcomes, strict=True):
            yield Called(call, outcome)

    async def _answer(self, turn: Turn) -> Answer:
        """Answer a turn, by running nothing if it must not run."""
        if turn.has_failed:
            return turn.answer
        if turn.ending.reason == "refusal":
            return self._wire.unanswered(turn.response, because=STOPPED)
        if self._budgets.is_overspent:
            return self._wire.unanswered(turn.response, because=BUDGET_SPENT)
        return await self._wire.answer(turn.response, **self._asking)

    def _finish(self, reason: Reason, turn: Turn) -> Finished:
        detail = turn.ending.detail if reason == turn.ending.reason else None
        text = turn.reading.text
        return Finished(reason, turn.answer, turn.response, text, self._usage, detail)


def _feed(stream: Stream, piece: Any) -> None:
    """Feed an event; a response that failed is one all the same, as without a stream."""
    try:
        stream.feed(piece)
    except WireError:
        if stream.failed is None:
            raise
