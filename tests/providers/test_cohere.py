"""Cohere's chat API, version 2, against the types of cohere 7.3.1."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import TypeAdapter

from tests.installed import sdk
from tests.providers.sample import tools
from tests.providers.sample_streams import BY_TARGET
from tests.providers.sample_turn import CALLS
from toolhaft import WireError

if TYPE_CHECKING:
    import cohere
else:
    cohere = sdk("cohere")

STREAM = BY_TARGET["cohere"]
WHOLE_TURN = STREAM.whole
RESULTS = [{"role": "tool", "tool_call_id": one.id, "content": one.text} for one in CALLS]


def call(call_id: str | None, name: str, arguments: Any) -> dict[str, Any]:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": text}}


def response(*calls: Any, finish_reason: str = "TOOL_CALL") -> dict[str, Any]:
    message = {"role": "assistant", "tool_calls": list(calls)}
    return {"id": "c_1", "finish_reason": finish_reason, "message": message}


def typed(received: Any) -> cohere.V2ChatResponse:
    return TypeAdapter(cohere.V2ChatResponse).validate_python(received)


def test_declarations_are_what_the_sdk_types_demand() -> None:
    wire = tools().export("cohere")
    declared = TypeAdapter(list[cohere.ToolV2]).validate_python(wire.tools)
    assert [one.model_dump(exclude_unset=True) for one in declared] == wire.tools


@pytest.mark.requirement("answer-whole-turn")
@pytest.mark.usefixtures("known_error_ids")
def test_a_plain_dict_is_answered_call_by_call_and_the_plan_goes_back() -> None:
    answer = tools().export("cohere").answer_sync(WHOLE_TURN)
    assert answer.messages == [WHOLE_TURN["message"], *RESULTS]
    assert answer.messages[0]["tool_plan"] == "Two cities."


@pytest.mark.requirement("answer-sdk-objects")
@pytest.mark.usefixtures("known_error_ids")
def test_the_sdk_object_is_answered_alike_and_goes_back_as_it_came() -> None:
    received = typed(WHOLE_TURN)
    answer = asyncio.run(tools().export("cohere").answer(received))
    assert answer.results == RESULTS
    assert answer.messages[0] is received.message


def test_every_message_is_a_message_of_the_sdk() -> None:
    wire = tools().export("cohere")
    for received in (WHOLE_TURN, wire.collect_sync(STREAM.events)):
        turn, *results = wire.answer_sync(received).messages
        TypeAdapter(cohere.AssistantChatMessageV2).validate_python(turn)
        read = TypeAdapter(list[cohere.ToolChatMessageV2]).validate_python(results)
        assert [one.tool_call_id for one in read] == [one.id for one in CALLS]


@pytest.mark.parametrize("calls", [{}, {"tool_calls": None}, {"tool_calls": []}])
def test_a_response_without_calls_is_done(calls: Any) -> None:
    message = {"role": "assistant", "content": [{"type": "text", "text": "Sunny."}], **calls}
    received = {"id": "c_1", "finish_reason": "COMPLETE", "message": message}
    for one in (received, typed(received)):
        assert tools().export("cohere").answer_sync(one).done


@pytest.mark.requirement("answer-truncated-calls")
@pytest.mark.parametrize("reason", ["MAX_TOKENS", "ERROR", "TIMEOUT"])
def test_the_call_at_which_the_model_was_stopped_is_not_run(reason: str) -> None:
    received = response(call("c1", "crash", {}), call("c2", "crash", ""), finish_reason=reason)
    for one in (received, typed(received)):
        answer = tools().export("cohere").answer_sync(one)
        kinds = [getattr(outcome, "kind", None) for outcome in answer.outcomes]
        assert kinds == ["runtime_error", "truncated"]


@pytest.mark.requirement("answer-ids")
def test_calls_without_an_id_are_given_one_by_their_place() -> None:
    received = response(call(None, "add", {}), call("call_0", "add", {}))
    found = tools().export("cohere").calls(received)
    assert [one.id for one in found] == ["call_0_", "call_0"]


@pytest.mark.requirement("wire-errors")
@pytest.mark.parametrize(
    ("received", "field"),
    [
        ({}, "message"),
        (None, "message"),
        ({"choices": []}, "message"),
        ({"message": {"tool_calls": {}}}, "message.tool_calls"),
        (response({"id": "c"}), "message.tool_calls[0].function"),
        (response({"function": {}}), "message.tool_calls[0].function.name"),
        (response(call("c", "add", {}), call("c", "add", {})), "message.tool_calls[1].id"),
    ],
)
def test_another_shape_is_one_error_that_names_the_field(received: Any, field: str) -> None:
    with pytest.raises(WireError) as raised:
        tools().export("cohere").answer_sync(received)
    assert (raised.value.provider, raised.value.field) == ("cohere", field)


# ------------------------------------------------------------------------------ streams


def event(kind: str, index: int, **message: Any) -> dict[str, Any]:
    return {"type": kind, "index": index, "delta": {"message": message}}


def end(finish_reason: str) -> dict[str, Any]:
    usage = {"tokens": {"input_tokens": 3, "output_tokens": 9}}
    delta = {"finish_reason": finish_reason, "usage": usage}
    return {"type": "message-end", "delta": delta}


def test_sources_and_counts_are_kept() -> None:
    sources: list[Any] = [{"start": place, "end": place + 1, "text": "a"} for place in range(2)]
    events = [
        *(event("citation-start", at, citations=one) for at, one in enumerate(sources)),
        {"type": "citation-end", "index": 0},
        end("COMPLETE"),
    ]
    whole = tools().export("cohere").collect_sync(events)
    assert whole == {
        "finish_reason": "COMPLETE",
        "usage": {"tokens": {"input_tokens": 3, "output_tokens": 9}},
        "message": {"role": "assistant", "citations": sources},
    }


@pytest.mark.requirement("answer-truncated-calls")
@pytest.mark.parametrize(("reason", "kind"), [("TOOL_CALL", None), ("MAX_TOKENS", "truncated")])
def test_a_call_without_its_end_is_run_only_if_the_turn_was_whole(reason: str, kind: Any) -> None:
    text = '{"a": 1, "b": 2}'
    begun = event("tool-call-start", 0, tool_calls=call("c1", "add", text))
    wire = tools().export("cohere")
    [outcome] = wire.answer_sync(wire.collect_sync([begun, end(reason)])).outcomes
    assert getattr(outcome, "kind", None) == kind


@pytest.mark.requirement("wire-errors")
def test_a_piece_without_its_place_is_an_error_that_names_it() -> None:
    piece = event("tool-call-delta", 0, tool_calls={"function": {"arguments": "{"}})
    del piece["index"]
    with pytest.raises(WireError, match=r"^cohere: events\[0\]\.index: missing; expected a whole"):
        tools().export("cohere").collect_sync([piece])
