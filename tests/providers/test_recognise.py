"""A response of another wire, or no response at all: one error that says what to do instead."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from types import SimpleNamespace
from typing import Any, NoReturn
from unittest.mock import MagicMock, Mock

import pytest

from tests.providers.sample import tools
from tests.providers.sample_streams import STREAMS, Streamed
from toolhaft import WireError
from toolhaft.definition.targets import TARGETS
from toolhaft.providers.recognise import SHAPES
from toolhaft.toolset.export import Export

WIRES = {
    target: tools().export(target)
    for target, files in TARGETS.items()
    if files.provider != "schemas"
}
SHARED = {target: targets for targets in SHAPES for target in targets}
# Their message is alone in the received data, as a choice is in a Chat response.
BY_MESSAGE = ("openai-chat", "mistral", "xai", "cohere", "ollama")
UNTOLD = {(received, target) for received in ("cohere", "ollama") for target in BY_MESSAGE}
CHAT = "this looks like a response of openai-chat, mistral or xai: export to that target"

each_wire = pytest.mark.parametrize("wire", WIRES.values(), ids=WIRES)


def asked(*_: Any, **__: Any) -> NoReturn:
    raise LookupError("asked")


class Raising:
    __getattr__ = asked


class Hidden:
    __getattribute__ = asked


class Keyless(dict[str, Any]):
    get = __getitem__ = __iter__ = __contains__ = keys = items = asked


class Endless(list[Any]):
    __iter__ = __getitem__ = __len__ = asked


class Cycle(dict[str, Any]):
    def get(self, key: str, default: Any = None) -> Any:
        return self


OBJECTS: dict[str, Any] = {
    "none": None,
    "number": 5,
    "text": "hello",
    "bytes": b"{}",
    "class": dict,
    "set": {1},
    "list": [],
    "list of none": [None],
    "empty": {},
    "keys": {1: 2},
    "object": object(),
    "namespace": SimpleNamespace(),
    "mock": Mock(),
    "magic": MagicMock(),
    "module": asyncio,
    "raising": Raising(),
    "hidden": Hidden(),
    "keyless": Keyless(a=1),
    "cycle": Cycle(),
    "exception": WireError("x", "y", "z"),
    "choices": {"choices": Endless([1])},
    "output": {"output": Endless([1])},
    "calls": {"choices": [{"message": {"tool_calls": Endless([1])}}]},
    "content": {"content": Endless([1])},
    "candidates": {"candidates": [{"content": {"parts": Endless([1])}}]},
    "converse": {"output": {"message": {"content": Endless([1])}}},
}


@pytest.mark.requirement("wire-errors")
@each_wire
@pytest.mark.parametrize("name", OBJECTS)
def test_no_object_gets_another_error_or_is_taken_for_calls(wire: Export, name: str) -> None:
    def read(step: Callable[[Any], Any]) -> Any:
        try:
            return step(OBJECTS[name])
        except WireError:
            return []

    answers = read(wire.answer_sync), read(lambda response: asyncio.run(wire.answer(response)))
    assert read(wire.calls) == []
    assert [answer and answer.outcomes for answer in answers] == [[], []]
    assert not read(lambda response: wire.unanswered(response).outcomes)


@pytest.mark.requirement("wire-errors")
@pytest.mark.parametrize("target", [turn.target for turn in STREAMS])
@pytest.mark.parametrize("name", OBJECTS)
def test_no_event_gets_another_error(target: str, name: str) -> None:
    stream = WIRES[target].stream()
    with suppress(WireError):
        stream.feed(OBJECTS[name])
    with suppress(WireError):
        assert stream.partial == []
    with suppress(WireError):
        assert WIRES[target].calls(stream.response()) == []


@pytest.mark.requirement("wire-recognised")
@each_wire
@pytest.mark.parametrize("turn", STREAMS, ids=[turn.target for turn in STREAMS])
def test_a_response_of_another_wire_is_told_as_what_it_is(wire: Export, turn: Streamed) -> None:
    own = SHARED.get(turn.target, (turn.target,))
    if wire.target in own or (turn.target, wire.target) in UNTOLD:
        assert len(wire.calls(turn.whole)) == 7
        return
    with pytest.raises(WireError) as raised:
        wire.answer_sync(turn.whole)
    said = str(raised.value)
    assert said.startswith(f"{wire.target}: ")
    if turn.target != "text":
        named = " or ".join(filter(None, (", ".join(own[:-1]), own[-1])))
        assert said.endswith(f"this looks like a response of {named}: export to that target")


@pytest.mark.requirement("wire-recognised")
def test_a_turn_without_calls_of_another_wire_does_not_end_the_loop_in_silence() -> None:
    said = {"role": "assistant", "content": [{"type": "text", "text": "Let me see."}]}
    with pytest.raises(WireError) as raised:
        WIRES["bedrock"].answer_sync(said)
    assert str(raised.value) == (
        "bedrock: response: of another shape, without a call; "
        "this looks like a response of anthropic: export to that target"
    )
    used = {"toolUse": {"toolUseId": "t", "name": "add", "input": {}}}
    with pytest.raises(WireError, match="looks like a response of bedrock"):
        WIRES["anthropic"].answer_sync({"role": "assistant", "content": [used]})


@pytest.mark.requirement("wire-recognised")
def test_a_response_that_is_not_there_yet_says_how_to_get_it() -> None:
    async def create() -> None:
        """Stand for a client's method."""

    waiting = create()
    with pytest.raises(WireError) as raised:
        WIRES["openai"].answer_sync(waiting)
    waiting.close()
    awaited = "openai: output: missing; expected a list; this is an awaitable: await it first"
    assert str(raised.value) == awaited
    with pytest.raises(WireError) as raised:
        WIRES["openai"].calls(iter([]))
    assert str(raised.value).endswith("this is a stream: put it together by collect first")


@pytest.mark.requirement("wire-recognised")
def test_a_response_given_as_a_stream_is_no_stream() -> None:
    with pytest.raises(WireError, match=CHAT):
        WIRES["openai"].stream().feed({"choices": [], "type": "response.completed"})
    response: Any = SimpleNamespace(choices=[])
    with pytest.raises(WireError) as raised:
        WIRES["openai-chat"].collect_sync(response)
    assert str(raised.value) == ("openai-chat: events: not a stream; pass the client's stream")
