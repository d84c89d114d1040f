"""A conversation with a model: turn after turn, until there is a reason to finish.

A turn is requested, answered and appended to the messages as a whole. `messages` can always be sent
again: the calls of a turn that is cancelled or not run still have answers, and a failed turn is
left out.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from toolhaft.agents.budgets import Budgets
from toolhaft.agents.clients import Model
from toolhaft.agents.events import Called, Event, Finished, ModelTurn, Reason, Streamed
from toolhaft.agents.streaming import END, events_of, start_answer, yield_reports
from toolhaft.call.callers import call_key
from toolhaft.call.types import ToolCall
from toolhaft.errors import WireError
from toolhaft.observers.runs import Ended, Observation
from toolhaft.providers.ending import Ending
from toolhaft.providers.streams import PartialCall, Stream
from toolhaft.toolset.answers import Answer
from toolhaft.toolset.export import Export
from toolhaft.toolset.internals import empty_answer, ended_turn
from toolhaft.toolset.wire import Reading

__all__ = ["Conversation"]

T = TypeVar("T")

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


class OutOfTime(Exception):
    """The seconds of a conversation ended before a part of a turn did."""


class Conversation:
    """A conversation while it runs.

    `asking` is what `Export.answer` takes besides the response.
    """

    def __init__(
        self,
        wire: Export,
        find_model: Callable[[Export], Model],
        messages: list[Any],
        budgets: Budgets,
        asking: dict[str, Any],
        observed: Observation,
    ) -> None:
        self._wire, self._model, self._messages = wire, find_model(wire), messages
        self._find_model = find_model
        self._budgets, self._asking = budgets, asking
        self._observed = observed
        self._turn: Turn | None = None
        self._reason: Reason | None = None

    async def events(self) -> AsyncGenerator[Event]:
        """Take turns until there is a reason to finish."""
        with self._observed:
            reason: Reason | None = None
            while reason is None:
                async with aclosing(self._take_turn()) as events:
                    async for event in events:
                        yield event
                reason = self._reason
            self._observed.ended = Ended(
                reason=reason, failed=reason == "failed", usage=self._budgets.usage
            )
        yield self._finish(reason)

    async def _take_turn(self) -> AsyncGenerator[Event]:
        """Take one turn, and find the reason to finish after it."""
        try:
            async with aclosing(self._ask()) as pieces:
                async for piece in pieces:
                    yield piece
        except OutOfTime:
            self._reason = "max_seconds"
            return
        turn = self._turn
        assert turn is not None  # noqa: S101  asking has read it
        async with aclosing(self._settle(turn)) as events:
            async for event in events:
                yield event
        self._reason = self._budgets.find_reason(turn.answer, turn.ending.reason)

    def _declare_found(self) -> None:
        """Declare the tools that were found in the conversation with the next request."""
        wire = self._wire.for_messages(self._messages)
        if wire is not self._wire:
            self._wire, self._model = wire, self._find_model(wire)

    async def _ask(self) -> AsyncGenerator[Streamed]:
        """Ask the model for a turn and read it; yield the pieces of a stream as they come."""
        is_first = self._turn is None
        with self._observed.turn(self._budgets.turns + 1) as observed:
            with observed.active():
                self._declare_found()
                asking = self._model.ask(self._messages, is_first=is_first)
                response = await self._ask_in_time(asking)
            if (pieces := events_of(response)) is not None:
                stream, streamed = self._wire.stream(), Streamed(None)
                try:
                    while (piece := await self._ask_in_time(pieces.next())) is not END:
                        streamed = _feed(stream, piece, streamed.calls)
                        yield streamed
                finally:
                    await pieces.close()
                response = stream.response() if stream.failed is None else stream.failed
            self._turn = self._read(response)
            observed.ended = ended_turn(self._wire, response, self._turn.reading)

    async def _ask_in_time(self, asking: Awaitable[T]) -> T:
        """Await a part of a request until the seconds end, if it can be cancelled.

        Raises:
            OutOfTime: The seconds ended first.
        """
        seconds = self._budgets.seconds_left if self._model.is_async else None
        return await _in_time(asking, seconds)

    def _read(self, response: Any) -> Turn:
        """Read a response: nothing is run yet."""
        reading = self._wire.read(response)
        failed = reading.ending.reason == "failed"
        calls = [] if failed else self._wire.calls(response)
        self._budgets.begin_turn(len(calls), reading.usage)
        return Turn(self._budgets.turns, response, reading, calls, empty_answer(self._wire))

    async def _settle(self, turn: Turn) -> AsyncGenerator[Event]:
        """Yield a turn, what its handlers report, and its outcomes, when it is in the messages."""
        try:
            yield turn.event
            with self._observed.active():
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

    @property
    def _turn_key(self) -> str | None:
        """The key of a turn: that of the run, and the turn's place in the conversation."""
        key = self._asking["key"]
        return None if key is None else call_key("run", key, str(len(self._messages)))

    async def _answer(self, turn: Turn) -> Answer:
        """Answer a turn, by running nothing if it must not run."""
        if turn.has_failed:
            return turn.answer
        if turn.ending.reason == "refusal":
            return self._wire.unanswered(turn.response, because=STOPPED)
        if self._budgets.is_overspent:
            return self._wire.unanswered(turn.response, because=BUDGET_SPENT)
        asking: dict[str, Any] = {**self._asking, "key": self._turn_key}
        answering = self._wire.answer(turn.response, **asking)
        try:
            return await _in_time(answering, self._budgets.seconds_left)
        except OutOfTime:
            return self._wire.unanswered(turn.response)

    def _finish(self, reason: Reason) -> Finished:
        turn, usage = self._turn, self._budgets.usage
        if turn is None:
            return Finished(reason, empty_answer(self._wire), None, "", usage, None)
        detail = turn.ending.detail if reason == turn.ending.reason else None
        return Finished(reason, turn.answer, turn.response, turn.reading.text, usage, detail)


async def _in_time(awaited: Awaitable[T], seconds: float | None) -> T:
    """Await a part of a turn for so many seconds; None sets no limit.

    Raises:
        OutOfTime: The seconds ended first.
    """
    deadline = asyncio.timeout(seconds)
    try:
        async with deadline:
            return await awaited
    except TimeoutError:
        if deadline.expired():
            raise OutOfTime from None
        raise


def _feed(stream: Stream, piece: Any, calls: tuple[PartialCall, ...]) -> Streamed:
    """Feed an event; one that has text goes on with no call.

    A response that failed counts too, as without a stream.
    """
    try:
        stream.feed(piece)
    except WireError:
        if stream.failed is None:
            raise
    return Streamed(piece, stream.text, calls if stream.text else tuple(stream.partial))
