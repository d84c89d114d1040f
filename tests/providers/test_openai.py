"""The Responses API, against the types of openai 3.52.0."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import TypeAdapter

from tests.installed import needs, sdk
from tests.providers.sample import tools
from tests.providers.sample_turn import CALLS
from toolhaft import WireError

if TYPE_CHECKING:
    from openai.types import responses
    from openai.types.responses import response_input_item_param as inputs
else:
    responses = sdk("openai.types.responses")
    inputs = sdk("openai.types.responses.response_input_item_param")

OTHER_TEXT = "of another kind; expected text"
REASONING = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAAA"}


def call(call_id: str, name: str, arguments: Any) -> dict[str, Any]:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    shown = {"id": f"fc_{call_id}", "call_id": call_id, "status": "completed"}
    return {"type": "function_call", "name": name, "arguments": text, **shown}


def response(*output: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": "resp_1",
        "created_at": 0,
        "model": "gpt-test",
        "object": "response",
        "output": list(output),
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    }


WHOLE_TURN = response(REASONING, *(call(one.id, one.name, one.arguments) for one in CALLS))
RESULTS = [{"type": "function_call_output", "call_id": one.id, "output": one.text} for one in CALLS]


@needs("openai", "2.25")  # `defer_loading`
def test_declarations_are_what_the_sdk_types_demand() -> None:
    declared = tools().export("openai").tools
    assert len(declared) == 5
    for one in declared:
        assert TypeAdapter(responses.FunctionToolParam).validate_python(one) == one


@pytest.mark.requirement("export-strict-is-said")
def test_a_declaration_always_says_that_it_is_not_strict() -> None:
    assert [one["strict"] for one in tools().export("openai").tools] == [False] * 5


@pytest.mark.requirement("answer-whole-turn")
@pytest.mark.usefixtures("known_error_ids")
def test_a_plain_dict_is_answered_call_by_call() -> None:
    answer = tools().export("openai").answer_sync(WHOLE_TURN)
    assert answer.messages == [*WHOLE_TURN["output"], *RESULTS]
    assert answer.results == RESULTS
    assert [outcome.call_id for outcome in answer.outcomes] == [one.id for one in CALLS]
    assert not answer.done


@pytest.mark.requirement("answer-sdk-objects")
@pytest.mark.usefixtures("known_error_ids")
def test_the_sdk_object_is_answered_alike_and_goes_back_as_it_came() -> None:
    received = responses.Response.model_validate(WHOLE_TURN)
    answer = asyncio.run(tools().export("openai").answer(received))
    assert answer.results == RESULTS
    assert answer.messages == [*received.output, *RESULTS]
    turn = answer.messages[: len(received.output)]
    assert all(mine is theirs for mine, theirs in zip(turn, received.output, strict=True))


def test_every_message_is_an_input_item_of_the_sdk() -> None:
    answer = tools().export("openai").answer_sync(WHOLE_TURN)
    items = TypeAdapter(list[responses.ResponseInputItemParam]).validate_python(answer.messages)
    assert len(items) == len(CALLS) * 2 + 1
    for one in answer.results:
        assert TypeAdapter(inputs.FunctionCallOutput).validate_python(one) == one


def test_a_response_without_calls_is_done_and_still_goes_into_the_conversation() -> None:
    text = {"type": "output_text", "text": "Sunny.", "annotations": []}
    said = {"type": "message", "id": "m", "role": "assistant", "status": "completed"}
    received = response({**said, "content": [text]})
    answer = tools().export("openai").answer_sync(received)
    assert (answer.done, answer.results, answer.outcomes) == (True, [], [])
    assert answer.messages == received["output"]


def test_only_function_calls_are_calls() -> None:
    search = {"type": "web_search_call", "id": "ws_1", "status": "completed", "name": "add"}
    assert tools().export("openai").calls(response(search)) == []


def test_the_reply_uses_the_id_of_the_call_and_not_of_the_item() -> None:
    [found] = tools().export("openai").calls(response(call("c1", "add", '{"a":1}')))
    assert (found.id, found.name, found.arguments) == ("c1", "add", '{"a":1}')


def test_a_tool_loaded_by_search_is_ours_and_one_in_anothers_namespace_is_not() -> None:
    loaded = {**call("c1", "add", {"a": 1, "b": 2}), "namespace": "add"}
    other = {**call("c2", "add", {"a": 1, "b": 2}), "namespace": "crm"}
    wire = tools().export("openai")
    received = response(loaded, other)
    assert [one.name for one in wire.calls(received)] == ["add", "crm.add"]
    answer = wire.answer_sync(responses.Response.model_validate(received))
    assert [getattr(outcome, "kind", None) for outcome in answer.outcomes] == [None, "unknown_tool"]
    assert [item.namespace for item in answer.messages[:2]] == ["add", "crm"]


@pytest.mark.requirement("answer-truncated-calls")
def test_a_call_that_was_cut_off_is_not_run() -> None:
    cut = {**call("c1", "find_order", '{"number": 1'), "status": "incomplete"}
    answer = tools().export("openai").answer_sync(response(cut))
    assert [getattr(outcome, "kind", None) for outcome in answer.outcomes] == ["truncated"]


@pytest.mark.requirement("wire-errors")
@pytest.mark.parametrize(
    ("received", "field", "reason"),
    [
        ({}, "output", "missing; expected a list"),
        (None, "output", "missing; expected a list"),
        ("hello", "output", "missing; expected a list"),
        ({"output": {}}, "output", "of another kind; expected a list"),
        ({"content": [{"text": "x"}]}, "output", "missing; expected a list"),
        (response({"type": "function_call"}), "output[0].name", "missing; expected text"),
        (response({"type": "function_call", "call_id": 7}), "output[0].call_id", OTHER_TEXT),
        (
            response(call("c", "add", "{}"), call("c", "add", "{}")),
            "output[1].call_id",
            "the same id as output[0].call_id; each call needs its own",
        ),
    ],
)
def test_another_shape_is_one_error_that_names_the_field(
    received: Any, field: str, reason: str
) -> None:
    with pytest.raises(WireError) as raised:
        tools().export("openai").answer_sync(received)
    assert (raised.value.provider, raised.value.field) == ("openai", field)
    assert str(raised.value) == f"openai: {field}: {reason}"


# ------------------------------------------------------------------------------ streams


def begun(place: int, item: dict[str, Any]) -> dict[str, Any]:
    shown = {**item, "arguments": "", "status": "in_progress"}
    return {"type": "response.output_item.added", "output_index": place, "item": shown}


def piece(place: int, text: str) -> dict[str, Any]:
    kind = "response.function_call_arguments.delta"
    return {"type": kind, "output_index": place, "item_id": "fc", "delta": text}


def ended(kind: str, *output: Any, **more: Any) -> dict[str, Any]:
    return {"type": f"response.{kind}", "response": {**response(*output), **more}}


@pytest.mark.requirement("stream-servers")
def test_a_stream_whose_last_event_has_no_output_has_the_items_that_were_done() -> None:
    items = [call("c1", "add", {"a": 1, "b": 2}), REASONING]
    done = [
        {"type": "response.output_item.done", "output_index": place, "item": item}
        for place, item in ((1, items[0]), (0, items[1]))
    ]
    events = [begun(1, items[0]), *done, ended("completed")]
    wire = tools().export("openai")
    answer = wire.answer_sync(wire.collect_sync(events))
    assert answer.messages[:2] == [REASONING, items[0]]
    assert [one["output"] for one in answer.results] == ["3"]


@pytest.mark.requirement("answer-truncated-calls")
@pytest.mark.parametrize("text", ["", "{}", '{"number": 1}', '{"number'])
@pytest.mark.parametrize("status", ["incomplete", "in_progress"])
def test_a_call_that_was_not_completed_is_never_run(text: str, status: str) -> None:
    cut = {**call("c1", "find_order", text), "status": status}
    wire = tools().export("openai")
    for received in (
        response(cut),
        wire.collect_sync([begun(0, cut), piece(0, text), ended("incomplete", cut)]),
        wire.collect_sync([begun(0, cut), piece(0, text), ended("incomplete")]),
    ):
        answer = wire.answer_sync(received)
        assert [getattr(outcome, "kind", None) for outcome in answer.outcomes] == ["truncated"]
        assert answer.messages[0]["arguments"] == text
