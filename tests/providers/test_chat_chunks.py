"""Chunks of a chat completion, as OpenAI sends them and as other servers do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.installed import sdk
from tests.providers.sample import tools
from tests.providers.sample_streams import chat_chunk
from toolhaft import WireError

if TYPE_CHECKING:
    from openai.types import chat
else:
    chat = sdk("openai.types.chat")

ADD = ["{", '"a": 1', ', "b": 2}']
CRASH = ["{", "}"]


def piece(text: str = "", **fields: Any) -> dict[str, Any]:
    """A piece of a call: `index`, `id` and `name` where they are given."""
    name = {"name": fields.pop("name")} if "name" in fields else {}
    return {**fields, "function": {**name, "arguments": text}}


def collected(*pieces: Any, finish_reason: str = "tool_calls") -> Any:
    """The response of a stream with one of the pieces in each chunk."""
    chunks = [chat_chunk({"tool_calls": [one]}) for one in pieces]
    return tools().export("openai-chat").collect_sync([*chunks, chat_chunk({}, finish_reason)])


def found(*pieces: Any, **options: Any) -> list[tuple[str | None, str, Any]]:
    calls = tools().export("openai-chat").calls(collected(*pieces, **options))
    return [(one.id, one.name, one.arguments) for one in calls]


WHOLE = [("c1", "add", '{"a": 1, "b": 2}'), ("c2", "crash", "{}")]
UNNAMED = [("call_0", "add", '{"a": 1, "b": 2}'), ("call_1", "crash", "{}")]

# How servers were seen to send the two calls' ids, names and places.
SERVERS = {
    "id and name come first": [
        piece(index=0, id="c1", name="add"),
        piece(index=1, id="c2", name="crash"),
        *(piece(text, index=0) for text in ADD),
        *(piece(text, index=1) for text in CRASH),
    ],
    "pieces of both in turn": [
        piece(ADD[0], index=0, id="c1", name="add"),
        piece(CRASH[0], index=1, id="c2", name="crash"),
        piece(ADD[1], index=0),
        piece(CRASH[1], index=1),
        piece(ADD[2], index=0, id=None, name=None),
    ],
    "id and name come every time": [
        *(piece(text, index=0, id="c1", name="add") for text in ADD),
        *(piece(text, index=1, id="c2", name="crash") for text in CRASH),
    ],
    "the id comes later": [
        piece(ADD[0], index=0, name="add"),
        *(piece(text, index=0, id="c1") for text in ADD[1:]),
        *(piece(text, index=1, id="c2", name="crash") for text in CRASH),
    ],
    "empty ids and names go on": [
        piece(ADD[0], index=0, id="c1", name="add"),
        *(piece(text, index=0, id="", name="") for text in ADD[1:]),
        *(piece(text, index=1, id="c2", name="crash") for text in CRASH),
    ],
    "the name comes in pieces": [
        piece(index=0, id="c1", name="a"),
        piece(ADD[0], index=0, name="dd"),
        *(piece(text, index=0) for text in ADD[1:]),
        piece("{}", index=1, id="c2", name="crash"),
    ],
    "whole calls, all at place 0": [
        piece("".join(ADD), index=0, id="c1", name="add"),
        piece("{}", index=0, id="c2", name="crash"),
    ],
    "whole calls without a place": [
        piece("".join(ADD), id="c1", name="add"),
        piece("{}", id="c2", name="crash"),
    ],
    "pieces without a place": [
        piece(ADD[0], id="c1", name="add"),
        *(piece(text) for text in ADD[1:]),
        *(piece(text, id="c2", name="crash") for text in CRASH),
    ],
    "pieces without a place, by id": [
        piece(ADD[0], id="c1", name="add"),
        piece(CRASH[0], id="c2", name="crash"),
        *(piece(text, id="c1") for text in ADD[1:]),
        piece(CRASH[1], id="c2"),
    ],
    "places that begin at 1": [
        *(piece(text, index=1, id="c1", name="add") for text in ADD),
        *(piece(text, index=2, id="c2", name="crash") for text in CRASH),
    ],
}


@pytest.mark.requirement("stream-servers")
@pytest.mark.parametrize("pieces", SERVERS.values(), ids=SERVERS)
def test_calls_are_put_together_however_a_server_marks_their_pieces(pieces: list[Any]) -> None:
    assert found(*pieces) == WHOLE


@pytest.mark.requirement("stream-servers")
@pytest.mark.parametrize(
    "pieces",
    [
        [piece("".join(ADD), index=0, name="add"), piece("{}", index=1, name="crash")],
        [piece("".join(ADD), name="add"), piece("{}", name="crash")],
    ],
)
def test_calls_without_ids_are_told_apart_by_place_or_name(pieces: list[Any]) -> None:
    assert found(*pieces) == UNNAMED


def test_calls_that_cannot_be_told_apart_run_nothing() -> None:
    pieces = [piece('{"a": 1, "b": 2}', index=0, name="add") for _ in range(2)]
    answer = tools().export("openai-chat").answer_sync(collected(*pieces))
    assert [getattr(one, "kind", None) for one in answer.outcomes] == ["invalid_input"]


@pytest.mark.requirement("wire-errors")
def test_two_calls_with_one_id_are_an_error() -> None:
    pieces = [piece("{}", index=place, id="c1", name="crash") for place in range(2)]
    with pytest.raises(WireError) as raised:
        found(*pieces)
    assert raised.value.field == "choices[0].message.tool_calls[1].id"


@pytest.mark.requirement("wire-errors")
def test_a_call_without_a_name_is_an_error() -> None:
    with pytest.raises(WireError) as raised:
        found(piece("{}", index=0, id="c1"))
    assert raised.value.field == "choices[0].message.tool_calls[0].function.name"


@pytest.mark.requirement("wire-errors")
@pytest.mark.parametrize(
    ("call", "field"),
    [
        (7, "events[0].choices[0].delta.tool_calls[0]"),
        ({"index": 0, "id": 7}, "events[0].choices[0].delta.tool_calls[0].id"),
        ({"function": 7}, "events[0].choices[0].delta.tool_calls[0].function"),
        ({"function": {"name": []}}, "events[0].choices[0].delta.tool_calls[0].function.name"),
    ],
)
def test_a_piece_of_another_shape_is_an_error_that_names_it(call: Any, field: str) -> None:
    with pytest.raises(WireError) as raised:
        collected(call)
    assert raised.value.field == field


@pytest.mark.requirement("answer-truncated-calls")
@pytest.mark.parametrize("reason", ["length", "content_filter", "error"])
@pytest.mark.parametrize("text", ["", "{}", '{"a"'])
def test_the_call_at_which_the_model_was_stopped_is_not_run(reason: str, text: str) -> None:
    pieces = [
        piece("".join(ADD), index=0, id="c1", name="add"),
        piece(text, index=1, id="c2", name="crash"),
    ]
    answer = tools().export("openai-chat").answer_sync(collected(*pieces, finish_reason=reason))
    assert [getattr(one, "kind", None) for one in answer.outcomes] == [None, "truncated"]


def test_a_call_whose_arguments_never_come_has_none() -> None:
    assert found({"index": 0, "id": "c1", "function": {"name": "crash"}}) == [("c1", "crash", "")]


def test_the_response_is_one_of_the_sdk() -> None:
    usage = {"prompt_tokens": 3, "completion_tokens": 9, "total_tokens": 12}
    chunks = [
        chat_chunk({"role": "assistant", "content": None}),
        chat_chunk({"tool_calls": [piece("{}", index=0, id="c1", name="crash", type="function")]}),
        chat_chunk({}, "tool_calls"),
        {**chat_chunk({}), "choices": [], "usage": usage},
    ]
    wire = tools().export("openai-chat")
    for events in (chunks, [chat.ChatCompletionChunk.model_validate(one) for one in chunks]):
        whole = chat.ChatCompletion.model_validate(wire.collect_sync(events))
        assert whole.usage is not None
        assert whole.usage.total_tokens == 12
        [choice] = whole.choices
        assert choice.message.content is None
        assert choice.message.tool_calls is not None


def test_words_alone_and_no_words_at_all_are_messages_too() -> None:
    wire = tools().export("openai-chat")
    events = [chat_chunk({"role": "assistant", "content": one}) for one in ("Sun", "ny.")]
    for said, chunks in (("Sunny.", events), ("", [])):
        answer = wire.answer_sync(wire.collect_sync([*chunks, chat_chunk({}, "stop")]))
        assert (answer.done, answer.messages) == (True, [{"role": "assistant", "content": said}])


def test_one_of_several_choices_is_answered_by_itself() -> None:
    def chunk(index: int, finish_reason: str | None, **delta: Any) -> dict[str, Any]:
        choice = {"index": index, "delta": delta or None, "finish_reason": finish_reason}
        return {"choices": [choice]}

    wire = tools().export("openai-chat")
    begun = [
        chunk(place, None, tool_calls=[piece("{}", index=0, id=f"c{place}", name="crash")])
        for place in (1, 0)
    ]
    with pytest.raises(WireError, match=r"choices\[1\]\.finish_reason: missing"):
        wire.collect_sync([*begun, chunk(0, "tool_calls")])
    ended = [*begun, chunk(0, "tool_calls"), chunk(1, "tool_calls")]
    collected = wire.collect_sync(ended)
    with pytest.raises(WireError, match="there are 2; pass the choice"):
        wire.calls(collected)
    assert [wire.calls(one)[0].id for one in collected["choices"]] == ["c0", "c1"]


def test_everything_else_of_a_delta_belongs_to_the_message() -> None:
    deltas: list[Any] = [
        {"reasoning_details": [{"type": "reasoning.text", "text": "H"}], "refusal": None},
        {"reasoning_details": [{"type": "reasoning.text", "text": "m."}], "content": "Sunny."},
        {"audio": {"id": "a1", "transcript": "Sun"}},
        {"audio": {"id": "a1", "transcript": "ny.", "expires_at": 7}},
    ]
    events = [*map(chat_chunk, deltas), chat_chunk({}, "stop")]
    whole = tools().export("xai").collect_sync(events)
    assert whole["choices"][0]["message"] == {
        "role": "assistant",
        "content": "Sunny.",
        "refusal": None,
        "reasoning_details": [
            {"type": "reasoning.text", "text": "H"},
            {"type": "reasoning.text", "text": "m."},
        ],
        "audio": {"id": "a1", "transcript": "Sunny.", "expires_at": 7},
    }


@pytest.mark.requirement("stream-servers")
def test_a_server_that_does_not_stream_sends_one_chunk_with_the_message() -> None:
    calls = [
        {"id": call_id, "type": "function", "function": {"name": name, "arguments": text}}
        for call_id, name, text in WHOLE
    ]
    message = {"role": "assistant", "content": None, "tool_calls": calls}
    choice = {"index": 0, "finish_reason": "tool_calls", "message": message}
    wire = tools().export("openai-chat")
    for event in ({"choices": [choice]}, chat.ChatCompletionChunk.construct(choices=[choice])):
        collected = wire.collect_sync([event])
        assert [(one.id, one.name, one.arguments) for one in wire.calls(collected)] == WHOLE
        turn = wire.answer_sync(collected).messages[0]
        assert (turn if isinstance(turn, dict) else turn.model_dump(exclude_unset=True)) == message


def test_the_pieces_of_a_custom_tools_call_are_joined() -> None:
    pieces = [
        {"index": 0, "id": "c1", "type": "custom", "custom": {"name": "sql", "input": "select"}},
        {"index": 0, "custom": {"input": " 1"}},
    ]
    collected_one = collected(*pieces)
    [call] = tools().export("openai-chat").calls(collected_one)
    assert (call.name, call.arguments, call.is_text) == ("sql", "select 1", True)
    assert collected_one["choices"][0]["message"]["tool_calls"] == [
        {"id": "c1", "type": "custom", "custom": {"name": "sql", "input": "select 1"}}
    ]
