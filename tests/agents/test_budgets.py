"""The limits of a run: seconds and tokens; when each ends it, and the messages that are left."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from threading import Event as Flag
from typing import Any

import pytest

from toolhaft import Toolset, tool
from toolhaft.agent_loop import Called, Event, Finished, Streamed, Usage, run, run_sync
from toolhaft.errors import ToolhaftError
from toolhaft.testing import ScriptedModel, ScriptedTurn


@tool
def double(n: int) -> int:
    """Double a number."""
    return 2 * n


@tool
async def wait() -> str:
    """Wait for ever."""
    await asyncio.Event().wait()
    return ""


TOOLS = Toolset([double, wait])
WIRE = TOOLS.export("openai")
SHORT = 0.05


def finished(events: list[Event]) -> Finished:
    last = events[-1]
    assert isinstance(last, Finished)
    return last


def held(client: Any, **options: Any) -> tuple[list[Event], list[Any]]:
    messages: list[Any] = []
    asked: dict[str, Any] = {"model": "m", "messages": messages, "tools": WIRE, **options}
    return list(run_sync(client, **asked)), messages


@pytest.mark.requirement("loop-seconds")
@pytest.mark.parametrize("stream", [False, True])
def test_calls_that_run_when_the_seconds_end_are_cancelled_and_answered(stream: bool) -> None:
    client = ScriptedModel([("wait", {}), ("double", {"n": 4})], sdk=False)
    events, messages = held(client, max_seconds=SHORT, stream=stream)
    assert finished(events).reason == "max_seconds"
    called = [event for event in events if isinstance(event, Called)]
    assert [getattr(event.outcome, "effect", None) for event in called] == ["unknown", "unknown"]
    assert [one["type"] for one in messages] == ["function_call"] * 2 + ["function_call_output"] * 2


@pytest.mark.requirement("loop-seconds")
def test_a_request_that_takes_too_long_is_cancelled() -> None:
    cancelled = Flag()

    async def client(**request: Any) -> Any:
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    events, messages = held(client, max_seconds=SHORT)
    last = finished(events)
    assert (events, cancelled.is_set(), messages) == ([last], True, [])
    assert (last.reason, last.response, last.text, last.usage) == ("max_seconds", None, "", None)
    assert (last.answer.messages, last.answer.outcomes) == ([], [])


@pytest.mark.requirement("loop-seconds")
def test_a_stream_that_takes_too_long_is_closed_and_no_part_of_the_messages() -> None:
    closed = Flag()

    async def pieces() -> AsyncIterator[Any]:
        try:
            yield {"type": "response.output_text.delta", "delta": "Hm"}
            await asyncio.Event().wait()
        finally:
            closed.set()

    async def client(**request: Any) -> Any:
        return pieces()

    events, messages = held(client, max_seconds=SHORT, stream=True)
    assert isinstance(events[0], Streamed)
    assert (events[0].text, finished(events).reason) == ("Hm", "max_seconds")
    assert (closed.is_set(), messages) == (True, [])


@pytest.mark.requirement("loop-seconds")
def test_a_synchronous_client_is_waited_for_and_not_asked_again() -> None:
    over = Flag()

    def client(**request: Any) -> Any:
        over.wait(2 * SHORT)
        call = {"type": "function_call", "call_id": "c1", "name": "double", "arguments": '{"n": 4}'}
        return {"output": [call]}

    events, messages = held(client, max_seconds=SHORT)
    assert (finished(events).reason, len(messages)) == ("max_seconds", 2)


@pytest.mark.requirement("loop-seconds")
def test_an_error_of_the_client_is_no_end_of_the_seconds() -> None:
    async def client(**request: Any) -> Any:
        raise TimeoutError("the server did not answer")

    with pytest.raises(TimeoutError, match="did not answer"):
        held(client, max_seconds=60)


@pytest.mark.requirement("loop-tokens")
def test_a_run_ends_after_the_turn_that_uses_its_tokens_up() -> None:
    turns = [ScriptedTurn(calls=[("double", {"n": n})], usage=Usage(40, 10)) for n in range(5)]
    events, messages = held(ScriptedModel(*turns), max_total_tokens=100)
    last = finished(events)
    assert (last.reason, last.usage, len(messages)) == ("max_total_tokens", Usage(80, 20, 0, 0), 4)
    events, _ = held(ScriptedModel(turns[0], "Done."), max_total_tokens=100)
    assert finished(events).reason == "done"


@pytest.mark.requirement("loop-tokens")
def test_a_provider_that_reports_no_usage_has_none() -> None:
    client = ScriptedModel(ScriptedTurn("Done.", usage=None))
    events, _ = held(client, max_total_tokens=1)
    assert (finished(events).reason, finished(events).usage) == ("done", None)


@pytest.mark.requirement("loop-budgets")
@pytest.mark.parametrize("budget", ["max_seconds", "max_total_tokens"])
@pytest.mark.parametrize("value", [0, "3", True, float("nan")])
def test_a_budget_of_nothing_is_a_mistake(budget: str, value: object) -> None:
    with pytest.raises(ToolhaftError) as raised:
        held(ScriptedModel(), **{budget: value})
    assert str(raised.value) == f"run: {budget}: not a number above 0; leave it out for no bound"


@pytest.mark.requirement("loop-budgets")
def test_a_time_that_no_clock_reaches_is_a_mistake() -> None:
    with pytest.raises(ToolhaftError, match="run: max_seconds: not a number above 0"):
        held(ScriptedModel(), max_seconds=10**400)


@pytest.mark.requirement("loop-budgets")
@pytest.mark.parametrize("budget", ["max_turns", "max_calls", "max_invalid"])
def test_a_budget_that_is_no_whole_number_is_a_mistake(budget: str) -> None:
    with pytest.raises(ToolhaftError) as raised:
        held(ScriptedModel(), **{budget: "3"})
    assert str(raised.value) == f"run: {budget}: not a whole number; pass one"


@pytest.mark.requirement("loop-cancelled")
def test_a_stream_that_is_left_is_closed() -> None:
    closed = Flag()

    async def pieces() -> AsyncIterator[Any]:
        try:
            yield {"type": "response.output_text.delta", "delta": "Hm"}
            yield {"type": "response.output_text.delta", "delta": "Hm"}
        finally:
            closed.set()

    async def client(**request: Any) -> Any:
        return pieces()

    async def left() -> None:
        events = run(client, model="m", messages=[], tools=WIRE, stream=True)
        await anext(events)
        await events.aclose()

    asyncio.run(left())
    assert closed.is_set()


SPOKEN = {"type": "response.output_text.delta", "delta": "Hm"}


@pytest.mark.requirement("loop-cancelled")
@pytest.mark.parametrize("has_loop", [True, False], ids=["with a loop", "without a loop"])
def test_a_stream_of_a_synchronous_client_that_is_left_is_closed(has_loop: bool) -> None:
    closed = Flag()

    def pieces() -> Iterator[Any]:
        try:
            yield SPOKEN
            yield SPOKEN
        finally:
            closed.set()

    def client(**request: Any) -> Any:
        return pieces()

    async def left() -> None:
        events = run(client, model="m", messages=[], tools=WIRE, stream=True)
        await anext(events)
        await events.aclose()

    if has_loop:
        asyncio.run(left())
    else:
        for _ in run_sync(client, model="m", messages=[], tools=WIRE, stream=True):
            break
    assert closed.is_set()


@pytest.mark.requirement("loop-cancelled")
def test_a_stream_that_is_left_while_a_thread_reads_it_is_closed_by_the_thread() -> None:
    reading, more, closed = Flag(), Flag(), Flag()

    def pieces() -> Iterator[Any]:
        try:
            reading.set()
            assert more.wait(30)
            yield SPOKEN
        finally:
            closed.set()

    def client(**request: Any) -> Any:
        return pieces()

    async def cancelled() -> None:
        events = run(client, model="m", messages=[], tools=WIRE, stream=True)
        asking = asyncio.create_task(anext(events))
        await asyncio.to_thread(reading.wait, 30)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        assert not closed.is_set()
        more.set()
        assert await asyncio.to_thread(closed.wait, 30)

    asyncio.run(cancelled())
