"""A conversation is the same through every client: over real wires and by a script, for each
target, in programs with a loop and without, streamed and whole.
"""

from __future__ import annotations

import asyncio
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from random import Random
from typing import Any, NamedTuple

import pytest

from tests.installed import sdk
from tests.servers.clients import VENDORS, Vendor, vendors
from tests.servers.loopback import Loopback
from tests.servers.script import Call, Turn
from tests.servers.tools import TOOLS, approve
from tests.share import share
from toolhaft.agent_loop import Called, Event, Finished, ModelTurn, Streamed, Usage, run, run_sync
from toolhaft.testing import ScriptedModel, ScriptedTurn

pytestmark = pytest.mark.usefixtures("known_error_ids")

CLASSES = {
    "openai": ("openai.types.responses", "Response"),
    "openai-chat": ("openai.types.chat", "ChatCompletion"),
    "anthropic": ("anthropic.types", "Message"),
    "gemini": ("google.genai.types", "GenerateContentResponse"),
}
TEXTS = ("It is sunny.", 'Say "é" \\ 🎉.', "{}", "A\nB")
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("get_weather", {"city": "Paris"}),
    ("get_weather", {"city": 'The "Hague" \\ é 🎉', "days": "2"}),
    ("get_weather", {"days": "soon"}),
    ("get_wether", {"city": "Oslo"}),
    ("find_order", {"number": 7}),
    ("crash", {}),
    ("refund", {"amount": "20"}),
    ("refund", {"amount": 70}),
]


class Outcome(NamedTuple):
    """The parts of a run that a program reads."""

    text: str
    usage: Usage | None
    reason: str
    detail: str | None
    called: list[tuple[str, str]]
    used: list[Usage | None]


def script(seed: int) -> list[Turn]:
    """A random conversation: repairs, refusals, approvals, crashes, and what they cost."""
    random = Random(seed)
    turns: list[Turn] = []
    for place in range(random.randrange(5)):
        chosen = random.sample(CALLS, random.randrange(1, 4))
        calls = [Call(f"c{place}_{n}", *call) for n, call in enumerate(chosen)]
        text = random.choice(["", *TEXTS])
        turns.append(Turn(tuple(calls), text, used=used(random)))
    return [*turns, Turn(text=random.choice(TEXTS), used=used(random))]


def used(random: Random) -> tuple[int, int, int, int]:
    cached, reasoning = random.randrange(9), random.randrange(9)
    return random.randrange(9) + cached, random.randrange(9) + reasoning, cached, reasoning


def summed(events: Iterable[Event]) -> Outcome:
    listed = list(events)
    last = listed[-1]
    assert isinstance(last, Finished)
    called = [event for event in listed if isinstance(event, Called)]
    turns = [event.usage for event in listed if isinstance(event, ModelTurn)]
    told = [(event.call.name, event.outcome.text) for event in called]
    return Outcome(last.text, last.usage, last.reason, last.detail, told, turns)


def checked(vendor: Vendor, events: list[Event], *, stream: bool, is_sdk: bool = True) -> Outcome:
    """Check the pieces and the responses of a run; return its result."""
    response: type | None = None
    if is_sdk:
        module, name = CLASSES[vendor.target]
        response = getattr(sdk(module), name)
    pieces: list[Streamed] = []
    for event in events:
        match event:
            case Streamed():
                pieces.append(event)
            case ModelTurn():
                assert type(event.response) is (response or dict)
                assert bool(pieces) is stream
                names = [call.name for call in event.calls]
                assert not stream or [call.name for call in pieces[-1].calls] == names
                pieces = []
            case Finished():
                assert type(event.response) is (response or dict)
            case _:
                pass
    return summed(events)


def options(vendor: Vendor, *, stream: bool) -> dict[str, Any]:
    asked = {"model": "m-test", "messages": [vendor.said("How is the weather?")]}
    tools = TOOLS.export(vendor.target)
    return {**asked, "tools": tools, "approve": approve, "stream": stream, **vendor.options}


@contextmanager
def served(vendor: Vendor, turns: list[Turn]) -> Generator[str]:
    with Loopback(vendor.wire(), turns) as server:
        yield server.url
    assert server.refusals == []


async def held(client: Any, vendor: Vendor, *, stream: bool) -> list[Event]:
    return [event async for event in run(client, **options(vendor, stream=stream))]


async def held_over_http(vendor: Vendor, url: str, *, stream: bool) -> list[Event]:
    async with vendor.asynchronous(url) as client:
        return await held(client, vendor, stream=stream)


def over_http(vendor: Vendor, turns: list[Turn], *, stream: bool) -> Iterator[list[Event]]:
    """Hold a conversation over the real wire, with a loop and without."""
    with served(vendor, turns) as url:
        yield asyncio.run(held_over_http(vendor, url, stream=stream))
    with served(vendor, turns) as url, vendor.synchronous(url) as client:
        yield list(run_sync(client, **options(vendor, stream=stream)))


def scripted(vendor: Vendor, turns: list[Turn], **settings: Any) -> ScriptedModel:
    return ScriptedModel(*map(to_scripted, turns), target=vendor.target, **settings)


def to_scripted(turn: Turn) -> ScriptedTurn:
    calls = [(call.name, call.arguments) for call in turn.calls]
    return ScriptedTurn(turn.text, calls, Usage(*turn.used))


def by_script(vendor: Vendor, turns: list[Turn], *, stream: bool) -> Iterator[list[Event]]:
    """Hold a conversation with a scripted model, with a loop and without."""
    yield asyncio.run(held(scripted(vendor, turns), vendor, stream=stream))
    yield list(run_sync(scripted(vendor, turns), **options(vendor, stream=stream)))


def expected(turns: list[Turn]) -> Outcome:
    """The result of the conversation, with plain data of the target `openai`."""
    model = scripted(VENDORS[0], turns, sdk=False)
    return summed(run_sync(model, **options(VENDORS[0], stream=False)))


@pytest.mark.requirement("same-everywhere")
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@vendors
def test_a_random_conversation_comes_to_the_same_through_every_client(
    vendor: Vendor, stream: bool
) -> None:
    for seed in range(share(100)):
        turns = script(seed)
        same = expected(turns)
        assert same.reason in ("done", "loop", "invalid")
        for events in by_script(vendor, turns, stream=stream):
            assert (seed, checked(vendor, events, stream=stream)) == (seed, same)
        if seed % 5 == 0 or share(100) == 100:
            for events in over_http(vendor, turns, stream=stream):
                assert (seed, checked(vendor, events, stream=stream)) == (seed, same)


@pytest.mark.requirement("same-everywhere")
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("vendor", VENDORS, ids=[vendor.target for vendor in VENDORS])
def test_dictionaries_come_to_the_same_as_the_objects_of_an_sdk(
    vendor: Vendor, stream: bool
) -> None:
    turns = script(3)
    model = scripted(vendor, turns, sdk=False)
    events = list(run_sync(model, **options(vendor, stream=stream)))
    assert checked(vendor, events, stream=stream, is_sdk=False) == expected(turns)


@pytest.mark.requirement("partial-calls")
@vendors
def test_the_pieces_of_a_turn_have_its_text_and_the_calls_so_far(vendor: Vendor) -> None:
    calls = (Call("c1", "get_weather", {"city": "Paris", "days": 2}),)
    turns = [Turn(calls, "Let me see."), Turn(text="Sunny.")]
    model = scripted(vendor, turns)
    events = list(run_sync(model, **options(vendor, stream=True)))
    [first, second] = [place for place, one in enumerate(events) if isinstance(one, ModelTurn)]
    pieces = [event for event in events[:first] if isinstance(event, Streamed)]
    assert "".join(piece.text for piece in pieces) == "Let me see."
    assert (
        "".join(one.text for one in events[first:second] if isinstance(one, Streamed)) == "Sunny."
    )
    seen = [call for piece in pieces for call in piece.calls]
    assert {call.name for call in seen} == {"get_weather"}
    assert seen[-1].data == {"city": "Paris", "days": 2}
    sizes = [len(call.text) for call in seen]
    assert sizes == sorted(sizes)
    assert vendor.target == "gemini" or {"city": "Paris"} in [call.data for call in seen]
