"""Ollama's chat API, against the types of ollama 0.6.3."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import TypeAdapter

from tests.installed import sdk
from tests.providers.sample import tools
from tests.providers.sample_streams import BY_TARGET, ollama_chunk
from tests.providers.sample_turn import CALLS
from toolhaft import WireError

if TYPE_CHECKING:
    import ollama
else:
    ollama = sdk("ollama")

STREAM = BY_TARGET["ollama"]
WHOLE_TURN = STREAM.whole
RESULTS = [{"role": "tool", "tool_name": one.name, "content": one.text} for one in CALLS]


def call(name: str, arguments: Any) -> dict[str, Any]:
    return {"function": {"name": name, "arguments": arguments}}


def response(*calls: Any) -> dict[str, Any]:
    return {"message": {"role": "assistant", "tool_calls": list(calls)}, "done": True}


def test_declarations_are_what_the_sdk_types_demand() -> None:
    declared = TypeAdapter(list[ollama.Tool]).validate_python(tools().export("ollama").tools)
    assert len(declared) == 5


@pytest.mark.requirement("answer-whole-turn")
@pytest.mark.usefixtures("known_error_ids")
def test_a_plain_dict_is_answered_call_by_call() -> None:
    answer = tools().export("ollama").answer_sync(WHOLE_TURN)
    assert answer.messages == [WHOLE_TURN["message"], *RESULTS]
    ids = [outcome.call_id for outcome in answer.outcomes]
    assert ids == [f"call_{place}" for place in range(len(CALLS))]


@pytest.mark.requirement("answer-sdk-objects")
@pytest.mark.usefixtures("known_error_ids")
def test_the_sdk_object_is_answered_alike_and_goes_back_as_it_came() -> None:
    received = ollama.ChatResponse.model_validate(WHOLE_TURN)
    answer = asyncio.run(tools().export("ollama").answer(received))
    assert answer.results == RESULTS
    assert answer.messages[0] is received.message


def test_every_message_is_a_message_of_the_sdk() -> None:
    wire = tools().export("ollama")
    for received in (WHOLE_TURN, wire.collect_sync(STREAM.events)):
        messages = wire.answer_sync(received).messages
        read = TypeAdapter(list[ollama.Message]).validate_python(messages)
        assert [one.tool_name for one in read] == [None, *(one.name for one in CALLS)]


@pytest.mark.parametrize("calls", [{}, {"tool_calls": None}, {"tool_calls": []}])
def test_a_response_without_calls_is_done(calls: Any) -> None:
    received = {"message": {"role": "assistant", "content": "Sunny.", **calls}}
    for one in (received, ollama.ChatResponse.model_validate(received)):
        assert tools().export("ollama").answer_sync(one).done


@pytest.mark.requirement("wire-errors")
@pytest.mark.parametrize(
    ("received", "field"),
    [
        ({}, "message"),
        (None, "message"),
        ({"choices": []}, "message"),
        ({"message": {"tool_calls": {"a": 1}}}, "message.tool_calls"),
        (response({}), "message.tool_calls[0].function"),
        (response({"function": {}}), "message.tool_calls[0].function.name"),
    ],
)
def test_another_shape_is_one_error_that_names_the_field(received: Any, field: str) -> None:
    with pytest.raises(WireError) as raised:
        tools().export("ollama").answer_sync(received)
    assert (raised.value.provider, raised.value.field) == ("ollama", field)


def test_a_stream_of_the_same_call_in_two_chunks_is_two_calls() -> None:
    added = call("add", {"a": 1, "b": 2})
    events = [ollama_chunk(tool_calls=[added]) for _ in range(2)]
    wire = tools().export("ollama")
    answer = wire.answer_sync(wire.collect_sync([*events, {**ollama_chunk(), "done": True}]))
    assert [one["content"] for one in answer.results] == ["3", "3"]
