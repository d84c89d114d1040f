"""How a run ends, what its last event says, and what of a turn is then in the messages."""

from __future__ import annotations

from collections.abc import AsyncIterator
from copy import deepcopy
from typing import Any

import pytest

from toolhaft import Toolset, tool
from toolhaft.agent_loop import Called, Event, Finished, ModelTurn, Streamed, run_sync
from toolhaft.providers.ending import Usage

RUNS: list[int] = []


@tool
def double(n: int) -> int:
    """Double a number."""
    RUNS.append(n)
    return 2 * n


TOOLS = Toolset([double])
QUESTION = {"role": "user", "content": "Twice four?"}


def converse(target: str, *turns: Any, **options: Any) -> tuple[list[Event], list[Any]]:
    """Run a conversation with a function that answers with the turns, in their order."""
    RUNS.clear()
    script = list(turns)

    async def client(**request: Any) -> Any:
        turn = script.pop(0)
        return _events(turn) if isinstance(turn, list) else turn

    messages: list[Any] = [QUESTION]
    asked: dict[str, Any] = {"model": "m", "messages": messages, **options}
    return list(run_sync(client, tools=TOOLS.export(target), **asked)), messages


async def _events(events: list[Any]) -> AsyncIterator[Any]:
    for event in events:
        yield event


def finished(events: list[Event]) -> Finished:
    last = events[-1]
    assert isinstance(last, Finished)
    return last


def function_call(n: int, id: str = "c1", **fields: Any) -> dict[str, Any]:
    arguments = f'{{"n": {n}}}'
    call = {"type": "function_call", "call_id": id, "name": "double", "arguments": arguments}
    return {**call, **fields}


def text(said: str) -> dict[str, Any]:
    content = [{"type": "output_text", "text": said}]
    return {"type": "message", "role": "assistant", "content": content}


def cut(*items: Any) -> dict[str, Any]:
    """A response that the limit of tokens cut off."""
    details = {"reason": "max_output_tokens"}
    return {"output": list(items), "status": "incomplete", "incomplete_details": details}


@pytest.mark.requirement("honest-endings")
def test_the_last_event_has_the_text_and_the_usage_of_all_turns() -> None:
    def used(count: int) -> dict[str, Any]:
        return {"input_tokens": count, "output_tokens": 1, "input_tokens_details": None}

    called = {"output": [function_call(4)], "usage": used(10)}
    said = {"output": [text("Eight.")], "status": "completed", "usage": used(20)}
    events, messages = converse("openai", called, said)
    last = finished(events)
    assert (last.reason, last.text, last.detail) == ("done", "Eight.", None)
    assert last.usage == Usage(30, 2)
    turns = [event for event in events if isinstance(event, ModelTurn)]
    assert [turn.usage for turn in turns] == [Usage(10, 1), Usage(20, 1)]
    assert last.response is said
    assert len(messages) == 4


@pytest.mark.requirement("honest-endings")
def test_an_answer_that_is_cut_off_is_not_done() -> None:
    events, messages = converse("openai", cut(text("Eig")))
    last = finished(events)
    assert (last.reason, last.text, last.detail) == ("length", "Eig", "max_output_tokens")
    assert messages[1:] == [text("Eig")]


@pytest.mark.requirement("honest-endings")
def test_a_call_that_is_cut_off_is_answered_as_truncated_and_the_run_goes_on() -> None:
    called = cut(function_call(4), function_call(5, "c2", status="incomplete"))
    events, messages = converse("openai", called, {"output": [text("Eight.")]})
    kinds = [getattr(one.outcome, "kind", "ok") for one in events if isinstance(one, Called)]
    assert (kinds, RUNS) == (["ok", "truncated"], [4])
    assert (finished(events).reason, len(messages)) == ("done", 6)


@pytest.mark.requirement("honest-endings")
def test_the_calls_of_a_turn_that_the_provider_stopped_are_answered_and_not_run() -> None:
    stopped = cut(function_call(4), function_call(5, "c2"))
    stopped["incomplete_details"]["reason"] = "content_filter"
    events, messages = converse("openai", stopped)
    last = finished(events)
    assert (last.reason, last.detail, RUNS) == ("refusal", "content_filter", [])
    words = "This call was not run: the provider stopped the turn before its end."
    assert [one.outcome.text for one in events if isinstance(one, Called)] == [words, words]
    assert [one["type"] for one in messages[1:]] == [
        "function_call",
        "function_call",
        "function_call_output",
        "function_call_output",
    ]


@pytest.mark.requirement("honest-endings")
def test_a_turn_of_gemini_that_was_withheld_for_safety_ends_the_run() -> None:
    events, messages = converse("gemini", {"candidates": [{"finishReason": "SAFETY"}]})
    last = finished(events)
    assert (last.reason, last.detail, last.text) == ("refusal", "SAFETY", "")
    assert messages == [QUESTION]


UNKNOWN: list[Any] = [
    ("openai", {"output": [function_call(4), {"type": "holo_call", "call_id": "h"}]}, "holo_call"),
    ("openai-chat", {"choices": [{"message": {"role": "assistant", "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "double", "arguments": '{"n": 4}'}},
        {"id": "c2", "type": "holo", "holo": {}}]}}]}, "holo"),
    ("anthropic", {"role": "assistant", "content": [
        {"type": "tool_use", "id": "c1", "name": "double", "input": {"n": 4}},
        {"type": "holo_tool_use", "id": "c2"}]}, "holo_tool_use"),
    ("gemini", {"candidates": [{"content": {"role": "model", "parts": [
        {"functionCall": {"name": "double", "args": {"n": 4}}}, {"holoCall": {}}]}}]}, "holoCall"),
]  # fmt: skip


@pytest.mark.requirement("unknown-calls")
@pytest.mark.parametrize(("target", "response", "kind"), UNKNOWN)
def test_a_turn_with_a_call_of_an_unknown_kind_runs_nothing_and_is_left_out(
    target: str, response: Any, kind: str
) -> None:
    given = deepcopy(response)
    events, messages = converse(target, response)
    turn, last = events
    assert isinstance(turn, ModelTurn)
    assert isinstance(last, Finished)
    assert (last.reason, last.detail, last.response, RUNS) == ("failed", kind, given, [])
    assert (turn.calls, last.answer.outcomes, last.answer.messages) == ((), [], [])
    assert messages == [QUESTION]


@pytest.mark.requirement("honest-endings")
def test_a_response_that_failed_is_an_ending_streamed_or_not() -> None:
    failed = {"output": [function_call(4)], "status": "failed", "error": {"code": "server_error"}}
    events, messages = converse("openai", failed)
    streamed, streamed_messages = converse(
        "openai", [{"type": "response.failed", "response": failed}], stream=True
    )
    assert isinstance(streamed[0], Streamed)
    for last in (finished(events), finished(streamed)):
        assert (last.reason, last.detail, last.response, RUNS) == ("failed", "failed", failed, [])
    assert messages == streamed_messages == [QUESTION]


@pytest.mark.requirement("honest-endings")
def test_a_budget_that_ends_a_run_has_no_word_of_the_provider() -> None:
    events, _ = converse("openai", cut(function_call(4)), max_turns=1)
    last = finished(events)
    assert (last.reason, last.detail) == ("max_turns", None)
