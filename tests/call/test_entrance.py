"""The shortest way in gives what the whole way gives, for whatever is sent."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum
from typing import Annotated, Any, Literal, NotRequired
from uuid import UUID

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import AliasChoices, BaseModel, ConfigDict, Field, RootModel, create_model
from toolhaft.call.entrance import entrance
from toolhaft.call.gate import Gate, Refused
from typing_extensions import TypedDict

from toolhaft import tool
from toolhaft.call.boundary import Boundary
from toolhaft.call.outcome import Err
from toolhaft.call.results import Results
from toolhaft.call.rules import Rules
from toolhaft.call.supply import Roles, Supply
from toolhaft.jsondata import NotPlain, snapshot
from toolhaft.spec import Issue
from toolhaft.vendors import adapt

SURE = pytest.mark.requirement("call-direct")


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


class Deep(BaseModel):
    first: Item
    second: Item | None = None
    items: list[Item]
    tags: list[str] = []
    prices: dict[str, int] = {}


class Keys(TypedDict):
    city: str
    items: NotRequired[list[Item]]
    by_name: NotRequired[dict[str, Item]]


@dataclass(slots=True)
class Moment:
    at: datetime
    id: UUID
    units: Literal["C", "F"]
    both: list[Keys]


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


TYPES = (Flat, Closed, Deep, Keys, Moment, Struct, Order, Parcel)


class Loose(BaseModel):
    anything: Any


class Kept(BaseModel):
    model_config = ConfigDict(extra="allow")
    city: str


class Tree(BaseModel):
    children: list[Tree]


class Made(BaseModel):
    city: str

    def model_post_init(self, context: Any, /) -> None: ...


class Named(BaseModel):
    city: str = Field(validation_alias=AliasChoices("city", "town"))


class Cube(BaseModel):
    cells: list[list[list[int]]]


class Nest(BaseModel):
    first: Item = Item(sku="x")


@dataclass
class Optional:
    city: str = ""


class Default(msgspec.Struct):
    city: str = ""


class Tagged(msgspec.Struct, tag=True):
    city: str


class Checked(msgspec.Struct):
    city: str

    def __post_init__(self) -> None: ...


class Held(msgspec.Struct):
    by_name: dict[str, Struct]


class Endless(msgspec.Struct):
    children: list[Endless]


class Timed(msgspec.Struct):
    at: datetime


INDIRECT: tuple[Any, ...] = (
    *(Loose, Kept, Tree, Made, Named, Cube, Nest, Optional, RootModel[dict[str, Item]]),
    *(Default, Tagged, Checked, Held, Timed, Endless),
)


def gate_of(tp: Any) -> Gate:
    return Gate(Rules("run"), adapt(tp), "vendor_ignored")


def entering(gate: Gate) -> Any:
    """What a call hands to its handler, with the data and the repairs in its outcome."""
    given: list[Any] = []
    supply = Supply("run", Roles((), (), ()), whole=True)
    parts = given.append, supply, Results(None)
    run = Boundary(gate.rules, gate, *parts, asynchronous=False).call_sync

    def enter(raw: Any) -> Any:
        given.clear()
        outcome = run(raw, None)
        if isinstance(outcome, Err):
            return outcome
        data = outcome._arguments  # subclasses are read as their base when it is looked at
        return given[0], data if type(data) is str else snapshot(data), outcome.coercions

    return enter


def taken(admit: Any, raw: Any) -> Any:
    """What a way in gives, the text that it may give for its data read."""
    try:
        admitted = admit(raw)
    except Refused as refused:
        admitted = refused.err
    if isinstance(admitted, Err):
        return [(one.path, one.code, one.message) for one in admitted.issues]
    value, data, coercions = admitted
    return repr(value), json.loads(data) if isinstance(data, str) else data, coercions


@pytest.mark.parametrize("tp", TYPES)
def test_the_types_of_these_tests_are_read_directly(tp: Any) -> None:
    assert adapt(tp).direct is not None


@pytest.mark.parametrize("tp", INDIRECT)
def test_a_type_whose_keys_cannot_be_counted_goes_the_whole_way(tp: Any) -> None:
    gate = gate_of(tp)
    assert entrance(gate).kind is None


NAMES = (
    "city", "City", "days", "near", "units", "first", "second", "items", "tags", "prices", "sku",
    "price", "by_name", "at", "id", "both", "note",
)  # fmt: skip
SCALARS = st.sampled_from(
    [
        "Paris", "a: b", 'c": 1', "C", "c", "", "3", "2026-11-21T08:00:00Z", "\ud800", "한",
        "6b2f8a9e-6c1e-4d6f-9f60-6f9d6f6f6f6f", 3, 5.0, 1.5, 0, True, None, float("nan"), 10**400,
    ]
)  # fmt: skip
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(NAMES), inner),
    max_leaves=6,
)
ITEM = st.fixed_dictionaries({"sku": st.just("x")}, optional={"price": st.just(2), "more": VALUES})
KEYS = st.fixed_dictionaries(
    {"city": st.just("Rome")},
    optional={
        "items": st.lists(ITEM, max_size=2),
        "by_name": st.dictionaries(SCALARS.filter(lambda key: type(key) is str), ITEM),
    },
)
LINE = st.fixed_dictionaries({"Sku": st.just("x"), "Price": st.just(5) | st.just(2.0)})
RIGHT = {
    "city": st.just("a: b") | st.just("Rome"),
    "days": st.just(3),
    "near": st.just(None) | st.just(2),
    "first": ITEM,
    "second": st.just(None) | ITEM,
    "items": st.lists(ITEM, max_size=2),
    "tags": st.just(["a:"]),
    "prices": st.just({"a": 1, "b": 2}),
    "City": st.just("Rome"),
    "units": st.just("C"),
    "at": st.just("2026-11-21T08:00:00Z"),
    "id": st.just("6b2f8a9e-6c1e-4d6f-9f60-6f9d6f6f6f6f"),
    "both": st.lists(KEYS, max_size=2),
    "lines": st.lists(LINE, max_size=2),
    "rows": st.lists(st.lists(st.just({"city": "Rome", "days": 2}) | ITEM, max_size=2), max_size=2),
    "first_line": LINE,
}
FIELDS = {
    Flat: ("city", "days", "near"),
    Closed: ("City", "units"),
    Deep: ("first", "second", "items", "tags", "prices"),
    Keys: ("city", "items"),
    Moment: ("at", "id", "units", "both"),
    Struct: ("city", "days"),
    Parcel: ("first_line", "tags"),
    Order: ("city", "lines", "tags", "rows", "first_line"),
}


@st.composite
def arguments(draw: st.DrawFn, tp: Any) -> dict[str, Any]:
    made: dict[str, Any] = {name.removesuffix("_line"): draw(RIGHT[name]) for name in FIELDS[tp]}
    if draw(st.booleans()):
        return made
    for name in draw(st.sets(st.sampled_from(NAMES), max_size=2)):
        made[name] = draw(VALUES)
    for name in draw(st.sets(st.sampled_from(sorted(made)), max_size=1)):
        del made[name]
    return made


@SURE
@pytest.mark.parametrize("tp", TYPES)
@given(data=st.data())
def test_a_dict_and_its_text_come_in_as_they_would_the_whole_way(tp: Any, data: Any) -> None:
    gate = gate_of(tp)
    enter = entering(gate)
    raw = data.draw(arguments(tp))
    assert repr(taken(enter, raw)) == repr(taken(gate.admit, raw))
    text = json.dumps(raw, ensure_ascii=data.draw(st.booleans()))
    keys = sorted(raw)
    if keys and data.draw(st.booleans()):  # a key twice, with an equal value or with another one
        twice = data.draw(st.sampled_from(keys))
        value = data.draw(st.sampled_from([raw[twice], "other"]))
        text = f"{text[:-1]}, {json.dumps(twice)}: {json.dumps(value)}}}"
    assert repr(taken(enter, text)) == repr(taken(gate.admit, text))


@SURE
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
    ],
)
def test_text_that_is_no_strict_json_is_refused_by_the_short_way_too(tp: Any, text: str) -> None:
    assert isinstance(entering(gate_of(tp))(text), Err)


@SURE
@pytest.mark.parametrize("tp", [Flat, Struct])
@pytest.mark.parametrize("city", ["Ro\x01me", "Ro\x7fme", "Ro\\u0000me", "Ro\tme"])
def test_a_control_character_is_read_as_the_whole_way_reads_it(tp: Any, city: str) -> None:
    gate = gate_of(tp)
    text = f'{{"city": "{city}", "days": 3}}'
    found = taken(gate.admit, text)
    assert repr(taken(entering(gate), text)) == repr(found)


class Shouting(str):
    """Text whose methods must not be called."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        raise AssertionError("asked")

    def __hash__(self) -> int:
        return str.__hash__(self)


@SURE
@pytest.mark.parametrize("tp", [Flat, Deep])
def test_no_method_of_a_subclass_is_called_at_any_depth(tp: Any) -> None:
    item = {Shouting("sku"): Shouting("x")}
    raw: Any = {"city": Shouting("x"), "days": 3}
    if tp is Deep:
        raw = {"first": item, "items": [item]}
    admitted = entering(gate_of(tp))(raw)
    assert not isinstance(admitted, Err)
    value, _, coercions = admitted
    assert coercions == ()
    assert type(value.city if tp is Flat else value.items[0].sku) is str


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


class Open(dict[str, Any]):
    """A dict that answers for itself."""

    def __getitem__(self, key: Any) -> Any:
        raise AssertionError("asked")


LINES = {"city": "Rome", "lines": [], "tags": [], "rows": [], "first": {"Sku": "x", "Price": 1.0}}
HELD: list[tuple[Any, dict[str, Any]]] = [
    (Deep, {"first": {"sku": "x"}, "items": []}),
    (Order, LINES),
    (Parcel, {"first": {"Sku": "x", "Price": 1.0}, "items": [], "tags": [], "prices": [1]}),
]
ODD: list[tuple[str, Any]] = [
    ("items", ({"sku": "x"},)),
    ("items", Reversed([{"sku": "x"}])),
    ("items", [Open(sku="x")]),
    ("items", [{"sku": "x", "more": 1}]),
    ("items", [{"sku": "x"}] * 1001),
    ("items", [{1: "x"}]),
    ("items", [{"Sku": "x", "Price": math.inf}]),
    ("items", [{"Sku": "x", "Price": math.nan}, {"Sku": "x", "Price": -math.inf}]),
    ("items", [{"Sku": "x", "Price": -127.0}]),
    ("items", [{"Sku": "\ud800", "Price": 1.0}]),
    ("tags", ("a",)),
    ("tags", {"a"}),
    ("tags", ["\ud800"]),
    ("tags", [Shouting("a")]),
    ("tags", [Letter.A]),
    ("city", Letter.A),
    ("first", {"Sku": Letter.A, "Price": 1.0, "sku": Letter.A}),
    ("items", [{"Sku": Letter.A, "Price": 1.0}, {"sku": Letter.A}]),
    ("lines", [{"Sku": Letter.A, "Price": Number.ONE}]),
    ("tags", ["a"] * 1001),
    ("first", Open(sku="x")),
    ("prices", {"a": 2**63}),
    ("prices", {"a": 10**5000}),
    ("prices", Open(a=1)),
    ("prices", [2**63, -(2**64)]),
    ("prices", [10**5000]),
    ("prices", [True]),
    ("rows", ([],)),
    ("rows", [({"city": "Rome", "days": 2},)]),
]


@SURE
@pytest.mark.parametrize(("name", "odd"), ODD)
@pytest.mark.parametrize(("tp", "right"), HELD)
def test_what_holds_odd_data_goes_the_whole_way(tp: Any, right: Any, name: str, odd: Any) -> None:
    gate = gate_of(tp)
    raw = right | {name: odd}
    assert repr(taken(entering(gate), raw)) == repr(taken(gate.admit, raw))


@SURE
@pytest.mark.parametrize("tp", [Closed, Moment])
def test_no_method_of_a_subclass_is_called_where_a_value_is_looked_up(tp: Any) -> None:
    raw: Any = {"City": "Rome", "units": Shouting("C")}
    if tp is Moment:
        uuid = "6b2f8a9e-6c1e-4d6f-9f60-6f9d6f6f6f6f"
        raw = {"at": "2026-11-21T08:00:00Z", "id": uuid, "units": Shouting("C"), "both": []}
    admitted = entering(gate_of(tp))(raw)
    assert not isinstance(admitted, Err)
    assert type(admitted[0].units) is (str if tp is Moment else Units)


def test_a_type_whose_parts_multiply_is_not_counted_for_ever() -> None:
    made: Any = Item
    for depth in range(25):
        made = create_model(f"Level{depth}", left=(made, ...), right=(made, ...))
    assert adapt(made).direct is None


@SURE
def test_shared_parts_that_multiply_are_refused() -> None:
    row: Any = [[[1] * 1000] * 1000]
    outcome = tool(lambda value: value, name="cube", description="A cube.", input=Cube).call_sync(
        {"cells": row * 1000}
    )
    assert not outcome


def test_the_arguments_of_a_call_are_seen_as_plain_data() -> None:
    run = tool(lambda value: value.city, name="run", description="Run.", input=Flat)
    raw: dict[str, Any] = {"city": Letter.A, "days": Number.ONE}
    outcome = run.call_sync(raw)
    assert outcome
    assert [type(one) for one in outcome.arguments.values()] == [str, int]
    raw["city"] = 1j
    assert outcome.arguments == {"city": 1j, "days": 1}  # it is a view: nobody asked in between


def test_the_arguments_of_a_call_are_read_from_its_text_when_they_are_asked_for() -> None:
    run = tool(lambda value: value.city, name="run", description="Run.", input=Flat)
    outcome = run.call_sync('{"city": "Rome", "days": 3}')
    assert outcome
    assert dict(outcome.arguments) == {"city": "Rome", "days": 3}


@pytest.mark.requirement("call-direct")
@pytest.mark.parametrize("tp", [Flat, Closed, Deep, Keys])
@given(data=st.data())
def test_the_faults_that_are_seen_at_once_are_those_that_the_schema_finds(
    tp: Any, data: Any
) -> None:
    gate, raw = gate_of(tp), data.draw(arguments(tp))
    try:
        plain = snapshot(raw)
    except NotPlain:
        return
    try:
        gate.construct(plain)
    except gate.rejects:
        seen = gate.adapter.sight.see(plain, bool) if gate.adapter.sight else None
        assert seen is None or seen == gate.adapter.checker("input").failure(plain)


@pytest.mark.requirement("call-direct")
def test_missing_keys_and_wrong_types_are_seen_at_once() -> None:
    gate = gate_of(Flat)
    data = {"city": 5}
    assert gate.adapter.sight
    assert gate.adapter.sight.see(data, bool) == [
        Issue("required", ("days",), "missing"),
        Issue("expected string, received integer", ("city",), "type", "string", "integer"),
    ]


class Priced(msgspec.Struct):
    price: float


class Basket(msgspec.Struct):
    total: float
    count: int
    lines: list[Priced]


@pytest.mark.requirement("call-direct")
@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"total": math.nan}, "json"),
        ({"total": -math.inf}, "json"),
        ({"lines": ({"price": 1.5},)}, "json"),
        ({"lines": [{"price": math.inf}]}, "json"),
        ({"count": 10**4300}, "json"),
        ({"lines": [{"price": 1}], "note": "x"}, None),
        ({}, None),
    ],
)
def test_what_msgspec_takes_beyond_json_is_refused_in_nested_data(change: Any, code: Any) -> None:
    run = tool(lambda value: value.count, name="run", description="Run.", input=Basket)
    outcome = run.call_sync({"total": 2.5, "count": 1, "lines": [{"price": 2.5}], **change})
    assert [one.code for one in outcome.issues] == [code] if not outcome else code is None


class Nothing(BaseModel):
    """An item that says of itself that it is none."""

    sku: str

    def __bool__(self) -> bool:
        return False


class Empty(BaseModel):
    city: str
    first: Nothing = Nothing(sku="x")


class Price(BaseModel):
    amount: int
    currency: str


class Absent(BaseModel):
    """Its defaults are not of the declared types, which pydantic does not look at."""

    city: str
    price: Price = None  # type: ignore[assignment]


class Other(BaseModel):
    city: str
    first: Item = {}  # type: ignore[assignment]


class Twins(BaseModel):
    one: int = Field(1, alias="x")
    other: int = Field(2, alias="x")


class Rows(BaseModel):
    rows: list[list[int]]


class Row(msgspec.Struct):
    row: list[int]


class Weight(msgspec.Struct):
    kilos: float
    parts: list[float]


class Grids(msgspec.Struct):
    a: list[list[int]]
    b: list[list[int]]
    c: list[list[int]]
    d: list[list[int]]


GRID = [[1] * 380] * 380


@SURE
@pytest.mark.parametrize(
    ("tp", "raw"),
    [
        (Empty, '{"city": "Rome", "city": "Paris"}'),
        (Absent, '{"city": "Rome", "city": "Paris", "more": 1}'),
        (Absent, '{"city": "Rome"}'),
        (Other, '{"city": "Rome"}'),
        (Twins, '{"x": 1, "x": 2}'),
        (Twins, {"x": 1, "y": 2}),
        (Rows, {"rows": [[1] * 1000] * 1000}),
        (Row, {"row": [1] * 600_000}),
        (Weight, {"kilos": Decimal("1.5"), "parts": []}),
        (Weight, {"kilos": 1.5, "parts": [2, Decimal("1.5")]}),
        (Grids, {"a": GRID, "b": GRID, "c": GRID, "d": GRID}),
    ],
)
def test_what_hides_keys_or_values_from_the_count_is_seen(tp: Any, raw: Any) -> None:
    gate = gate_of(tp)
    assert repr(taken(entering(gate), raw)) == repr(taken(gate.admit, raw))
