"""A toolset on a wire: names, problems, the steps of a turn, and what holds for every target."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from tests.providers.sample import tools
from toolhaft import Context, ToolCall, Toolset, WireError, from_json, tool
from toolhaft.call import feedback
from toolhaft.errors import ToolhaftError
from toolhaft.export import Problem
from toolhaft.providers import TARGETS

ALL = pytest.mark.parametrize("target", TARGETS)
ADDED = {"a": 1, "b": 2}


def declared(name: str, **schema: Any) -> dict[str, Any]:
    return {"name": name, "inputSchema": {"type": "object", "properties": {}, **schema}}


def anthropic(*calls: tuple[str, str, Any]) -> dict[str, Any]:
    blocks = [{"type": "tool_use", "id": i, "name": n, "input": a} for i, n, a in calls]
    return {"role": "assistant", "content": blocks, "stop_reason": "tool_use"}


# ------------------------------------------------------------------------------- declarations


@pytest.mark.requirement("pain-27")
def test_names_are_mapped_for_the_target_and_back() -> None:
    long = "workspace." * 9 + "calendar.respond"
    made = from_json([declared(long), declared("geo.find")], call=lambda name, arguments: name)
    wire = made.export("openai")
    found = [one["name"] for one in wire.tools]
    assert found[0] == "geo_find"
    assert len(found[1]) <= 64
    calls = [ToolCall(f"c{place}", name, "{}") for place, name in enumerate(found)]
    assert [outcome.unwrap() for outcome in wire.call_all_sync(calls)] == ["geo.find", long]
    assert [one["name"] for one in made.export("mcp").tools] == ["geo.find", long]


@pytest.mark.requirement("pain-27")
def test_a_name_of_ours_that_the_target_does_not_know_is_unknown() -> None:
    wire = from_json([declared("geo.find")], call=lambda name, arguments: name).export("openai")
    outcome = wire.call_sync(ToolCall("c", "geo.find"))
    assert outcome.text == feedback.unknown_tool("geo.find", ["geo_find"])
    assert "geo_find" in outcome.text


@ALL
def test_without_tools_there_is_nothing_to_add_to_a_request(target: str) -> None:
    wire = Toolset().export(target)
    empty = {"mcp": {"tools": [], "resultType": "complete", "ttlMs": 0, "cacheScope": "private"}}
    empty["mcp-2025-11-25"] = {"tools": []}
    assert (wire.tools, wire.request) == ([], empty.get(target, {}))


@ALL
@pytest.mark.requirement("export-problems")
def test_a_tool_that_a_target_cannot_take_is_left_out_and_named(target: str) -> None:
    def handler(arguments: dict[str, Any]) -> int:
        return len(arguments)

    untyped = {"properties": {"a": {"type": "integer"}}, "required": ["a"]}
    bad = tool(handler, name="bad", description="No type.", input=untyped)
    wire = Toolset([bad, *tools().select("add")]).export(target)
    assert len(wire.tools) == 1
    assert wire.problems == (
        Problem(
            "bad", "", "the root of a schema is an object", 'write "type": "object" at its root'
        ),
    )
    outcome = wire.call_sync(ToolCall("c", "bad", {"a": 1}))
    assert getattr(outcome, "kind", None) == "unknown_tool"


@ALL
def test_without_problems_nothing_is_named(target: str) -> None:
    wire = tools().export(target)
    assert (wire.problems, wire.losses) == ((), ())


@ALL
def test_exporting_leaves_no_way_into_the_tools(target: str) -> None:
    toolset = tools()
    wire = toolset.export(target)
    before = json.dumps(wire.request)
    spoil(wire.request)
    assert json.dumps(toolset.export(target).request) == before


def spoil(data: Any) -> None:
    for one in list(data.values()) if isinstance(data, dict) else data:
        if isinstance(one, dict | list):
            spoil(one)
    data.clear()


# ------------------------------------------------------------------------------- steps of a turn


@pytest.mark.requirement("pain-51")
@pytest.mark.parametrize("target", ["anthropic", "openai", "openai-chat"])
def test_each_call_gets_exactly_one_result_in_the_order_of_the_request(target: str) -> None:
    names = ["crash", "add", "nothing", "find_order", "add", "crash"]
    calls = [ToolCall(f"c{place}", name, ADDED) for place, name in enumerate(names)]
    wire = tools().export(target)
    results = [wire.result(outcome) for outcome in asyncio.run(wire.call_all(calls))]
    id_field = {"anthropic": "tool_use_id", "openai": "call_id", "openai-chat": "tool_call_id"}
    assert [result[id_field[target]] for result in results] == [call.id for call in calls]


@ALL
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
@ALL
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
        [done] = await asyncio.gather(task, return_exceptions=True)
        return isinstance(done, asyncio.CancelledError)

    assert asyncio.run(cancelled())
    answer = wire.unanswered(received)
    text = "The call was cancelled before it finished. It may still have taken effect."
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
