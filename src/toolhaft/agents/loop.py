"""`run`: the whole conversation, request after request, until the model calls no more tool.

It drives and does not plan: client, tools, budgets and messages are the caller's. `run_sync` is
the same for a program without a loop.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator
from contextlib import aclosing
from functools import wraps
from typing import (
    TYPE_CHECKING,
    Any,
    Final,
    NamedTuple,
    ParamSpec,
    TypeAlias,
    TypeVar,
)

from toolhaft.agents.budgets import Budgets, Reason
from toolhaft.agents.clients import events_of, is_paused, make_ask, target_of
from toolhaft.call.loop_guard import LoopGuard
from toolhaft.call.outcome import Err, Ok
from toolhaft.call.permission import Approve
from toolhaft.call.progress import Progress, report_also_to
from toolhaft.call.types import ToolCall
from toolhaft.call.workers import run_in_loop
from toolhaft.definition.options import UNSET
from toolhaft.errors import ToolhaftError
from toolhaft.toolset.answers import Answer
from toolhaft.toolset.export import Export
from toolhaft.toolset.internals import shown_to
from toolhaft.toolset.toolset import Toolset

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from toolhaft.agents.request_options import RequestOptions

__all__ = ["Called", "Event", "Finished", "ModelTurn", "Reported", "Streamed"]
__all__ += ["run", "run_sync"]

P = ParamSpec("P")
T = TypeVar("T")

BUDGET_SPENT: Final = "This call was not run: no more calls are allowed in this conversation."


class Streamed(NamedTuple):
    """One piece of the model's turn; only with `stream=True`.

    Attributes:
        event: The event as the client returned it.
    """

    event: Any


class ModelTurn(NamedTuple):
    """The model has finished a turn; its calls run next.

    Attributes:
        number: The number of the turn, from 1.
        response: The response as the client returned it.
        calls: The calls in it, as a tuple of `ToolCall`.
    """

    number: int
    response: Any
    calls: tuple[ToolCall, ...]


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


class Finished(NamedTuple):
    """The conversation has ended.

    Attributes:
        reason: Why it ended. `done`: the model called no tool. `approval`: calls wait for a person
            (`answer.pending`); append their turn to the messages when they are decided. `loop`: the
            model repeated a call after the guard had rejected it. `invalid`: `max_invalid` calls in
            a row were invalid. `max_turns`, `max_calls`: a budget is used up.
        answer: The answer to the last turn.
        response: The response of the last turn, as the client returned it.
    """

    reason: Reason
    answer: Answer
    response: Any


Event: TypeAlias = Streamed | ModelTurn | Reported | Called | Finished


async def run(
    client: Any,
    /,
    *,
    model: str,
    messages: list[Any],
    tools: Toolset | Export,
    max_turns: int = 10,
    max_calls: int | None = None,
    max_invalid: int | None = 5,
    approve: Approve | None = None,
    guard: LoopGuard | None = None,
    context: Any = UNSET,
    stream: bool = False,
    **options: Unpack[RequestOptions],
) -> AsyncGenerator[Event]:
    """Run a conversation: ask the model, run its calls and send the results, until it makes none.

    Args:
        client: A client of OpenAI, Anthropic or Google; a synchronous one is called in a thread. Or
            an async function of `model`, `messages` and the parameters of a request, for an export
            of its target.
        model: The name of the model.
        messages: The conversation so far. It is extended in place, by a whole turn at a time, so
            that every call in it has a result even if the loop is cancelled or left.
        tools: A toolset, or an export, which selects one of a client's interfaces, as in
            `tools.export("xai")`. Of a toolset with `visible=`, the model sees the tools that are
            visible in `context`.
        max_turns: How many requests are sent at most.
        max_calls: How many calls run at most; a turn that would exceed it does not begin.
        max_invalid: How many calls in a row may have invalid arguments or names; None for any
            number.
        approve: A callback that decides calls which need approval.
        guard: A `LoopGuard`; by default a new one.
        context: The context of the calls. None is a context.
        stream: Whether to stream the model's turns and yield `Streamed` events.
        options: Further parameters of each request, such as `temperature`.

    Yields:
        Events: `Streamed`, `ModelTurn`, `Reported`, `Called`, and `Finished` at the end.

    Raises:
        ContextMissing: A tool needs a value that the context lacks, or a context, and you passed
            none.
        ToolhaftError: The client has no interface for the tools' target, `max_turns` is 0,
            `messages` is not a list, or there is no context to judge `visible=` by.
        WireError: A response cannot be read. Exceptions of the client pass through.

    >>> import asyncio
    >>> from toolhaft import Toolset, tool
    >>> from toolhaft.testing import ScriptedModel
    >>> @tool
    ... def double(n: int) -> int:
    ...     "Twice a number."
    ...     return 2 * n
    >>> async def main(client):
    ...     messages = [{"role": "user", "content": "Twice four?"}]
    ...     async for event in run(client, model="m", messages=messages, tools=Toolset([double])):
    ...         if isinstance(event, Called):
    ...             print(event.call.name, event.outcome.text)
    ...         elif isinstance(event, Finished):
    ...             print(event.reason, len(messages))
    >>> asyncio.run(main(ScriptedModel(("double", {"n": 4}), "Eight.")))
    double 8
    done 4
    """
    wire = _wire(client, tools, messages, context)
    wire.check_context(context)
    context = None if context is UNSET else context
    if max_turns < 1:
        raise ToolhaftError("run: max_turns: less than 1; allow at least one turn")
    ask = make_ask(client, wire, {"model": model, **options}, stream=stream)
    guard = LoopGuard() if guard is None else guard
    asking: dict[str, Any] = {"context": context, "approve": approve, "guard": guard}
    budgets = Budgets(max_turns, max_calls, max_invalid)
    for number in range(1, max_turns + 1):
        response = await ask(messages)
        if (pieces := events_of(response)) is not None:
            turn = wire.stream()
            async for piece in pieces:
                turn.feed(piece)
                yield Streamed(piece)
            response = turn.response()
        calls = wire.calls(response)
        budgets.begin_turn(len(calls))
        try:
            yield ModelTurn(number, response, tuple(calls))
            answering, reports = _start_answer(_answer(wire, response, budgets, asking))
            async with aclosing(_give_reports(answering, reports)) as events:
                async for event in events:
                    yield event
            answer = answering.result()
        except BaseException:  # cancelled, or left by the caller
            messages += wire.unanswered(response).messages
            raise
        messages += [] if answer.pending else answer.messages
        for call, outcome in zip(calls, answer.outcomes, strict=True):
            yield Called(call, outcome)
        reason = budgets.find_reason(answer, is_paused=is_paused(response))
        if reason is not None:
            yield Finished(reason, answer, response)
            return


async def _answer(wire: Export, response: Any, budgets: Budgets, asking: dict[str, Any]) -> Answer:
    """Answer a turn, by running nothing where that would exceed a budget."""
    if budgets.is_overspent:
        return wire.unanswered(response, because=BUDGET_SPENT)
    return await wire.answer(response, **asking)


Reports: TypeAlias = "asyncio.Queue[Reported | None]"


def _start_answer(
    answering: Coroutine[Any, Any, Answer],
) -> tuple[asyncio.Task[Answer], Reports]:
    """Begin to answer a turn; give it with the queue of what its handlers report."""
    loop, reports = asyncio.get_running_loop(), asyncio.Queue[Reported | None]()

    def tell(progress: Progress) -> None:
        loop.call_soon_threadsafe(reports.put_nowait, Reported(progress))

    with report_also_to(tell):
        answer = asyncio.ensure_future(answering)
    # After what was reported before it: both ways go through the loop.
    answer.add_done_callback(lambda _: loop.call_soon(reports.put_nowait, None))
    return answer, reports


async def _give_reports(
    answering: asyncio.Task[Answer], reports: Reports
) -> AsyncGenerator[Reported]:
    """Give what handlers report until the turn is answered; end them where nobody listens."""
    try:
        while (event := await reports.get()) is not None:
            yield event
    finally:
        if not answering.done():
            answering.cancel()
            await asyncio.wait({answering})


def _wire(client: Any, tools: object, messages: object, context: Any) -> Export:
    if not isinstance(messages, list):
        raise ToolhaftError("run: messages: not a list; pass one, which grows with every turn")
    if isinstance(tools, Export):
        return tools
    if not isinstance(tools, Toolset):
        raise ToolhaftError("run: tools: not a toolset; pass Toolset([...]), or its export")
    return Export(shown_to(tools, context), target_of(client))


def _without_loop(events_of: Callable[P, AsyncGenerator[T]], /) -> Callable[P, Iterator[T]]:
    """Give the same events to a program without a loop, from the library's own."""

    @wraps(events_of)
    def stepped(*args: P.args, **options: P.kwargs) -> Iterator[T]:
        # A step that a Ctrl-C ends takes a moment to end: the next one waits for it.
        events, lock = events_of(*args, **options), asyncio.Lock()
        try:
            while (event := run_in_loop(_next(events, lock))) is not None:
                yield event
        finally:
            run_in_loop(_close(events, lock))

    return stepped


async def _next(events: AsyncGenerator[T], lock: asyncio.Lock) -> T | None:
    async with lock:
        return await anext(events, None)


async def _close(events: AsyncGenerator[T], lock: asyncio.Lock) -> None:
    async with lock:
        await events.aclose()


run_sync = _without_loop(run)
