"""The model's turn goes back in a form that its wire takes, even where its arguments were wrong."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import TypeAdapter

from tests.installed import sdk
from tests.providers.sample import tools
from tests.providers.sample_streams import STREAMS, Streamed
from toolhaft import Err, Toolset, WireError, tool
from toolhaft.toolset.answers import Answer

if TYPE_CHECKING:
    import ollama
    from anthropic import types as anthropic
    from openai.types import chat, responses
else:
    ollama = sdk("ollama")
    anthropic = sdk("anthropic.types")
    chat = sdk("openai.types.chat")
    responses = sdk("openai.types.responses")

WRONG = '{"a": 1 "b": 2}'
EMPTY: list[Any] = [None, "", " ", "null", {}]
CUT = '{"a": 1, "b'
KEPT = {"INVALID_JSON": WRONG}


def outcome(answer: Answer) -> tuple[str, str]:
    [one] = answer.outcomes
    assert isinstance(one, Err)
    return one.kind, one.text


COMMA = (
    "invalid_input",
    (
        "Please rewrite the input with valid arguments. "
        "Errors: not JSON: expected a comma or } at line 1 column 9"
    ),
)


def anthropic_events(*pieces: str, stop_reason: str = "tool_use") -> list[Any]:
    begun = {"type": "tool_use", "id": "toolu_1", "name": "add", "input": {}}
    deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]
    return [
        {"type": "content_block_start", "index": 0, "content_block": begun},
        *({"type": "content_block_delta", "index": 0, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": stop_reason}},
        {"type": "message_stop"},
    ]


@pytest.mark.requirement("pain-52")
def test_anthropic_is_given_back_an_object_for_input_that_was_no_json() -> None:
    wire = tools().export("anthropic")
    answer = wire.answer_sync(wire.collect_sync(anthropic_events(WRONG[:4], WRONG[4:])))
    assert outcome(answer) == COMMA
    [block] = answer.messages[0]["content"]
    assert block == {"type": "tool_use", "id": "toolu_1", "name": "add", "input": KEPT}
    TypeAdapter(list[anthropic.MessageParam]).validate_python(answer.messages)


@pytest.mark.requirement("pain-52")
def test_an_sdks_block_with_input_that_is_text_goes_back_with_an_object() -> None:
    block = {"type": "tool_use", "id": "toolu_1", "name": "add", "input": '{"a": 1, "b": 2}'}
    received = anthropic.Message.construct(
        content=[TypeAdapter(dict[str, Any]).validate_python(block)]
    )
    answer = tools().export("anthropic").answer_sync(received)
    assert [one["content"] for one in answer.results] == ["3"]
    assert answer.messages[0]["content"] == [{**block, "input": {"a": 1, "b": 2}}]


@pytest.mark.requirement("pain-52")
@pytest.mark.requirement("answer-truncated-calls")
def test_what_was_there_of_a_call_that_was_cut_off_goes_back_whole() -> None:
    wire = tools().export("anthropic")
    events = anthropic_events(CUT, stop_reason="max_tokens")
    answer = wire.answer_sync(wire.collect_sync(events))
    assert outcome(answer)[0] == "truncated"
    assert answer.messages[0]["content"][0]["input"] == {"INVALID_JSON": CUT}


@pytest.mark.requirement("pain-52")
def test_bedrock_is_given_back_an_object_for_input_that_was_no_json() -> None:
    at = {"contentBlockIndex": 0}
    start = {"toolUse": {"toolUseId": "t1", "name": "add"}}
    events: list[Any] = [
        {"contentBlockStart": {"start": start, **at}},
        {"contentBlockDelta": {"delta": {"toolUse": {"input": WRONG}}, **at}},
        {"contentBlockStop": at},
        {"messageStop": {"stopReason": "tool_use"}},
    ]
    wire = tools().export("bedrock")
    answer = wire.answer_sync(wire.collect_sync(events))
    assert outcome(answer) == COMMA
    use = {"toolUse": {**start["toolUse"], "input": KEPT}}
    assert answer.messages[0] == {"role": "assistant", "content": [use]}


@pytest.mark.requirement("pain-52")
def test_ollama_is_given_back_an_object_for_arguments_that_are_text() -> None:
    calls = [{"function": {"name": "add", "arguments": text}} for text in (WRONG, '{"a": 1}')]
    message = {"role": "assistant", "content": "", "tool_calls": calls}
    answer = tools().export("ollama").answer_sync({"message": message})
    assert [getattr(one, "kind", None) for one in answer.outcomes] == ["invalid_input"] * 2
    sent = TypeAdapter(list[ollama.Message]).validate_python(answer.messages)
    assert [one.function.arguments for one in sent[0].tool_calls or []] == [KEPT, {"a": 1}]


@pytest.mark.requirement("pain-52")
@pytest.mark.parametrize("text", [WRONG, CUT, "", "not JSON"])
def test_openai_takes_arguments_back_as_the_text_that_they_were(text: str) -> None:
    function = {"name": "add", "arguments": text}
    call = {"id": "c1", "type": "function", "function": function}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    answer = tools().export("openai-chat").answer_sync({"message": message})
    assert answer.messages[0] == message
    TypeAdapter(list[chat.ChatCompletionMessageParam]).validate_python(answer.messages)
    item = {"type": "function_call", "call_id": "c1", **function}
    answer = tools().export("openai").answer_sync({"output": [item]})
    assert answer.messages[0] == item
    TypeAdapter(list[responses.ResponseInputItemParam]).validate_python(answer.messages)


@pytest.mark.requirement("pain-72")
@pytest.mark.parametrize(
    "arguments",
    ['{"a": "1", "b": 2}', {"a": "1", "b": 2}, b'{"a": "1", "b": 2}', "{'a': '1', 'b': 2}"],
)
def test_arguments_in_any_spelling_give_the_same_result_on_every_wire(arguments: Any) -> None:
    function = {"name": "add", "arguments": arguments}
    block = {"name": "add", "input": arguments}
    turns: dict[str, Any] = {
        "openai": {"output": [{"type": "function_call", "call_id": "c", **function}]},
        "openai-chat": {"message": {"tool_calls": [{"id": "c", "function": function}]}},
        "mistral": {"message": {"tool_calls": [{"id": "c", "function": function}]}},
        "cohere": {"message": {"tool_calls": [{"id": "c", "function": function}]}},
        "anthropic": {"content": [{"type": "tool_use", "id": "c", **block}]},
        "bedrock": {"content": [{"toolUse": {"toolUseId": "c", **block}}]},
        "gemini": {"content": {"parts": [{"functionCall": {"name": "add", "args": arguments}}]}},
    }
    for target, received in turns.items():
        wire = tools().export(target)
        [one] = wire.call_all_sync(wire.calls(received))
        assert (target, one.text) == (target, "3")


def test_empty_arguments_are_an_object_where_only_objects_go_back() -> None:
    blocks = [
        {"type": "tool_use", "id": f"c{place}", "name": "crash", "input": empty}
        for place, empty in enumerate(EMPTY)
    ]
    answer = tools().export("anthropic").answer_sync({"content": blocks})
    assert json.dumps([one["input"] for one in answer.messages[0]["content"]]) == (
        "[{}, {}, {}, {}, {}]"
    )


@pytest.mark.requirement("answer-ids")
@pytest.mark.parametrize("target", ["openai-chat", "mistral", "cohere"])
def test_calls_that_came_without_ids_go_back_with_those_that_their_results_have(
    target: str,
) -> None:
    function = {"name": "add", "arguments": '{"a": 1, "b": 2}'}
    custom = {"id": "c9", "type": "custom", "custom": {"name": "sql", "input": "select 1"}}
    calls: list[Any] = [{"function": function}, {"id": "c1", "function": function}]
    calls += [{"id": "", "function": function}, *([custom] if target == "openai-chat" else [])]
    message = {"role": "assistant", "tool_calls": calls, "extra": 1}
    turn, *results = tools().export(target).answer_sync({"message": message}).messages
    assert turn["extra"] == 1
    ids = [call["id"] for call in turn["tool_calls"]]
    assert ids == [one["tool_call_id"] for one in results]
    assert ids[:3] == ["call_0", "c1", "call_2"]
    assert message == {"role": "assistant", "tool_calls": calls, "extra": 1}


class Odd:
    """An object of no SDK: it can be read, and not written down."""

    type, id, name, input = "tool_use", "c1", "pay", "{}"


@pytest.mark.requirement("wire-errors")
def test_a_turn_that_cannot_go_back_is_an_error_before_anything_runs() -> None:
    ran: list[int] = []

    @tool
    def pay() -> None:
        """Pay."""
        ran.append(1)

    wire = Toolset([pay]).export("anthropic")
    for answer in (wire.answer_sync, wire.unanswered):
        with pytest.raises(WireError, match=r"^anthropic: content\[0\]: of another kind;"):
            answer({"content": [Odd()]})
    with pytest.raises(WireError):
        asyncio.run(wire.answer({"content": [Odd()]}))
    assert ran == []


@pytest.mark.parametrize("turn", STREAMS, ids=[one.target for one in STREAMS])
def test_a_streamed_turn_can_wait_for_a_person_and_go_on(turn: Streamed) -> None:
    @tool(requires_approval=True)
    def get_weather(city: str, days: int = 1, units: str = "C") -> str:
        """The weather of a city."""
        return f"{city}, {days} days, {units}"

    wire = Toolset([get_weather]).export(turn.target)
    asked = wire.answer_sync(wire.collect_sync(turn.events))
    yes = {one.call_id: True for one in asked.pending}
    answer = wire.resume_sync(asked.to_json(), yes)
    texts = [outcome.text for outcome in answer.outcomes]
    assert texts[:2] == ["Paris, 1 days, C", "Oslo, 2 days, f"]
    told = wire.answer_sync(turn.whole).to_json()
    assert answer.messages == wire.resume_sync(told, yes).messages
