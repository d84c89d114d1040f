"""The Messages API, against the types of anthropic 2.11.0."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import TypeAdapter

from tests.installed import sdk
from tests.providers.sample import tools
from tests.providers.sample_turn import CALLS
from toolhaft import WireError

if TYPE_CHECKING:
    from anthropic import types
else:
    types = sdk("anthropic.types")

THINKING = {"type": "thinking", "thinking": "", "signature": "c2lnbmVk"}


def call(call_id: str, name: str, arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": name, "input": arguments}


def response(*content: Any, stop_reason: str = "tool_use") -> dict[str, Any]:
    head = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-test"}
    usage = {"input_tokens": 1, "output_tokens": 1}
    stopped = {"stop_reason": stop_reason, "stop_sequence": None, "usage": usage}
    return {**head, **stopped, "content": list(content)}


WHOLE_TURN = response(THINKING, *(call(one.id, one.name, one.arguments) for one in CALLS))
RESULTS = [
    {
        "type": "tool_result",
        "tool_use_id": one.id,
        "content": one.text,
        "is_error": one.kind is not None,
    }
    for one in CALLS
]
REPLY = {"role": "user", "content": RESULTS}


def test_declarations_are_what_the_sdk_types_demand() -> None:
    declared = tools().export("anthropic").tools
    assert len(declared) == 5
    for one in declared:
        assert TypeAdapter(types.ToolParam).validate_python(one) == one


@pytest.mark.requirement("answer-whole-turn")
@pytest.mark.usefixtures("known_error_ids")
def test_all_results_go_into_one_user_message() -> None:
    answer = tools().export("anthropic").answer_sync(WHOLE_TURN)
    assert answer.messages == [{"role": "assistant", "content": WHOLE_TURN["content"]}, REPLY]
    assert answer.results == RESULTS


@pytest.mark.requirement("answer-sdk-objects")
@pytest.mark.usefixtures("known_error_ids")
def test_the_sdk_object_is_answered_alike_and_goes_back_as_it_came() -> None:
    received = types.Message.model_validate(WHOLE_TURN)
    answer = asyncio.run(tools().export("anthropic").answer(received))
    assert answer.messages == [{"role": "assistant", "content": received.content}, REPLY]
    for mine, theirs in zip(answer.messages[0]["content"], received.content, strict=True):
        assert mine is theirs


def test_every_message_is_a_message_of_the_sdk() -> None:
    answer = tools().export("anthropic").answer_sync(WHOLE_TURN)
    assert len(TypeAdapter(list[types.MessageParam]).validate_python(answer.messages)) == 2
    for one in answer.results:
        assert TypeAdapter(types.ToolResultBlockParam).validate_python(one) == one


def test_a_response_without_calls_is_done() -> None:
    received = response({"type": "text", "text": "Sunny."}, stop_reason="end_turn")
    answer = tools().export("anthropic").answer_sync(received)
    assert (answer.done, answer.results) == (True, [])
    assert answer.messages == [{"role": "assistant", "content": received["content"]}]


def test_an_empty_response_adds_no_message_since_the_api_would_refuse_it() -> None:
    answer = tools().export("anthropic").answer_sync(response(stop_reason="end_turn"))
    assert (answer.done, answer.messages) == (True, [])


def test_the_providers_own_tools_are_not_ours_to_call() -> None:
    server = {"type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": {}}
    assert tools().export("anthropic").calls(response(server)) == []


@pytest.mark.requirement("answer-truncated-calls")
@pytest.mark.parametrize("reason", ["max_tokens", "model_context_window_exceeded", "refusal"])
def test_the_call_at_which_the_model_was_stopped_is_not_run(reason: str) -> None:
    whole, cut = call("c1", "add", {"a": 1, "b": 2}), call("c2", "find_order", {"number": 1})
    answer = tools().export("anthropic").answer_sync(response(whole, cut, stop_reason=reason))
    assert [getattr(outcome, "kind", None) for outcome in answer.outcomes] == [None, "truncated"]
    assert [result["tool_use_id"] for result in answer.results] == ["c1", "c2"]


def test_a_call_before_the_text_at_which_the_model_was_stopped_is_whole() -> None:
    whole, text = call("c1", "add", {"a": 1, "b": 2}), {"type": "text", "text": "And"}
    answer = (
        tools().export("anthropic").answer_sync(response(whole, text, stop_reason="max_tokens"))
    )
    assert [result["content"] for result in answer.results] == ["3"]


@pytest.mark.requirement("wire-errors")
@pytest.mark.parametrize(
    ("received", "field"),
    [
        ({}, "content"),
        ({"output": []}, "content"),
        ({"role": "assistant", "content": "Sunny."}, "content"),
        (response({"type": "tool_use", "id": "c"}), "content[0].name"),
        (response(call("c", "add", {}), call("c", "add", {})), "content[1].id"),
    ],
)
def test_another_shape_is_one_error_that_names_the_field(received: Any, field: str) -> None:
    with pytest.raises(WireError) as raised:
        tools().export("anthropic").answer_sync(received)
    assert (raised.value.provider, raised.value.field) == ("anthropic", field)


# ------------------------------------------------------------------------------ streams


def block(begun: Any, *deltas: Any, index: int = 0) -> list[Any]:
    return [
        {"type": "content_block_start", "index": index, "content_block": begun},
        *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": index},
    ]


def written(*pieces: str) -> list[dict[str, Any]]:
    return [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]


def collected(*events: Any) -> Any:
    begun = {"type": "message_start", "message": response(stop_reason="")}
    stop = {"stop_reason": "tool_use", "stop_sequence": None}
    ends = [
        {"type": "message_delta", "delta": stop, "usage": {"output_tokens": 9}},
        {"type": "message_stop"},
    ]
    whole = tools().export("anthropic").collect_sync([begun, {"type": "ping"}, *events, *ends])
    types.Message.model_validate(whole)
    return whole


@pytest.mark.requirement("stream-servers")
@pytest.mark.parametrize(
    ("begun", "pieces", "wanted"),
    [
        ({}, ["", '{"a": 1, ', '"b": 2}'], {"a": 1, "b": 2}),
        ({}, [""], {}),
        ({}, [], {}),
        ({}, ["null"], {}),
        ({"a": 1, "b": 2}, [], {"a": 1, "b": 2}),
        ({"a": 1, "b": 2}, [""], {"a": 1, "b": 2}),
        ({"a": 1, "b": 2}, ['{"a": 1, "b": 2}'], {"a": 1, "b": 2}),
    ],
)
def test_input_comes_in_pieces_or_whole_or_not_at_all(
    begun: Any, pieces: list[str], wanted: Any
) -> None:
    whole = collected(*block(call("c1", "add", begun), *written(*pieces)))
    assert whole["content"] == [call("c1", "add", wanted)]


@pytest.mark.requirement("stream-servers")
def test_blocks_that_all_begin_at_one_place_are_several() -> None:
    whole = collected(
        *block(call("c1", "add", {}), *written('{"a": 1, "b": 2}')),
        *block(call("c2", "add", {}), *written('{"a": 2, "b": 2}')),
    )
    answer = tools().export("anthropic").answer_sync(whole)
    assert [one["content"] for one in answer.results] == ["3", "4"]


def test_blocks_of_the_providers_own_tools_and_sources_are_kept() -> None:
    server = {"type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": {}}
    found = {"type": "web_search_tool_result", "tool_use_id": "srv_1", "content": []}
    source = {"type": "page_location", "cited_text": "a", "document_index": 0}
    source |= {"start_page_number": 1, "end_page_number": 2, "document_title": None}
    cited = {"type": "citations_delta", "citation": source}
    said = {"type": "text_delta", "text": "Sunny."}
    whole = collected(
        *block(server, *written('{"query": ', '"Paris"}')),
        *block(found, index=1),
        *block({"type": "text", "text": "", "citations": None}, cited, said, index=2),
    )
    assert whole["content"] == [
        {**server, "input": {"query": "Paris"}},
        found,
        {"type": "text", "text": "Sunny.", "citations": [source]},
    ]
    assert (whole["usage"], whole["stop_reason"]) == (
        {"input_tokens": 1, "output_tokens": 9},
        "tool_use",
    )


@pytest.mark.requirement("wire-errors")
@pytest.mark.parametrize(
    ("event", "field", "reason"),
    [
        ({"type": "content_block_start"}, "index", "missing; expected a whole number"),
        ({"type": "content_block_start", "index": 0}, "content_block", "missing; expected an obj"),
        ({"type": "content_block_delta", "index": 4}, "index", "no content block has begun there"),
        ({"type": "message_start"}, "message", "missing; expected an object"),
        ({"type": "message_delta"}, "delta", "missing; expected an object"),
    ],
)
def test_an_event_of_another_shape_is_an_error_that_names_it(
    event: Any, field: str, reason: str
) -> None:
    with pytest.raises(WireError) as raised:
        tools().export("anthropic").stream().feed(event)
    assert raised.value.field == f"events[0].{field}"
    assert reason in str(raised.value)
