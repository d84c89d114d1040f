"""The fast path has exactly the results of the whole pipeline, for any arguments."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum
from functools import cache
from random import Random
from typing import Annotated, Any, Literal, NotRequired
from uuid import UUID

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    create_model,
)
from typing_extensions import TypedDict

from tests.schema.random_schemas import schemas, values
from tests.share import share
from tests.vendors.shaped import LACKS, NAMES, VENDORS, shape
from toolhaft import tool
from toolhaft.call.call_options import CallOptions
from toolhaft.call.fast_path import fast_path_of
from toolhaft.call.input import InputPipeline
from toolhaft.call.outcome import Err
from toolhaft.jsonio import jsontext
from toolhaft.schema.generate import NoValue, Values
from toolhaft.schema.limits import faults_of
from toolhaft.schema.mutate import mutations
from toolhaft.vendors import adapt
from toolhaft.vendors.adapter import Adapter

LAW = pytest.mark.requirement("call-direct")


def pipeline_of(tp: Any, **rules: Any) -> InputPipeline:
    adapter = tp if isinstance(tp, Adapter) else adapt(tp)
    return InputPipeline(CallOptions("run", **rules), adapter, "vendor_ignored")


@cache
def known_pipeline(tp: Any, coerce: Any = "safe") -> InputPipeline:
    return pipeline_of(tp, coerce=coerce)


def fast_validation(pipeline: InputPipeline) -> Callable[[Any], Any]:
    return (fast_path_of(pipeline) or pipeline).validate


def outcome_of(validate: Callable[[Any], Any], raw: Any) -> Any:
    """Everything that a call takes on from the validation of its arguments."""
    try:
        validated = validate(raw)
    except Exception as error:  # noqa: BLE001 - a foreign validator's own
        return type(error)
    if isinstance(validated, Err):
        return validated.kind, validated.issues, validated.coercions, validated.text
    value, data, coercions = validated
    data = jsontext.read(data) if type(data) is str else data  # which is read when it is needed
    return repr(value), repr(with_whole_numbers(data)), coercions


def with_whole_numbers(data: Any) -> Any:
    """Write 5.0 as 5, which is the same number: a library makes an integer of both."""
    if type(data) is dict:
        return {key: with_whole_numbers(value) for key, value in data.items()}
    if type(data) is list:
        return [with_whole_numbers(value) for value in data]
    return int(data) if type(data) is float and data.is_integer() else data


def both(tp: Any, raw: Any, coerce: Any = "safe") -> tuple[Any, Any]:
    pipeline = known_pipeline(tp, coerce) if isinstance(tp, type) else pipeline_of(tp)
    return outcome_of(fast_validation(pipeline), raw), outcome_of(pipeline.validate, raw)


# ------------------------------------------------------------------- random types and values

SHAPES = [(vendor, name) for vendor in VENDORS for name in NAMES if (vendor, name) not in LACKS]


@LAW
@pytest.mark.unmeasured
@pytest.mark.parametrize(("vendor", "name"), SHAPES)
def test_every_shape_of_every_vendor_is_read_alike(vendor: str, name: str) -> None:
    adapter: Any = shape(vendor, name).input_schema
    random = Random(7)
    source = Values(adapter.json_schema(), random)
    pipeline = pipeline_of(adapter)
    fast = fast_validation(pipeline)
    for _ in range(share(10)):
        value = source.valid()
        changes = [one.value for one in mutations(source.checker, value, random)]
        for sent in (value, *random.sample(changes, min(len(changes), 15))):
            for raw in (sent, json.dumps(sent), json.dumps(sent).encode()):
                assert outcome_of(fast, raw) == outcome_of(pipeline.validate, raw)


@LAW
@given(schema=schemas(), data=values(), seed=st.integers(0, 10**6))
def test_every_raw_schema_is_read_alike(schema: Any, data: Any, seed: int) -> None:
    if not isinstance(schema, dict) or faults_of(schema):
        return
    schema = {"type": "object", **schema}
    sent = [data, {"a": data}, {"a": data, "b": data}]
    with suppress(NoValue):
        sent.append(Values(schema, Random(seed)).valid())
    for raw in sent:
        fast, whole = both(schema, raw)
        assert fast == whole


class Counted(BaseModel):
    model_config = ConfigDict(extra="forbid")
    x: int


class Measured(BaseModel):
    x: float
    note: str = ""


class Extended(BaseModel):
    model_config = ConfigDict(extra="allow")
    note: str = ""


def object_of(branches: list[Any]) -> Any:
    return {"type": "object", "properties": {"u": {"anyOf": branches}}}


INTEGER = {"type": "integer"}
COUNTED = {"type": "object", "properties": {"x": INTEGER}}


@LAW
@pytest.mark.parametrize(
    ("tp", "data", "whole"),
    [
        (create_model("A", u=(Counted | Measured, ...)), {"u": {"x": 1.0}}, "A(u=Counted(x=1))"),
        (create_model("B", u=(Counted | Extended, ...)), {"u": {"x": 1.0}}, "B(u=Counted(x=1))"),
        (create_model("C", u=(list[int] | list[float], ...)), {"u": [1.0]}, "C(u=[1])"),
        (
            create_model("D", u=(dict[str, int] | dict[str, Any], ...)),
            {"u": {"k": 1.0}},
            "D(u={'k': 1})",
        ),
        (object_of([{}, INTEGER]), {"u": 1.0}, "{'u': 1}"),
        (object_of([COUNTED, {"type": "object"}]), {"u": {"x": 1.0}}, "{'u': {'x': 1}}"),
        (object_of([INTEGER, {"not": {"type": "null"}}]), {"u": 1.0}, "{'u': 1}"),
        (
            object_of([{"type": "array", "items": INTEGER}, {"type": "array"}]),
            {"u": [1.0]},
            "{'u': [1]}",
        ),
    ],
)
def test_a_whole_float_is_settled_where_another_branch_takes_any_number(
    tp: Any, data: Any, whole: str
) -> None:
    pipeline = pipeline_of(tp)
    for raw in (data, json.dumps(data), json.dumps(data).encode()):
        fast = outcome_of(fast_validation(pipeline), raw)
        assert fast == outcome_of(pipeline.validate, raw)
        assert fast[0] == whole


@LAW
@pytest.mark.parametrize(
    ("tp", "data"),
    [
        (create_model("A", u=(Counted | Extended, ...)), {"u": {"x": 1e20}}),
        (object_of([{}, INTEGER]), {"u": 1e20}),
        (object_of([COUNTED, {"type": "object"}]), {"u": {"x": 1e20}}),
    ],
)
def test_a_float_that_is_no_exact_integer_is_taken_where_a_branch_takes_any_number(
    tp: Any, data: Any
) -> None:
    pipeline = pipeline_of(tp)
    for raw in (data, json.dumps(data), json.dumps(data).encode()):
        for validate in (fast_validation(pipeline), pipeline.validate):
            assert outcome_of(validate, raw)[1:] == (repr(with_whole_numbers(data)), ())


class Units(Enum):
    C = "C"
    F = "F"


class Item(BaseModel):
    sku: str
    price: float = 1.0


class Flat(BaseModel):
    city: str
    days: int = Field(ge=1, le=14)
    near: float | None = None


class Closed(BaseModel):
    model_config = ConfigDict(extra="forbid")
    city: Annotated[str, Field(alias="City")]
    units: Units = Units.C


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")
    city: str
    days: int


class Deep(BaseModel):
    first: Item
    second: Item | None = None
    items: list[Item]
    tags: list[str] = []
    prices: dict[str, int] = {}


def judged(city: str) -> str:
    if city == "Rome":
        raise ValueError("Rome is closed")
    return city


class Checked(BaseModel):
    city: Annotated[str, AfterValidator(judged)]
    days: Annotated[int, BeforeValidator(lambda days: 3 if days == "few" else days)]
    near: float | None = None


class Place(TypedDict):
    city: str
    items: NotRequired[list[Item]]
    by_name: NotRequired[dict[str, Item]]


@dataclass(slots=True)
class Moment:
    at: datetime
    id: UUID
    units: Literal["C", "F"]
    both: list[Place]


class Priced(BaseModel):
    city: str
    price: Decimal


class Struct(msgspec.Struct):
    city: str
    days: Annotated[int, msgspec.Meta(ge=1, le=14)]


class Line(msgspec.Struct, rename="pascal", forbid_unknown_fields=True):
    sku: str
    price: float


class Order(msgspec.Struct):
    city: str
    lines: list[Line]
    tags: list[str]
    rows: list[list[Struct]]
    first: Line


class Parcel(msgspec.Struct):
    first: Line
    items: list[Line]
    tags: list[str]
    prices: list[int]


class Timed(msgspec.Struct):
    at: datetime
    city: str = ""


TYPES = (Flat, Closed, Open, Deep, Checked, Place, Moment, Priced, Struct, Order, Parcel, Timed)
NAMES_OF_KEYS = (
    "city", "City", "days", "near", "units", "first", "second", "items", "tags", "prices", "sku",
    "price", "by_name", "at", "id", "both", "note", "lines", "rows", "Sku", "Price",
)  # fmt: skip
KEYS = st.sampled_from(NAMES_OF_KEYS)
SCALARS = st.sampled_from(
    [
        "Paris", "Rome", "a: b", 'c": 1', "C", "c", "", "3", "few", "2026-11-21T08:00:00Z",
        "2026-11-21 08:00", "\ud800", "한", "6b2f8a9e-6c1e-4d6f-9f60-6f9d6f6f6f6f", 3, 5.0, 1.5, 0,
        True, None, float("nan"), 10**400, 2**53, 2**53 + 1, 2.0**53,
    ]
)  # fmt: skip
ANYTHING = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=6,
)
POLICIES = st.sampled_from(["safe", "lenient", "none"])


@st.composite
def arguments(draw: st.DrawFn, tp: Any) -> Any:
    """A value of the type, with some of its keys changed, left out or added."""
    source = Values(known_pipeline(tp).adapter.json_schema(), Random(draw(st.integers(0, 10**6))))
    made = source.valid()
    for name in draw(st.lists(KEYS | st.sampled_from(sorted(made) or ["city"]), max_size=2)):
        if draw(st.booleans()):
            made[name] = draw(ANYTHING)
        else:
            made.pop(name, None)
    return made


@LAW
@pytest.mark.parametrize("tp", TYPES)
@given(data=st.data(), policy=POLICIES)
def test_a_dict_and_its_text_are_read_alike(tp: Any, data: Any, policy: str) -> None:
    raw = data.draw(arguments(tp))
    fast, whole = both(tp, raw, policy)
    assert fast == whole
    text = json.dumps(raw, ensure_ascii=data.draw(st.booleans()))
    keys = sorted(raw)
    if keys and data.draw(st.booleans()):  # a key twice, with an equal value or with another one
        twice = data.draw(st.sampled_from(keys))
        value = data.draw(st.sampled_from([raw[twice], "other"]))
        text = f"{text[:-1]}, {json.dumps(twice)}: {json.dumps(value)}}}"
    fast, whole = both(tp, text, policy)
    assert fast == whole


# ------------------------------------------------------------------- hostile text and data


@LAW
@pytest.mark.parametrize("tp", [Flat, Struct])
@pytest.mark.parametrize(
    "text",
    [
        '{"city": "Rome", "city": "Paris", "days": 3}',
        '{"city": "Rome", "days": NaN}',
        '{"city": "Rome", "days": 1e400}',
        '{"city": "Rome", "days": 03}',
        '{"city": "Rome", "days": 3.}',
        '{"city": "Ro\nme", "days": 3}',
        '{"city": "Ro\\qme", "days": 3}',
        '{"city": "\\ud800", "days": 3}',
        '{"city": "\ud800", "days": 3}',
        '\ufeff{"city": "Rome", "days": 3}',
        '{"city": "Rome", "days": 3, "more": ' + "[" * 40 + "]" * 40 + "}",
        '{"city": "Rome", "days": 3} {}',
        '{"city": "Rome", "days": 3',
        "[]",
        '"x"',
        "",
        '{"city": "' + "x" * (1 << 20) + '", "days": 3}',
    ],
)
def test_text_that_is_no_strict_json_object_is_refused_alike(tp: Any, text: str) -> None:
    fast, whole = both(tp, text)
    assert fast == whole
    assert whole[0] in ("invalid_input", "truncated")


@LAW
@pytest.mark.parametrize("tp", [Flat, Struct])
@pytest.mark.parametrize("city", ["Ro\x01me", "Ro\x7fme", "Ro\\u0000me", "Ro\tme", "Ro\u2028me"])
def test_a_control_character_is_read_alike(tp: Any, city: str) -> None:
    fast, whole = both(tp, f'{{"city": "{city}", "days": 3}}')
    assert fast == whole


class Shouting(str):
    """Text whose methods must not be called."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        raise AssertionError("asked")

    def __hash__(self) -> int:
        return str.__hash__(self)


class Letter(StrEnum):
    """Text that is an enum's member too."""

    A = "a"


class Number(IntEnum):
    """Integers that are an enum's members too."""

    ONE = 1


class Reversed(list[Any]):
    """A list that answers for itself."""

    def __iter__(self) -> Any:
        raise AssertionError("asked")


class Answering(dict[str, Any]):
    """A dict that answers for itself."""

    def __getitem__(self, key: Any) -> Any:
        raise AssertionError("asked")


def endless() -> list[Any]:
    held: list[Any] = []
    held.append(held)
    return held


LINES = {"city": "Rome", "lines": [], "tags": [], "rows": [], "first": {"Sku": "x", "Price": 1.0}}
MOMENT = {"at": "2026-11-21T08:00", "id": str(UUID(int=1)), "units": "C", "both": []}
RIGHT: list[tuple[Any, dict[str, Any]]] = [
    (Flat, {"city": "Rome", "days": 3}),
    (Closed, {"City": "Rome"}),
    (Open, {"city": "Rome", "days": 3}),
    (Deep, {"first": {"sku": "x"}, "items": []}),
    (Moment, MOMENT),
    (Order, LINES),
    (Parcel, {"first": {"Sku": "x", "Price": 1.0}, "items": [], "tags": [], "prices": [1]}),
    ({"type": "object"}, {}),
    ({"type": "object", "properties": {"tags": {"type": "array"}}}, {}),
]
ODD: list[tuple[str, Any]] = [
    ("items", ({"sku": "x"},)),
    ("items", Reversed([{"sku": "x"}])),
    ("items", [Answering(sku="x")]),
    ("items", [{"sku": "x", "more": 1}]),
    ("items", [{"sku": "x"}] * 1001),
    ("items", [{1: "x"}]),
    ("items", [{Shouting("sku"): Shouting("x")}]),
    ("items", [{"Sku": "x", "Price": math.inf}]),
    ("items", [{"Sku": "x", "Price": math.nan}, {"Sku": "x", "Price": -math.inf}]),
    ("items", [{"Sku": "x", "Price": -127.0}]),
    ("items", [{"Sku": "\ud800", "Price": 1.0}]),
    ("items", [{"Sku": Letter.A, "Price": 1.0}, {"sku": Letter.A}]),
    ("items", endless()),
    ("tags", ("a",)),
    ("tags", {"a"}),
    ("tags", ["\ud800"]),
    ("tags", [Shouting("a")]),
    ("tags", [Letter.A]),
    ("tags", [b"a"]),
    ("tags", ["a"] * 1001),
    ("tags", [[[[1] * 1000] * 1000] * 1000]),
    ("city", Letter.A),
    ("city", Shouting("Rome")),
    ("city", b"Rome"),
    ("City", Shouting("Rome")),
    ("units", Shouting("C")),
    ("units", Units.C),
    ("days", Number.ONE),
    ("days", True),
    ("days", 3.0),
    ("days", Decimal(3)),
    ("near", Decimal("1.5")),
    ("at", Shouting("2026-11-21T08:00")),
    ("lines", [{"Sku": Letter.A, "Price": Number.ONE}]),
    ("lines", [{"Sku": "x", "Price": Decimal("1.5")}]),
    ("first", {"Sku": Letter.A, "Price": 1.0, "sku": Letter.A}),
    ("first", Answering(sku="x")),
    ("prices", {"a": 2**63}),
    ("prices", {"a": 10**5000}),
    ("prices", Answering(a=1)),
    ("prices", [2**63, -(2**64)]),
    ("prices", [10**5000]),
    ("prices", [True]),
    ("prices", [1] * 600_000),
    ("rows", ([],)),
    ("rows", [({"city": "Rome", "days": 2},)]),
    (Shouting("city"), "Rome"),
    ("more", object()),
    ("more", 1j),
    ("more", UUID(int=1)),
]


@LAW
@pytest.mark.unmeasured
@pytest.mark.parametrize(("name", "odd"), ODD, ids=lambda one: str(type(one).__name__))
@pytest.mark.parametrize(("tp", "right"), RIGHT, ids=lambda one: getattr(one, "__name__", ""))
def test_odd_data_are_read_alike_and_their_methods_are_not_called(
    tp: Any, right: Any, name: str, odd: Any
) -> None:
    raw = {key: value for key, value in right.items() if str.__str__(name) != key} | {name: odd}
    fast, whole = both(tp, raw)
    assert fast == whole
    assert whole is not AssertionError


@LAW
@pytest.mark.parametrize(("tp", "right"), RIGHT, ids=lambda one: getattr(one, "__name__", ""))
def test_what_is_no_dict_is_read_alike(tp: Any, right: Any) -> None:
    for raw in (None, 5, [right], (right,), Answering(right), Letter.A, b"{", "null", {1: 2}):
        fast, whole = both(tp, raw)
        assert fast == whole
        assert whole is not AssertionError


# ------------------------------------------------------------------- what is given on


def test_right_arguments_are_constructed_without_the_whole_pipeline(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def never(self: InputPipeline, raw: Any) -> Any:
        raise AssertionError("asked")

    monkeypatch.setattr(InputPipeline, "validate", never)
    for tp, right in RIGHT[:7]:
        for raw in (right, json.dumps(right)):
            assert not isinstance(fast_validation(pipeline_of(tp))(raw), Err)


@pytest.mark.parametrize(("tp", "right"), RIGHT[:7])
def test_text_is_given_on_as_text_itself(tp: Any, right: Any) -> None:
    name = next(key for key, value in right.items() if type(value) is str or key == "first")
    sent = Shouting("Rome") if name != "first" else {**right["first"], "sku": "x"}
    held = {**right, name: sent if name in ("city", "City") else right[name]}
    value, data, _ = fast_validation(pipeline_of(tp))(held)
    assert type(data) is dict
    assert {type(one) for one in data.values()} <= {str, int, dict, list}
    assert value is not None


def test_the_arguments_of_an_outcome_are_plain() -> None:
    run = tool(lambda value: value.city, name="run", description="Run.", input=Flat)
    outcome = run.call_sync({"city": Letter.A, "days": Number.ONE})
    assert outcome
    assert outcome.arguments == {"city": "a", "days": 1}
    assert [type(one) for one in outcome.arguments.values()] == [str, int]


@pytest.mark.unmeasured
def test_shared_parts_that_multiply_are_refused() -> None:
    class Cube(BaseModel):
        cells: list[list[list[int]]]

    row: Any = [[[1] * 1000] * 1000]
    cube = tool(lambda value: value, name="cube", description="A cube.", input=Cube)
    assert not cube.call_sync({"cells": row * 1000})
