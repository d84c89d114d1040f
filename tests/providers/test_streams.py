"""Promises about the streams of every target: whole, they are the response; cut short, nothing."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Iterable
from itertools import pairwise
from typing import Any, cast

import pytest
from pydantic import BaseModel

from tests.providers.sample import tools
from tests.providers.sample_streams import STREAMS, Streamed
from toolhaft import Err, ToolCall, Toolset, WireError, tool
from toolhaft.errors import ToolhaftError
from toolhaft.providers.streams import PartialCall, join_pieces
from toolhaft.toolset.answers import Answer

pytestmark = pytest.mark.usefixtures("known_error_ids")

ALL = pytest.mark.parametrize("turn", STREAMS, ids=[one.target for one in STREAMS])
ENDING = [one for one in STREAMS if one.end]
TYPED = [one for one in STREAMS if one.model is not None]


def plain(data: Any) -> Any:
    """SDKs' objects as the plain data that they would be sent as."""
    if isinstance(data, BaseModel):
        return data.model_dump(mode="json", by_alias=True, exclude_unset=True, warnings=False)
    if isinstance(data, dict):
        return {key: plain(value) for key, value in data.items()}
    return [plain(one) for one in data] if isinstance(data, list) else data


async def sent(events: Iterable[Any]) -> AsyncIterator[Any]:
    for one in events:
        yield one


def told(answer: Answer) -> tuple[Any, list[Any]]:
    return plain(answer.messages), [(one.call_id, one.text) for one in answer.outcomes]


@pytest.mark.requirement("stream-whole")
@ALL
def test_a_stream_of_dicts_is_answered_like_the_response_that_it_is(turn: Streamed) -> None:
    wire = tools().export(turn.target)
    collected = wire.collect_sync(turn.events)
    assert collected == turn.whole
    assert told(wire.answer_sync(collected)) == told(wire.answer_sync(turn.whole))


@pytest.mark.requirement("stream-whole")
@pytest.mark.parametrize("turn", TYPED, ids=[one.target for one in TYPED])
def test_a_stream_of_the_sdks_events_is_answered_alike(turn: Streamed) -> None:
    wire = tools().export(turn.target)
    collected = asyncio.run(wire.collect(sent(turn.typed)))
    assert told(wire.answer_sync(collected)) == told(wire.answer_sync(turn.whole))


@pytest.mark.requirement("stream-cut-short")
@pytest.mark.parametrize("turn", ENDING, ids=[one.target for one in ENDING])
def test_a_stream_that_stops_anywhere_is_one_error_and_nothing_is_run(turn: Streamed) -> None:
    wire = tools().export(turn.target)
    for at in range(len(turn.events) - turn.after):
        with pytest.raises(WireError) as raised:
            wire.collect_sync(turn.events[:at])
        assert (raised.value.provider, raised.value.field) == (turn.target, turn.end)
        assert str(raised.value) == (
            f"{turn.target}: {turn.end}: missing; the stream stopped before the model's turn "
            "ended, so nothing of it can be run"
        )


def test_a_stream_of_text_ends_where_it_stops() -> None:
    wire = tools().export("text")
    assert wire.answer_sync(wire.collect_sync([])).done
    cut = wire.collect_sync([{"text": '{"name": "add", "argu'}, {"content": 'ments": {"a": 1'}])
    [outcome] = wire.answer_sync(cut).outcomes
    assert isinstance(outcome, Err)
    assert (outcome.kind, outcome.name) == ("truncated", "add")


@pytest.mark.requirement("pain-86")
@ALL
def test_calls_can_be_looked_at_while_they_are_written(turn: Streamed) -> None:
    wire = tools().export(turn.target)
    stream, seen = wire.stream(), list[list[tuple[str, Any]]]()
    for event in turn.events:
        stream.feed(event)
        seen.append([(one.name, one.data) for one in stream.partial])
    assert seen[-1] == [(one.name, one.arguments) for one in turn.calls]
    for before, after in pairwise(seen):
        assert [name for name, _ in before] == [name for name, _ in after[: len(before)]]


@pytest.mark.requirement("pain-86")
def test_what_is_shown_of_a_call_is_closed_and_cannot_be_run() -> None:
    ran: list[str] = []

    @tool
    def write(path: str, lines: list[int]) -> None:
        """Write a file."""
        ran.append(path)

    wire = Toolset([write]).export("openai-chat")
    stream = wire.stream()
    shown: list[Any] = []
    for piece in ('{"pa', 'th": "/etc', '/x", "lines": [1', "2", "3, 4", "5]}"):
        call = {"index": 0, "function": {"name": "write", "arguments": piece}}
        stream.feed({"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]})
        [partial] = stream.partial
        shown.append(partial.data)
    whole = {"path": "/etc/x", "lines": [123, 45]}
    closed = {"path": "/etc/x", "lines": []}
    assert shown == [{}, {}, closed, closed, {**closed, "lines": [123]}, whole]
    assert partial.text == '{"path": "/etc/x", "lines": [123, 45]}'
    for run in (wire.call_sync, lambda call: wire.call_all_sync([call])):
        with pytest.raises(ToolhaftError, match=r"^write: the model is still writing this call;"):
            run(cast("ToolCall", partial))
    assert ran == []


def test_what_is_no_json_shows_nothing() -> None:
    assert [PartialCall(None, "f", text).data for text in ("", "{a", "[1]", "1" * 5000)] == [{}] * 4
    assert repr(PartialCall("c", "f", '{"secret": 1}')) == "PartialCall('c', 'f')"


@pytest.mark.parametrize("target", ["mcp", "mcp-2025-11-25", "draft-07"])
def test_a_target_without_streams_says_so(target: str) -> None:
    with pytest.raises(ToolhaftError, match=f"^{target}: a "):
        tools().export(target).collect_sync([])


# An event of a vendor, and the field that the others miss in it.
FOREIGN: list[tuple[str, Any, str]] = [
    ("openai", {"choices": []}, "events[0].type"),
    ("openai-chat", {"candidates": []}, "events[0].choices"),
    ("mistral", {"messageStart": {}}, "events[0].choices"),
    ("anthropic", {"messageStart": {}}, "events[0].type"),
    ("bedrock", {"type": "message_start"}, "events[0]"),
    ("bedrock", {}, "events[0]"),
    ("gemini", {"choices": []}, "events[0].candidates"),
    ("cohere", {"choices": []}, "events[0].type"),
    ("ollama", {"choices": []}, "events[0].message"),
    ("text", {"choices": []}, "events[0].content"),
    ("openai", ("id", "resp_1"), "events[0].type"),
    ("openai-chat", None, "events[0].choices"),
    ("bedrock", 7, "events[0]"),
    ("ollama", {"message": 7}, "events[0].message"),
]


@pytest.mark.requirement("wire-errors")
@pytest.mark.parametrize(("target", "event", "field"), FOREIGN)
def test_an_event_of_another_shape_is_one_error_that_names_it(
    target: str, event: Any, field: str
) -> None:
    with pytest.raises(WireError) as raised:
        tools().export(target).collect_sync([event])
    assert (raised.value.provider, raised.value.field) == (target, field)


FAILED = [
    ("openai", {"type": "error", "message": "overloaded"}),
    ("openai", {"type": "response.failed", "response": {}}),
    ("openai-chat", {"error": {"message": "overloaded"}, "choices": []}),
    ("mistral", {"data": {"error": {"message": "overloaded"}}}),
    ("anthropic", {"type": "error", "error": {"type": "overloaded_error"}}),
    ("bedrock", {"modelStreamErrorException": {"message": "overloaded"}}),
    ("cohere", {"type": "message-end", "delta": {"error": "overloaded"}}),
    ("ollama", {"error": "overloaded"}),
]


@pytest.mark.requirement("wire-errors")
@pytest.mark.parametrize(("target", "event"), FAILED)
def test_a_failure_of_the_provider_in_the_stream_is_an_error(target: str, event: Any) -> None:
    stream = tools().export(target).stream()
    with pytest.raises(WireError) as raised:
        stream.feed(event)
    assert str(raised.value) == f"{target}: events[0]: the provider reported an error; ask again"


def test_texts_lists_and_objects_are_joined_and_of_anything_else_the_last_counts() -> None:
    pieces = [
        {"id": "c", "text": "a", "bytes": b"1", "list": [1], "inner": {"n": 1}, "mixed": "x"},
        {"id": "c", "text": None, "bytes": b"2", "list": [2], "inner": {"m": "y"}, "mixed": [3]},
        {"id": "", "text": "b", "inner": {"n": 2, "m": "z"}},
    ]
    assert join_pieces(pieces) == {
        "id": "c",
        "text": "ab",
        "bytes": b"12",
        "list": [1, 2],
        "inner": {"n": 2, "m": "yz"},
        "mixed": [3],
    }
    assert join_pieces([]) is None


@pytest.mark.requirement("wire-errors")
def test_what_is_nested_without_end_is_joined_to_a_depth_and_no_further() -> None:
    deep: dict[str, Any] = {"text": "a"}
    for _ in range(10 * sys.getrecursionlimit()):
        deep = {"inner": deep}
    assert join_pieces([{"text": "a", "deep": deep}, {"text": "b", "deep": deep}])["text"] == "ab"
    stream = tools().export("openai-chat").stream()
    for _ in range(2):
        stream.feed({"choices": [{"index": 0, "delta": {"reasoning": deep}}]})
    stream.feed({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    assert stream.response()["choices"][0]["finish_reason"] == "stop"
