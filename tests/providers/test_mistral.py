"""Mistral's chat API, against the types of mistralai 3.7.0."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import TypeAdapter

from tests.installed import sdk
from tests.providers.sample import tools
from tests.providers.sample_streams import BY_TARGET, chat_chunk
from tests.providers.sample_turn import CALLS
from toolhaft import WireError

if TYPE_CHECKING:
    from mistralai.client import models
else:
    models = sdk("mistralai.client.models")

STREAM = BY_TARGET["mistral"]
USAGE = {"prompt_tokens": 3, "completion_tokens": 9, "total_tokens": 12}
WHOLE_TURN: dict[str, Any] = {**STREAM.whole, "usage": USAGE}
MESSAGE = WHOLE_TURN["choices"][0]["message"]
RESULTS = [
    {"role": "tool", "tool_call_id": one.id, "name": one.name, "content": one.text} for one in CALLS
]


def call(call_id: str | None, name: str, arguments: Any) -> dict[str, Any]:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {"id": call_id, "function": {"name": name, "arguments": text}}


def response(*calls: Any, finish_reason: str = "tool_calls") -> dict[str, Any]:
    message = {"role": "assistant", "content": "", "tool_calls": list(calls)}
    choice = {"index": 0, "finish_reason": finish_reason, "message": message}
    head = {"id": "c1", "object": "chat.completion", "model": "m", "created": 0, "usage": USAGE}
    return {**head, "choices": [choice]}


def typed(received: Any) -> models.ChatCompletionResponse:
    return models.ChatCompletionResponse.model_validate(received)


def test_declarations_are_what_the_sdk_types_demand() -> None:
    for wire in (tools().export("mistral"), tools().export("mistral", strict="prefer")):
        declared = [models.Tool.model_validate(one) for one in wire.tools]
        assert [one.model_dump(exclude_unset=True) for one in declared] == wire.tools


@pytest.mark.requirement("answer-whole-turn")
@pytest.mark.usefixtures("known_error_ids")
def test_a_plain_dict_is_answered_call_by_call() -> None:
    answer = tools().export("mistral").answer_sync(WHOLE_TURN)
    assert answer.messages == [MESSAGE, *RESULTS]
    assert answer.results == RESULTS


@pytest.mark.requirement("answer-sdk-objects")
@pytest.mark.usefixtures("known_error_ids")
def test_the_sdk_object_is_answered_alike_and_goes_back_as_it_came() -> None:
    received = typed(WHOLE_TURN)
    answer = asyncio.run(tools().export("mistral").answer(received))
    assert answer.results == RESULTS
    assert answer.messages[0] is received.choices[0].message


def test_every_message_is_a_message_of_the_sdk() -> None:
    wire = tools().export("mistral")
    for received in (WHOLE_TURN, wire.collect_sync(STREAM.events)):
        turn, *results = wire.answer_sync(received).messages
        models.AssistantMessage.model_validate(turn)
        assert len([models.ToolMessage.model_validate(one) for one in results]) == len(CALLS)


@pytest.mark.parametrize("read", [dict, typed])
def test_a_response_without_calls_is_done(read: Callable[[Any], Any]) -> None:
    assert tools().export("mistral").answer_sync(read(response())).done


def test_calls_that_were_never_set_are_none() -> None:
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "x"}}
    for received in ({"choices": [choice]}, typed({**response(), "choices": [choice]})):
        assert tools().export("mistral").calls(received) == []


@pytest.mark.requirement("answer-ids")
def test_the_sdks_word_for_no_id_is_none() -> None:
    unnamed = {"function": {"name": "add", "arguments": {"a": 1, "b": 2}}}
    for received in (response(unnamed, unnamed), typed(response(unnamed, unnamed))):
        answer = tools().export("mistral").answer_sync(received)
        found = [(one["tool_call_id"], one["content"]) for one in answer.results]
        assert found == [("call_0", "3"), ("call_1", "3")]


@pytest.mark.requirement("answer-truncated-calls")
@pytest.mark.parametrize("reason", ["length", "model_length", "error"])
def test_the_call_at_which_the_model_was_stopped_is_not_run(reason: str) -> None:
    received = response(call("c1", "crash", {}), call("c2", "crash", ""), finish_reason=reason)
    answer = tools().export("mistral").answer_sync(received)
    kinds = [getattr(one, "kind", None) for one in answer.outcomes]
    assert kinds == ["runtime_error", "truncated"]


@pytest.mark.requirement("wire-errors")
@pytest.mark.parametrize(
    ("received", "field"),
    [
        ({}, "choices"),
        (None, "choices"),
        ({"candidates": []}, "choices"),
        ({"choices": [{}]}, "choices[0].message"),
        (response({"id": "c"}), "choices[0].message.tool_calls[0].function"),
        (response({"function": {}}), "choices[0].message.tool_calls[0].function.name"),
        (response({"id": 7, "function": {}}), "choices[0].message.tool_calls[0].id"),
        (
            response(call("c", "add", {}), call("c", "add", {})),
            "choices[0].message.tool_calls[1].id",
        ),
    ],
)
def test_another_shape_is_one_error_that_names_the_field(received: Any, field: str) -> None:
    with pytest.raises(WireError) as raised:
        tools().export("mistral").answer_sync(received)
    assert (raised.value.provider, raised.value.field) == ("mistral", field)


def test_calls_that_a_stream_brings_without_ids_and_places_are_told_apart() -> None:
    calls = [{"function": {"name": "add", "arguments": {"a": n, "b": 1}}} for n in (1, 2)]
    chunk = {"data": chat_chunk({"tool_calls": calls}, "tool_calls")}
    wire = tools().export("mistral")
    for event in (chunk, models.CompletionEvent.model_validate(chunk)):
        answer = wire.answer_sync(wire.collect_sync([event]))
        found = [(one["tool_call_id"], one["content"]) for one in answer.results]
        assert found == [("call_0", "2"), ("call_1", "3")]


def test_thoughts_and_words_are_parts_of_one_content() -> None:
    def thought(text: str) -> dict[str, Any]:
        return {"type": "thinking", "thinking": [{"type": "text", "text": text}]}

    reference = {"type": "reference", "reference_ids": [1]}
    contents: list[Any] = ["", [thought("H")], [thought("m.")], "Sun", "ny", [reference], "."]
    events = [chat_chunk({"content": one}) for one in contents]
    whole = tools().export("mistral").collect_sync([*events, chat_chunk({}, "stop")])
    content = whole["choices"][0]["message"]["content"]
    assert content == [
        thought("Hm.") | {"thinking": [{"type": "text", "text": "Hm."}]},
        {"type": "text", "text": "Sunny"},
        reference,
        {"type": "text", "text": "."},
    ]
    TypeAdapter(models.AssistantMessage).validate_python({"content": content})
