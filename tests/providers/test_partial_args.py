"""Arguments that Gemini on Vertex AI streams value by value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.installed import sdk
from tests.providers.sample_streams import gemini_chunk
from toolhaft import Toolset, WireError, tool

if TYPE_CHECKING:
    from google.genai import types
else:
    types = sdk("google.genai.types")

RAN: list[Any] = []


@tool
def book(city: str, days: int = 1, stops: list[dict[str, Any]] | None = None) -> str:
    """Book a trip."""
    RAN.append(city)
    return city


WIRE = Toolset([book]).export("gemini")


def part(*pieces: Any, more: bool = True, **call: Any) -> dict[str, Any]:
    going_on = {"willContinue": True} if more else {}
    partial = {"partialArgs": list(pieces)} if pieces else {}
    return {"functionCall": {**call, **partial, **going_on}}


def value(path: str, **said: Any) -> dict[str, Any]:
    return {"jsonPath": path, **said}


def text(piece: str, *, more: bool = True, path: str = "$.city") -> dict[str, Any]:
    return value(path, stringValue=piece, **({"willContinue": True} if more else {}))


END = gemini_chunk({"functionCall": {}}, finishReason="STOP")
WHOLE = [
    gemini_chunk({**part(name="book", id="c1"), "thoughtSignature": "c2lnbmVk"}),
    gemini_chunk(part(text("Pa"))),
    gemini_chunk(part(text("ris", more=False), value("$.days", numberValue=2.0))),
    gemini_chunk(
        part(
            value("$.stops[0]['zip code']", stringValue="75001"),
            value("$.stops[0].open", boolValue=False),
            value("$.stops[1].at", numberValue=1.5),
            value('$["stops"][1].note', nullValue="NULL_VALUE"),
        )
    ),
    END,
]
STOPS = [{"zip code": "75001", "open": False}, {"at": 1.5, "note": None}]


@pytest.mark.requirement("stream-whole")
def test_values_are_put_in_their_places_and_the_signature_stays() -> None:
    for events in (WHOLE, [types.GenerateContentResponse.model_validate(one) for one in WHOLE]):
        collected = WIRE.collect_sync(events)
        [call] = WIRE.calls(collected)
        arguments = {"city": "Paris", "days": 2, "stops": STOPS}
        assert (call.id, call.name, call.arguments) == ("c1", "book", arguments)
        [said] = types.Content.model_validate(WIRE.answer_sync(collected).messages[0]).parts or []
        assert said.thought_signature == b"signed"


@pytest.mark.requirement("pain-86")
def test_what_is_closed_of_a_call_can_be_looked_at() -> None:
    stream, seen = WIRE.stream(), list[Any]()
    for event in WHOLE[:3]:
        stream.feed(event)
        seen += [one.data for one in stream.partial]
    assert seen == [{}, {}, {"city": "Paris", "days": 2}]


@pytest.mark.requirement("answer-truncated-calls")
@pytest.mark.parametrize(
    "parts",
    [
        [part(name="book"), part(text("Paris", more=False))],
        [part(name="book"), part(text("Paris")), part(more=False)],
        [part(text("Paris", more=False), name="book"), part(more=False, name="book")],
    ],
    ids=["the call goes on", "a text goes on", "another call begins"],
)
def test_a_call_that_never_came_to_its_end_is_not_run(parts: list[Any]) -> None:
    RAN.clear()
    events = [*map(gemini_chunk, parts), gemini_chunk(finishReason="STOP")]
    outcome = WIRE.answer_sync(WIRE.collect_sync(events)).outcomes[0]
    assert (getattr(outcome, "kind", None), RAN) == ("truncated", [])


def test_calls_that_come_whole_stand_between_as_they_are() -> None:
    whole = part(more=False, name="book", args={"city": "Rome"})
    events = [
        gemini_chunk(whole, part(name="book")),
        gemini_chunk(part(text("Oslo", more=False), more=False), whole, finishReason="STOP"),
    ]
    answer = WIRE.answer_sync(WIRE.collect_sync(events))
    assert [outcome.text for outcome in answer.outcomes] == ["Rome", "Oslo", "Rome"]
    assert answer.messages[0]["parts"][0] is whole


@pytest.mark.requirement("wire-errors")
@pytest.mark.parametrize(
    "path",
    ["", "$", "city", "$.", "$..city", "$.stops[*]", "$.stops[-1]", "$" + ".a" * 200,
     "$.stops[1]", "$[0]", "$.stops[999999999]", "$.city.name", "$.city[0]"],
)  # fmt: skip
def test_a_path_to_no_place_is_an_error_that_names_it(path: str) -> None:
    pieces = [text("Paris", more=False), value(path, stringValue="x")]
    events = [gemini_chunk(part(*pieces, more=False, name="book"), finishReason="STOP")]
    with pytest.raises(WireError, match=r"partialArgs\[1\]\.jsonPath: "):
        WIRE.answer_sync(WIRE.collect_sync(events))
