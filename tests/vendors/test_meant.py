"""Numbers, keys, times and texts are read by the branches of a union that their object fits."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import time
from itertools import count
from typing import Any, Literal

import msgspec
import pytest
from pydantic import AliasChoices, BaseModel, ConfigDict, Field, Json

from toolhaft import Err, Ok, tool

LARGE = 2**53 + 1


class Whole(BaseModel):
    kind: Literal["whole"]
    value: int


class Real(BaseModel):
    kind: Literal["real"]
    value: float


class Holding(BaseModel):
    kind: Literal["json"]
    value: Json[int]


class Text(BaseModel):
    kind: Literal["text"]
    value: str


class ByNumber(BaseModel):
    kind: Literal["numbers"]
    value: dict[int, int]


class ByText(BaseModel):
    kind: Literal["texts"]
    value: dict[str, int]


class Clock(msgspec.Struct, tag_field="kind", tag="clock"):
    value: time


class Note(msgspec.Struct, tag_field="kind", tag="note"):
    value: str


def taking(union: Any) -> Callable[[Any], Any]:
    """Return a caller of a tool that gives the value of the branch that it was given."""

    def give(held: Any) -> Any:
        "Give what came."
        return held.value

    give.__annotations__ = {"held": union, "return": Any}
    made = tool(give, output=None)

    def call(held: Any) -> Any:
        first, second = made.call_sync({"held": held}), made.call_sync(json.dumps({"held": held}))
        assert (first.as_json(), first.text) == (second.as_json(), second.text)
        return first.value if isinstance(first, Ok) else [str(issue) for issue in first.issues]

    return call


EQUAL = ["held.value: entries 1 and 2 have the same key, keep one of them"]


@pytest.mark.parametrize(
    ("union", "held", "given"),
    [
        (Whole | Real, {"kind": "whole", "value": 5.0}, 5),
        (Whole | Real, {"kind": "real", "value": 5}, 5.0),
        (Whole | Real, {"kind": "whole", "value": LARGE}, LARGE),
        (Whole | Real, {"kind": "real", "value": 1e300}, 1e300),
        (
            Whole | Real,
            {"kind": "real", "value": LARGE},
            ["held.value: expected a number that a 64-bit float holds exactly"],
        ),
        (
            Whole | Real,
            {"kind": "whole", "value": 1e300},
            ["held.value: expected integer, received number"],
        ),
        (Holding | Text, {"kind": "text", "value": "no JSON"}, "no JSON"),
        (Holding | Text, {"kind": "json", "value": "5.0"}, 5),
        (
            Holding | Text,
            {"kind": "json", "value": "no JSON"},
            ["held.value: expected text that holds JSON: integer"],
        ),
        (ByNumber | ByText, {"kind": "texts", "value": {"0": 1, "-0": 2}}, {"0": 1, "-0": 2}),
        (ByNumber | ByText, {"kind": "numbers", "value": {"0": 1, "-0": 2}}, EQUAL),
        (Clock | Note, {"kind": "note", "value": "09:00"}, "09:00"),
        (Clock | Note, {"kind": "clock", "value": "09:00"}, time(9)),
    ],
)  # fmt: skip
def test_a_value_is_read_as_the_branch_says_that_its_object_fits(
    union: Any, held: Any, given: Any
) -> None:
    assert repr(taking(union)(held)) == repr(given)


MADE = count()


class Person(BaseModel):
    model_config = ConfigDict(extra="allow")
    name: str
    person: int = Field(default_factory=MADE.__next__)


class Child(BaseModel):
    model_config = ConfigDict(extra="allow")
    name: str
    age: int
    child: int = Field(default_factory=MADE.__next__)


def test_factories_fill_the_branch_that_declares_the_most() -> None:
    def register(who: Person | Child) -> str:
        "Register a person."
        return type(who).__name__

    made = tool(register, requires_approval=True)
    for sent, name in (
        ({"name": "Ann", "age": 3, "zip": 1}, "Child"),
        ({"name": "Ann", "zip": 1}, "Person"),
    ):
        waiting = made.call_sync({"who": sent})
        assert isinstance(waiting, Err)
        assert waiting.prepared is not None
        assert waiting.prepared.json["who"].keys() - sent.keys() == {name.lower()}
        assert waiting.prepared.call_sync().unwrap() == name


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")
    origin: float = 1.5


class Flagged(BaseModel):
    model_config = ConfigDict(extra="allow")
    flagged: int = Field(validation_alias=AliasChoices("flag", "the_flag"))
    subject: int


def test_another_name_of_a_required_key_is_refused_beside_a_branch_that_takes_any_key() -> None:
    @tool
    def take(value: Open | Flagged) -> str:
        "Take."
        return type(value).__name__

    assert take.call_sync({"value": {"flag": 1, "subject": 2}}).text == "Flagged"
    assert take.call_sync({"value": {"the_flag": 1, "subject": 2}}).text.endswith(
        "value.the_flag: unknown (did you mean flag?)"
    )
    assert take.call_sync({"value": {"other": 1}}).text == "Open"
