"""The short way of a library's results, held to the whole way: same value, same data, same issues.

Results are right, nearly right and hostile: handlers return what they like.
"""

from __future__ import annotations

import enum
import math
import threading
from collections.abc import Callable, Iterator
from typing import Annotated, Any

import attrs
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, PlainSerializer

from tests.share import share
from tests.vendors.returned import (
    TYPES,
    Anything,
    Attributes,
    AttributesPosted,
    Defaults,
    Flat,
    Item,
    Level,
    Mapping,
    Named,
    Order,
    Plain,
    PlainOrder,
    Renamed,
    Serialized,
    Slotted,
    Struct,
    StructClosed,
    StructItem,
    StructOrder,
    Text,
    Upper,
    adapter_of,
    results,
)
from toolhaft import Err, Ok, tool
from toolhaft.call.results import InvalidResult, Results
from toolhaft.spec import Issue

# ------------------------------------------------------------------- the law


def outcome(check: Callable[[Any], tuple[Any, Any]], result: Any) -> Any:
    """Return a check's result, in a form that compares types and order as well."""
    try:
        value, data = check(result)
    except InvalidResult as broken:
        return [(issue.path, issue.message) for issue in broken.issues]
    except Exception as error:  # noqa: BLE001 - an author's code may raise anything
        return type(error)
    assert not _containers(data) & (_containers(value) | _containers(result))
    given_fields = getattr(value, "__pydantic_fields_set__", None)
    return value is result, _written(value), given_fields, _written(data)


def _containers(value: Any) -> set[int]:
    """Return the ids of the mutable objects in a value; data are never shared."""
    if isinstance(value, list | dict):
        inner = value.values() if isinstance(value, dict) else value
        return {id(value)}.union(*map(_containers, inner))
    return set()


def _written(value: Any) -> Any:
    """A value with its exact types."""
    kind = type(value)
    if isinstance(value, dict):
        return kind, [(_written(key), _written(item)) for key, item in dict.items(value)]
    if isinstance(value, list | tuple):
        return kind, [_written(item) for item in value]
    if isinstance(value, int) and abs(value) > 1 << 4000:
        return kind, "huge"
    if hasattr(kind, "__struct_fields__") or hasattr(kind, "__attrs_attrs__"):
        names = getattr(kind, "__struct_fields__", None) or [one.name for one in attrs.fields(kind)]
        return kind, [_written(getattr(value, name, None)) for name in names]
    held = getattr(value, "__dict__", None)
    return kind, _written(held) if type(held) is dict and not isinstance(
        value, enum.Enum
    ) else repr(value)


@pytest.mark.requirement("vendor-dump-is-checked")
@pytest.mark.parametrize("name", TYPES)
@settings(max_examples=share(60))
@given(data=st.data())
def test_the_short_code_path_agrees_with_the_whole_one(name: str, data: st.DataObject) -> None:
    checks = Results(adapter_of(name))
    result = data.draw(results(name))
    assert outcome(checks.check, result) == outcome(checks.check_whole, result)


# ------------------------------------------------------------------- what both ways say

PARIS: dict[str, Any] = {"city": "Paris", "days": 3, "temp": 1.5}
WET: dict[str, Any] = {**PARIS, "wet": True, "note": None}
ITEM: dict[str, Any] = {"sku": "a", "price": 1.5, "left": 0}
BARE: dict[str, Any] = {"sku": "a", "price": 1.5}
ORDER: dict[str, Any] = {
    "city": "Paris",
    "items": [ITEM],
    "first": None,
    "counts": {"a": 1},
    "tags": [],
}
RIGHT: list[tuple[str, Any]] = [
    ("Flat", WET),
    ("Flat", Flat(**PARIS, wet=True, note="Zürich")),
    ("Flat", {**PARIS, "wet": True, "note": "Zürich", "extra": 1}),
    ("Defaults", {"city": "Paris", "temp": 1.5}),
    ("Defaults", Defaults(city="Paris", temp=1.5)),
    ("Closed", {"city": "Paris", "days": 3}),
    ("Anything", Anything(city=[], days=1).model_copy(update={"city": "Paris"})),
    ("Told", {"days": 5}),
    ("Order", ORDER),
    ("Order", Order.model_validate(ORDER)),
    ("Renamed", {"cityName": "Paris"}),
    ("Renamed", Renamed(cityName="Paris")),
    ("Upper", {"city": "paris"}),
    ("UpperDefaults", {}),
    ("Seen", {"temp": 2}),
    ("Upper", Upper(city="paris")),
    ("Scalars", {"color": "red", "at": "2026-11-21T08:00:00Z", "price": "1.50", "either": 1}),
    ("Plain", PARIS),
    ("Plain", Plain(**PARIS)),
    ("PlainDefaults", {"city": "Paris", "days": 1, "tags": ["a"]}),
    ("Slotted", Slotted("Paris", 3)),
    ("Shouting", {"city": "Paris"}),
    ("PlainOrder", PlainOrder("Paris", [Plain("Paris", 3, 1.5)])),
    ("Keys", PARIS),
    ("KeysOfKeys", {"city": "Paris", "inner": PARIS, "items": [Item(**ITEM)]}),
    ("map", {"a": 1}),
    ("open map", {"a": 1, "b": "Zürich"}),
    ("list of models", [ITEM]),
    ("list of models", [Item(sku="a", price=1)]),
    ("numbers in lists", [[1, 2], []]),
    ("numbers or text", [1, "Zürich"]),
    ("Struct", {**PARIS, "note": "Zürich"}),
    ("Struct", {**PARIS, "note": None, "extra": 1}),
    ("Struct", Struct("Paris", 3, 1.5, None)),
    ("StructClosed", {"cityName": "Paris", "days": 1}),
    ("StructClosed", StructClosed("Paris", 1)),
    ("StructOmits", {"city": "Paris"}),
    ("StructTold", {"city": "Paris", "days": 5}),
    ("StructBounded", {"city": "Paris", "days": 5, "units": "C", "either": None}),
    ("StructOrder", {"city": "Paris", "items": [BARE], "counts": {"a": 1}, "first": BARE}),
    ("StructOrder", StructOrder("Paris", [StructItem("a", 1.5)], {"a": 1})),
    ("list of structs", [BARE]),
    ("Serialized", {"days": 1}),
    ("Serialized", Serialized(days=1)),
    ("Attributes", PARIS),
    ("Attributes", Attributes(**PARIS)),
    ("AttributesDefaults", {"city": "Paris", "days": 1, "tags": []}),
    ("AttributesUpper", {"city": "paris", "days": 1}),
    ("AttributesPosted", AttributesPosted("paris")),
    ("AttributesOrder", {"city": "Paris", "items": [PARIS]}),
    ("json schema", {"city": "Paris", "extra": [{"a": ["Zürich"]}]}),
    ("deep json schema", {"items": [{"city": "Paris", "days": 14}]}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "result"), RIGHT, ids=lambda one: one if type(one) is str else "")
def test_a_valid_result_equals_the_whole_code_paths(name: str, result: Any) -> None:
    checks = Results(adapter_of(name))
    assert outcome(checks.check, result) == outcome(checks.check_whole, result)


class Flatter(Flat):
    """A subclass of a declared class."""


def reordered(made: Any) -> Any:
    made.__dict__["city"] = made.__dict__.pop("city")
    return made


def with_key(made: Any) -> Any:
    made.__dict__["extra"] = 1
    return made


NOT_AT_ONCE: list[tuple[str, str, Any]] = [
    ("wrong", "Flat", {**PARIS, "wet": 1, "note": None}),
    ("missing", "Flat", PARIS),
    ("lone surrogate", "Flat", {**PARIS, "wet": True, "note": "\ud800"}),
    ("lone surrogate in what is ignored", "Flat", {**WET, "x": "\ud800"}),
    ("not finite", "Plain", {**PARIS, "temp": math.nan}),
    ("huge", "Plain", {**PARIS, "days": 10**4400}),
    ("enum", "Plain", {**PARIS, "city": Named.PARIS}),
    ("subclass", "Plain", {**PARIS, "city": Text("Paris")}),
    ("key that answers for itself", "Plain", {Text("city"): "Paris", "days": 3, "temp": 1.5}),
    ("dict that answers for itself", "Plain", Mapping(PARIS)),
    ("subclass of the class", "Flat", Flatter(**WET)),
    ("built without validation", "Flat", Flat.model_construct(None, **{**WET, "city": 1})),
    ("a field is missing", "Flat", Flat.model_construct(city="Paris")),
    ("a key more", "Flat", with_key(Flat(**WET))),
    ("an integer for a float", "Plain", Plain("Paris", 3, 2)),
    ("lone surrogate in an object", "Plain", Plain("\ud800", 3, 1.5)),
    ("lone surrogate as a default", "Lone", {}),
    ("wrong default", "Wrong", {}),
    ("extra key that is forbidden", "Closed", {"city": "Paris", "days": 3, "x": 1}),
    ("extra key that is kept", "Open", {"city": "Paris", "x": 1}),
    ("computed field", "Computed", {"city": "Paris"}),
    ("serializer that says nothing of what it gives", "Whole", {"days": 1}),
    ("excluded", "Excluded", {"city": "Paris"}),
    ("other alias when written", "Apart", {"city": "Paris"}),
    ("recursive", "Node", {"city": "Paris"}),
    ("the schema says more", "Told", {"days": 6}),
    ("the schema says more of the whole", "ToldWhole", {"city": "Paris", "days": 1}),
    ("property in place of the field", "Shouting", {"city": 1}),
    ("lone surrogate inside", "Order", {**ORDER, "tags": ["\ud800"]}),
    ("extra key inside", "Order", {**ORDER, "items": [{**ITEM, "x": threading.Lock()}]}),
    ("enum inside", "Order", {**ORDER, "tags": [Named.PARIS]}),
    ("tuple inside", "Order", {**ORDER, "tags": ("a",)}),
    ("key more inside", "Order", {**ORDER, "items": [{"sku": "a", "price": 1.5, "y": 2}]}),
    ("fields in another order", "Plain", reordered(Plain("Paris", 3, 1.5))),
    ("wrong inside an object", "list of models", [Item.model_construct(sku=1, price=1.5)]),
    ("set", "numbers in lists", [{1}]),
    ("more values than a result may have", "numbers in lists", [[1] * 800] * 800),
    ("more lists in each other", "numbers in deep lists", [[[1]]]),
    ("keys that are numbers", "numbers as keys", {1: "a"}),
    ("one of several kinds", "number or letter", 1),
    ("serializer that says nothing", "Unsaid", {"days": 1}),
    ("lone surrogate", "Struct", {**PARIS, "note": "\ud800"}),
    ("not finite", "Struct", {**PARIS, "temp": math.inf, "note": None}),
    ("huge", "Struct", {**PARIS, "days": 10**4400, "note": None}),
    ("enum", "Struct", {**PARIS, "note": Named.PARIS}),
    ("number whose value is text", "Struct", {**PARIS, "days": Level.LOW, "note": None}),
    ("subclass", "Struct", {**PARIS, "note": Text("Paris")}),
    ("lone surrogate in a Struct", "Struct", Struct("\ud800", 3, 1.5, None)),
    ("huge in a Struct", "Struct", Struct("Paris", 10**4400, 1.5, None)),
    ("built without validation", "Struct", Struct(1, 3, 1.5, None)),  # type: ignore[arg-type]
    ("not text in a Struct", "Struct", Struct("Paris", 3, 1.5, b"a")),  # type: ignore[arg-type]
    ("the schema says more", "StructClosed", {"cityName": "Paris", "days": 6}),
    ("the schema says more", "StructTold", {"city": "Paris", "days": 6}),
    ("out of bounds", "StructTold", {"city": "", "days": 1}),
    ("extra key that is forbidden", "StructClosed", {"cityName": "Paris", "days": 1, "x": 1}),
    ("tag", "StructTagged", {"type": "StructTagged", "city": "Paris"}),
    ("function of the author's", "StructPosted", {"city": "Paris"}),
    ("as an array", "StructArray", ["Paris", 3]),
    ("default that is made", "StructDefaults", {"city": "Paris"}),
    ("undeclared value", "StructOpen", {"city": "Paris"}),
    ("extra key inside", "list of structs", [{**BARE, "x": math.nan}]),
    ("tuple for a list", "StructOrder", {"city": "a", "items": (BARE,), "counts": {}}),
    ("other Struct inside", "StructOrder", StructOrder("a", [Struct("a", 1, 1.5, None)], {})),  # type: ignore[list-item]
    ("set in a Struct", "StructOrder", StructOrder("a", {1}, {})),  # type: ignore[arg-type]
    ("default that is made", "AttributesDefaults", {"city": "Paris", "days": 1}),
    ("lone surrogate", "Attributes", {**PARIS, "city": "\ud800"}),
    ("subclass", "Attributes", {**PARIS, "city": Text("Paris")}),
    ("extra key", "Attributes", {**PARIS, "x": math.nan}),
    ("built without validation", "Attributes", Attributes(1, 3, 1.5)),  # type: ignore[arg-type]
    ("validator of the author's", "AttributesUpper", {"city": "paris", "days": 6}),
    ("lone surrogate", "json schema", {"city": "\ud800"}),
    ("lone surrogate in what is not declared", "json schema", {"city": "a", "x": "\ud800"}),
    ("enum in what is not declared", "json schema", {"city": "a", "x": Named.PARIS}),
    ("wrong", "json schema", {"city": 1}),
    ("tuple", "deep json schema", {"items": ()}),
]  # fmt: skip


@pytest.mark.unmeasured
@pytest.mark.parametrize(
    ("name", "result"), [one[1:] for one in NOT_AT_ONCE], ids=[one[0] for one in NOT_AT_ONCE]
)
def test_a_result_that_fails_the_quick_check_equals_the_whole_code_paths(
    name: str, result: Any
) -> None:
    checks = Results(adapter_of(name))
    assert outcome(checks.check, result) == outcome(checks.check_whole, result)


class Iterated(BaseModel):
    items: list[int]
    tags: list[str] = []


def unfit() -> Iterator[Any]:
    yield "a"


def unwritable() -> Iterator[Any]:
    yield object()


@pytest.mark.parametrize("made", [unfit, unwritable])
def test_a_value_that_can_be_iterated_once_is_dumped_once(
    made: Callable[[], Iterator[Any]],
) -> None:
    def run(value: Any) -> Any:
        return Iterated.model_construct(items=made())

    built = tool(run, name="run", description="Run.", input=Iterated, output=Iterated)
    outcome = built.call_sync({"items": [1]})
    assert isinstance(outcome, Err)
    assert (outcome.kind, outcome.effect) == ("output_invalid", "done")


class Undeclared(BaseModel):
    entries: dict  # type: ignore[type-arg]


class OpenStruct(msgspec.Struct):
    entries: Any


class OfTwoTypes(BaseModel):
    entries: dict[int | str, int]


class StructOfTwoTypes(msgspec.Struct):
    entries: dict[int | str, int]


@pytest.mark.parametrize("made", [None, Undeclared, OpenStruct, OfTwoTypes, StructOfTwoTypes])
def test_no_entry_of_a_result_is_lost_to_another_of_the_same_text(made: Any) -> None:
    def give() -> Any:
        return {1: 1, "1": 2} if made is None else made(entries={1: 1, "1": 2})

    for output in (dict, dict[int | str, int], dict[Any, int]) if made is None else (made,):
        outcome = tool(give, description="Give.", output=output).call_sync()
        assert isinstance(outcome, Err)
        assert (outcome.kind, len(outcome.issues)) == ("output_invalid", 1)


@pytest.mark.parametrize("key", [None, (1, 2), 1, 1.5, True])
@pytest.mark.parametrize("output", [None, dict, dict[Any, int], Undeclared])
def test_keys_of_no_declared_type_are_text_in_any_declared_result(output: Any, key: Any) -> None:
    def give() -> Any:
        return Undeclared(entries={key: 1}) if output is Undeclared else {key: 1}

    outcome = tool(give, description="Give.", output=output).call_sync()
    assert isinstance(outcome, Err)
    assert outcome.issues == (Issue("keys must be text", (), "json"),)


def test_keys_of_two_declared_types_are_written_as_text() -> None:
    def give() -> dict[int | str, int]:
        return {1: 1, "a": 2}

    outcome = tool(give, description="Give.").call_sync()
    assert isinstance(outcome, Ok)
    assert outcome.json == {"1": 1, "a": 2}


class WrittenForJson(BaseModel):
    entries: Annotated[
        dict[int, Any],
        PlainSerializer(
            lambda entries: {str(key): value for key, value in entries.items()},
            return_type=dict[str, Any],
            when_used="json",
        ),
    ]


def test_an_authors_json_serializer_is_used() -> None:
    def give() -> WrittenForJson:
        return WrittenForJson(entries={1: {2.5}})

    outcome = tool(give, description="Give.").call_sync()
    assert isinstance(outcome, Ok)
    assert outcome.json == {"entries": {"1": [2.5]}}
