"""Text that contains JSON is read as strictly as arguments are, and keeps the checked data."""

from __future__ import annotations

import itertools
import json
from datetime import date
from decimal import Decimal
from typing import Annotated, Any

import pytest
from pydantic import AfterValidator, AliasChoices, BaseModel, BeforeValidator, Field, Json

from toolhaft import Coercion, Err, Ok, Tool, tool


class Item(BaseModel):
    amount: Annotated[int, Field(validation_alias=AliasChoices("amount", "total"))]
    note: Annotated[str, BeforeValidator(lambda value: value)] = ""


class Branch(BaseModel):
    name: str
    children: list[Branch] = []


def taking(tp: Any) -> Tool[..., Any]:
    """Make a tool that gives the object that it was given."""

    def give(held: Any) -> Any:
        "Give what came."
        return held

    give.__annotations__ = {"held": tp, "return": Any}
    return tool(give)


def read(tp: Any, text: str) -> Any:
    """Read a text in each way; return its data, or the messages of the error."""
    arguments = {"held": text}
    called = taking(tp)
    first, second = called.call_sync(arguments), called.call_sync(json.dumps(arguments))
    assert (first.as_json(), first.text) == (second.as_json(), second.text)
    return first.value if isinstance(first, Ok) else [str(issue) for issue in first.issues]


@pytest.mark.parametrize(
    ("tp", "text", "words"),
    [
        (Json[dict[str, int]], '{"a": 1, "a": 2}', "held: key written twice at line 1 column 14"),
        (Json[list[float]], "[1e999]", "held: number too large"),
        (Json[list[float]], "[NaN]", "held: expected text that holds JSON: array of numbers"),
        (Json[float], "9007199254740993", "held: expected text that holds JSON: number"),
        (Json[list[str]], '["\\ud800"]', "held: lone surrogate in a string at line 1 column 9"),
        (Json[list[Any]], "[" * 40 + "]" * 40, "held: nested deeper than 32 levels"),
        (Json[date], '"1700000000"', "held: expected text that holds JSON: string"),
        (Json[Item], '{"total": 9}', "held: expected text that holds JSON: object {amount}"),
    ],
)  # fmt: skip
def test_a_text_is_read_as_arguments_are(tp: Any, text: str, words: str) -> None:
    assert read(tp, text) == [words]


def test_its_numbers_have_the_declared_types() -> None:
    assert read(Json[int], "5.0") == 5
    assert read(Json[float], "5") == 5.0
    assert read(Json[Decimal], "1234567890123456789.10") == Decimal("1234567890123456789.10")


def test_its_schema_may_hold_itself_or_another_text() -> None:
    text = '{"name": "a", "children": [{"name": "b"}]}'
    assert read(Json[Branch], text) == Branch(name="a", children=[Branch(name="b")])
    assert read(Json[list[Json[int]]], '["1", "2"]') == [1, 2]
    assert read(Json[list[Json[int]]], '["1", "NaN"]') == [
        "held: expected text that holds JSON: array of strings"
    ]


def test_a_key_that_it_does_not_declare_is_dropped_and_recorded() -> None:
    outcome = taking(Json[Item]).call_sync({"held": '{"amount": 1, "further": 2}'})
    assert isinstance(outcome, Ok)
    assert (outcome.value, outcome.arguments) == (Item(amount=1), {"held": '{"amount":1}'})
    assert outcome.coercions == (Coercion(("held", "further"), "vendor_ignored"),)


def test_the_approved_text_is_the_text_that_is_read() -> None:
    prepared = taking(Json[Item]).prepare({"held": '{"amount": 1.0}'})
    assert not isinstance(prepared, Err)
    assert prepared.arguments == {"held": '{"amount":1,"note":""}'}
    assert prepared.call_sync().unwrap() == Item(amount=1)


class Numbered(BaseModel):
    name: str
    number: int = Field(default_factory=itertools.count().__next__)
    share: float = 0.5


def test_its_defaults_are_shown_and_its_factories_run_once() -> None:
    called = taking(list[Json[Numbered]])
    prepared = called.prepare({"held": ['{"name":"a"}', '{"name":"b","number":7}']})
    assert not isinstance(prepared, Err)
    assert prepared.arguments["held"] == (
        '{"name":"a","number":0,"share":0.5}',
        '{"name":"b","number":7,"share":0.5}',
    )
    assert prepared.call_sync().unwrap() == [
        Numbered(name="a", number=0),
        Numbered(name="b", number=7),
    ]


class Priced(BaseModel):
    price: Annotated[Decimal, Field(max_digits=3)]
    note: Annotated[str, AfterValidator(lambda note: note.removeprefix("x"))] = ""


def test_checks_of_the_library_alone_have_its_own_words() -> None:
    assert read(Json[Priced], '{"price": "12.345"}') == ["held: expected at most 3 digits"]


def test_where_any_text_will_do_none_is_refused() -> None:
    assert read(Json[int] | str, "NaN") == "NaN"
