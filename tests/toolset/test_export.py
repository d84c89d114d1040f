"""The steps of a turn: calls are run, and each is answered once, for every target."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from tests.providers.sample import tools
from tests.wire_samples import ADDED, CALLED, anthropic, declared
from toolhaft import Context, LoopGuard, ToolCall, Toolset, WireError, from_json, tool
from toolhaft.errors import ToolhaftError


@pytest.mark.requirement("pain-51")
@pytest.mark.parametrize("target", ["anthropic", "openai", "openai-chat"])
def test_each_call_gets_exactly_one_result_in_the_order_of_the_request(target: str) -> None:
    names = ["crash", "add", "nothing", "find_order", "add", "crash"]
    calls = [ToolCall(f"c{place}", name, ADDED) for place, name in enumerate(names)]
    wire = tools().export(target)
    results = [wire.result(outcome) for outcome in asyncio.run(wire.call_all(calls))]
    id_field = {"anthropic": "tool_use_id", "openai": "call_id", "openai-chat": "tool_call_id"}
    assert [result[id_field[target]] for result in results] == [call.id for call in calls]


@CALLED
def test_a_call_alone_is_run_as_among_others(target: str) -> None:
    wire = tools().export(target)
    good, unknown = ToolCall("c1", "add", ADDED), ToolCall("c2", "ad", ADDED)
    sync = [wire.call_sync(good), wire.call_sync(unknown)]
    awaited = [asyncio.run(wire.call(good)), asyncio.run(wire.call(unknown))]
    for first, second in (sync, awaited):
        assert (first.unwrap(), first.call_id) == (3, "c1")
        assert (getattr(second, "kind", ""), second.name, second.call_id) == (
            "unknown_tool",
            "ad",
            "c2",
        )


@pytest.mark.parametrize("target", ["anthropic", "openai", "openai-chat"])
def test_an_outcome_that_answers_no_call_makes_no_result(target: str) -> None:
    outcome = tools().call_sync("add", ADDED)
    with pytest.raises(ToolhaftError) as raised:
        tools().export(target).result(outcome)
    assert str(raised.value) == (
        f"{target}: the outcome has no call_id; run the call through the export"
    )


@pytest.mark.requirement("pain-72")
@pytest.mark.parametrize("raw", ['{"a": 1, "b": 2}', b'{"a": 1, "b": 2}', ADDED])
@CALLED
def test_text_bytes_and_objects_give_the_same_result(target: str, raw: Any) -> None:
    wire = tools().export(target)
    expected = wire.result(wire.call_sync(ToolCall("c", "add", ADDED)))
    assert wire.result(wire.call_sync(ToolCall("c", "add", raw))) == expected


@pytest.mark.parametrize("raw", [[1], 7, '"text"', [], {"a": {1}}])
def test_arguments_of_any_other_kind_are_the_models_mistake(raw: Any) -> None:
    outcome = tools().export("anthropic").call_sync(ToolCall("c", "add", raw))
    assert getattr(outcome, "kind", None) == "invalid_input"


def test_the_context_reaches_the_handler_by_every_way() -> None:
    @tool
    def whose(context: Context[dict[str, str]]) -> str:
        """Name the user."""
        return context["user"]

    wire = Toolset([whose]).export("anthropic")
    ann, call = {"user": "ann"}, ToolCall("c", "whose")
    received = anthropic(("c", "whose", {}))
    outcomes = [
        wire.call_sync(call, context=ann),
        asyncio.run(wire.call(call, context=ann)),
        *wire.call_all_sync([call], context=ann),
        *asyncio.run(wire.call_all([call], context=ann)),
        *wire.answer_sync(received, context=ann).outcomes,
        *asyncio.run(wire.answer(received, context=ann)).outcomes,
    ]
    assert [outcome.unwrap() for outcome in outcomes] == ["ann"] * 6


@pytest.mark.requirement("wire-errors")
def test_a_response_that_cannot_be_read_runs_nothing() -> None:
    ran: list[str] = []
    made = from_json([declared("act")], call=lambda name, arguments: ran.append(name))
    twice = anthropic(("c", "act", {}), ("c", "act", {}))
    wire = made.export("anthropic")
    with pytest.raises(
        WireError, match=r"^anthropic: content\[1\].id: the same id as content\[0\]"
    ):
        wire.answer_sync(twice)
    with pytest.raises(WireError):
        asyncio.run(wire.answer(twice))
    assert ran == []


@pytest.mark.requirement("answer-cancelled")
@pytest.mark.requirement("pain-51")
def test_after_a_cancellation_every_call_is_answered_as_cancelled() -> None:
    began = asyncio.Event()

    @tool
    async def wait() -> str:
        """Wait for ever."""
        began.set()
        await asyncio.Event().wait()
        return ""

    wire = Toolset([wait]).export("anthropic")
    received = anthropic(("c1", "wait", {}), ("c2", "nothing", {}))

    async def cancelled() -> bool:
        task = asyncio.create_task(wire.answer(received))
        await began.wait()
        task.cancel()
        ended = await asyncio.gather(task, return_exceptions=True)
        return isinstance(ended[0], asyncio.CancelledError)

    assert asyncio.run(cancelled())
    answer = wire.unanswered(received)
    text = (
        "The call was cancelled before it finished and may have taken effect: "
        "do not repeat the call."
    )
    results = [
        {"type": "tool_result", "tool_use_id": call_id, "content": text, "is_error": True}
        for call_id in ("c1", "c2")
    ]
    assert answer.messages == [
        {"role": "assistant", "content": received["content"]},
        {"role": "user", "content": results},
    ]
    assert answer.results == results
    assert [(one.name, getattr(one, "effect", "")) for one in answer.outcomes] == [
        ("wait", "unknown"),
        ("nothing", "unknown"),
    ]


def test_an_answer_shows_its_outcomes_and_no_value() -> None:
    answer = tools().export("anthropic").answer_sync(anthropic(("c", "add", ADDED)))
    assert repr(answer) == "Answer(outcomes=[Ok(name='add', coercions=())])"


@pytest.mark.requirement("loop-guard")
@pytest.mark.requirement("pain-13")
def test_a_guard_is_told_the_tools_own_names_and_counts_every_call_of_a_turn() -> None:
    seen: list[Any] = []

    def key(name: str, arguments: Any) -> Any:
        seen.append((name, arguments))
        return name, str(arguments)

    pairs = {"type": "object", "additionalProperties": {"type": "integer"}}
    find = declared("geo.find", properties={"pairs": pairs, "n": {"type": "integer"}})
    made = from_json([find], call=lambda name, arguments: arguments)
    wire = made.export("openai", strict="prefer")
    good = json.dumps({"pairs": [{"key": "a", "value": 1}], "n": None})
    bad = json.dumps({"pairs": [{"key": "a"}], "n": None})
    turn = [("geo_find", good), ("geo_find", bad), ("geo_fund", good)]
    calls = [
        ToolCall(f"c{place}", name, raw)
        for place, (name, raw) in enumerate(one for one in turn for _ in range(3))
    ]
    expected = ["ok", "ok", "loop", *["invalid_input"] * 2, "loop", *["unknown_tool"] * 2, "loop"]
    for outcomes in (
        asyncio.run(wire.call_all(calls, guard=LoopGuard(key=key))),
        wire.call_all_sync(calls, guard=LoopGuard(key=key)),
    ):
        assert [getattr(one, "kind", "ok") for one in outcomes] == expected
        assert [one.call_id for one in outcomes] == [f"c{place}" for place in range(9)]
        assert [wire.result(one)["call_id"] for one in outcomes] == [one.id for one in calls]
    assert [name for name, _ in seen[:9:3]] == ["geo.find", "geo.find", "geo_fund"]
    assert seen[0][1] == {"pairs": {"a": 1}}


@pytest.mark.requirement("loop-guard")
def test_one_guard_goes_with_the_whole_conversation() -> None:
    wire, guard = tools().export("anthropic"), LoopGuard()
    received = anthropic(("c", "add", ADDED))
    call = ToolCall("c", "add", ADDED)
    assert wire.answer_sync(received, guard=guard).results[0]["is_error"] is False
    assert wire.call_sync(call, guard=guard)
    refused = asyncio.run(wire.answer(received, guard=guard))
    assert [(one.name, getattr(one, "kind", "")) for one in refused.outcomes] == [("add", "loop")]
    assert refused.results[0]["is_error"] is True
    assert not asyncio.run(wire.call(call, guard=guard))
