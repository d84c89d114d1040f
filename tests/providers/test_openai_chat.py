"""Chat Completions, against the types of openai 3.52.0."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import TypeAdapter

from tests.installed import sdk
from tests.providers.sample import tools
from tests.providers.sample_turn import CALLS
from toolhaft import WireError

if TYPE_CHECKING:
    from openai.types import chat
else:
    chat = sdk("openai.types.chat")


def call(call_id: str | None, name: str, arguments: Any) -> dict[str, Any]:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": text}}


def choice(*calls: Any, **message: Any) -> dict[str, Any]:
    said = {"role": "assistant", "content": None, "tool_calls": list(calls), **message}
    return {"index": 0, "finish_reason": "tool_calls", "message": said}


def response(*choices: Any) -> dict[str, Any]:
    head = {"id": "chatcmpl-1", "created": 0, "model": "gpt-test", "object": "chat.completion"}
    return {**head, "choices": list(choices)}


WHOLE_TURN = response(choice(*(call(one.id, one.name, one.arguments) for one in CALLS)))
RESULTS = [{"role": "tool", "tool_call_id": one.id, "content": one.text} for one in CALLS]


def test_declarations_are_what_the_sdk_types_demand() -> None:
    declared = tools().export("openai-chat").tools
    assert len(declared) == 5
    for one in declared:
        assert TypeAdapter(chat.ChatCompletionFunctionToolParam).validate_python(one) == one


@pytest.mark.requirement("answer-whole-turn")
@pytest.mark.usefixtures("known_error_ids")
def test_a_plain_dict_is_answered_call_by_call() -> None:
    answer = tools().export("openai-chat").answer_sync(WHOLE_TURN)
    assert answer.messages == [WHOLE_TURN["choices"][0]["message"], *RESULTS]
    assert answer.results == RESULTS


@pytest.mark.requirement("answer-sdk-objects")
@pytest.mark.usefixtures("known_error_ids")
def test_the_sdk_object_is_answered_alike_and_goes_back_as_it_came() -> None:
    received = chat.ChatCompletion.model_validate(WHOLE_TURN)
    answer = asyncio.run(tools().export("openai-chat").answer(received))
    assert answer.results == RESULTS
    assert answer.messages[0] is received.choices[0].message


def test_every_message_is_a_message_of_the_sdk() -> None:
    answer = tools().export("openai-chat").answer_sync(WHOLE_TURN)
    messages = TypeAdapter(list[chat.ChatCompletionMessageParam]).validate_python(answer.messages)
    assert len(messages) == len(CALLS) + 1
    for one in answer.results:
        assert TypeAdapter(chat.ChatCompletionToolMessageParam).validate_python(one) == one


@pytest.mark.parametrize("calls", [None, []])
def test_a_response_without_calls_is_done(calls: Any) -> None:
    received = response(choice(content="Sunny.", tool_calls=calls))
    answer = tools().export("openai-chat").answer_sync(received)
    assert (answer.done, answer.results) == (True, [])
    assert answer.messages == [received["choices"][0]["message"]]


def test_one_of_several_choices_is_answered_by_itself() -> None:
    first, second = choice(call("c1", "crash", {})), choice(call("c2", "add", {"a": 1, "b": 2}))
    wire = tools().export("openai-chat")
    with pytest.raises(WireError, match=r"^openai-chat: choices: there are 2; pass the choice"):
        wire.calls(response(first, second))
    answer = wire.answer_sync(second)
    assert answer.messages == [
        second["message"],
        {"role": "tool", "tool_call_id": "c2", "content": "3"},
    ]


@pytest.mark.requirement("answer-ids")
def test_calls_without_an_id_are_given_one_by_their_place() -> None:
    received = response(
        choice(call(None, "add", {}), call("", "add", {}), call("call_0", "add", {}))
    )
    assert [one.id for one in tools().export("openai-chat").calls(received)] == [
        "call_0_",
        "call_1",
        "call_0",
    ]


def test_a_call_without_a_type_is_a_function_call_and_a_custom_one_a_text() -> None:
    untyped = {"id": "c1", "function": {"name": "add", "arguments": {"a": 1, "b": 2}}}
    custom = {"id": "c2", "type": "custom", "custom": {"name": "sql", "input": "select 1"}}
    found = tools().export("openai-chat").calls(response(choice(untyped, custom)))
    assert [(one.id, one.name, one.arguments, one.is_text) for one in found] == [
        ("c1", "add", {"a": 1, "b": 2}, False),
        ("c2", "sql", "select 1", True),
    ]


@pytest.mark.requirement("wire-errors")
@pytest.mark.parametrize(
    ("received", "field"),
    [
        ({}, "choices"),
        ({"output": []}, "choices"),
        ({"role": "assistant", "content": [{"type": "tool_use"}]}, "choices"),
        (response(), "choices"),
        (response({"index": 0}), "choices[0].message"),
        (response(choice(tool_calls={})), "choices[0].message.tool_calls"),
        (response(choice({"id": "c"})), "choices[0].message.tool_calls[0].function"),
        (
            response(choice({"id": "c", "function": {"arguments": "{}"}})),
            "choices[0].message.tool_calls[0].function.name",
        ),
        (
            response(choice(call("c", "add", {}), call("c", "add", {}))),
            "choices[0].message.tool_calls[1].id",
        ),
    ],
)
def test_another_shape_is_one_error_that_names_the_field(received: Any, field: str) -> None:
    with pytest.raises(WireError) as raised:
        tools().export("openai-chat").answer_sync(received)
    assert (raised.value.provider, raised.value.field) == ("openai-chat", field)
