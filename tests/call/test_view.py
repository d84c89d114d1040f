"""One view of a call's arguments: the data that an object was made of, and the shown data."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Callable
from datetime import date, time, timedelta
from decimal import Decimal
from typing import Annotated, Any, NamedTuple, cast

import attrs
import marshmallow
import msgspec
import pytest
import voluptuous
from pydantic import (
    AnyUrl,
    BaseModel,
    ConfigDict,
    Field,
    PrivateAttr,
    RootModel,
    SecretStr,
    field_serializer,
)
from typing_extensions import TypedDict

from toolhaft import Err, Ok, Toolset, tool
from toolhaft.call.filling import Defaults
from toolhaft.call.form_check import UnfitDefaultError
from toolhaft.call.view import View, has_factories, write_object
from toolhaft.jsonio.jsondata import NotJson
from toolhaft.tools.tool import AnyTool
from toolhaft.vendors import adapt


def seen(tp: Any, data: Any) -> View:
    """The view of data, as a person is shown them."""
    adapter = adapt(tp)
    defaults = Defaults(adapter)
    fill = defaults.fill()
    value, admitted = adapter.read(data, fill)
    return View(fill.sent, admitted, defaults.show_made(admitted, value))


def shown(tp: Any, data: Any) -> Any:
    return seen(tp, data).shown


class Point(BaseModel):
    x: int = Field(0, alias="X")
    y: int = 0


class Tagged(BaseModel):
    kind: str = "tag"
    at: Point = Point(X=0)
    made: list[Point] = Field(default_factory=lambda: [Point(X=1)])


class Excluded(BaseModel):
    name: str
    secret: int = Field(7, exclude=True)
    day: date = date(2024, 1, 2)
    _private: int = PrivateAttr(3)

    @field_serializer("day")
    def other(self, day: date) -> str:
        return "some day"


class Unwritten(BaseModel):
    limit: float = math.inf
    marker: Any = object()
    wrong: str = None  # type: ignore[assignment]


class Extended(BaseModel):
    model_config = ConfigDict(extra="allow")
    n: int = 1


def extended(**members: int) -> Extended:
    return Extended.model_validate(members)


class Roots(RootModel[list[Point]]):
    pass


class Held(BaseModel):
    either: Point | int = 0
    many: dict[str, Point] = {}
    dated: dict[date, Point] = {}
    pair: tuple[Point, int] | None = None
    roots: Roots | None = None


class Struct(msgspec.Struct, rename="camel", tag=True):
    first_name: str
    words: list[str] = []
    more: list[int] = msgspec.field(default_factory=lambda: [1])
    unset: int | msgspec.UnsetType = msgspec.UNSET


@attrs.define
class Made:
    n: int = attrs.field(converter=int)
    twice: int = attrs.field(factory=lambda: 2)
    _hidden: int = 5


@dataclasses.dataclass
class Plain:
    n: int
    tags: list[str] = dataclasses.field(default_factory=list)
    later: int = dataclasses.field(init=False, default=9)


class Keys(TypedDict, total=False):
    point: Point


class Pair(NamedTuple):
    first: Point
    second: int = 2


class Filled(TypedDict):
    n: int
    most: Annotated[int, Field(5, alias="maxOf")]
    made: Annotated[list[int], Field(default_factory=lambda: [1])]


class Linked(BaseModel):
    site: AnyUrl = AnyUrl("https://example.org/")
    names: dict[int, str] = Field(default_factory=lambda: {1: "one"})
    more: Extended = Field(default_factory=lambda: extended(n=2, z=3))
    key: SecretStr = SecretStr("hidden")


class Based(BaseModel):
    model_config = ConfigDict(val_json_bytes="base64")
    raw: bytes = Field(default_factory=lambda: b"\xff\x00\x01")


class Listed(msgspec.Struct, array_like=True, tag=True):
    n: int
    words: str = "none"
    made: list[int] = msgspec.field(default_factory=lambda: [1])
    last: int = 9


class Packed(msgspec.Struct):
    raw: bytes = msgspec.field(default_factory=lambda: b"abcd")
    price: Decimal = msgspec.field(default_factory=lambda: Decimal("1.10"))
    listed: Listed = msgspec.field(default_factory=lambda: Listed(3))


PRICED = voluptuous.Schema(
    {
        voluptuous.Required("n"): int,
        voluptuous.Optional("most", default=5): int,
        voluptuous.Optional("made", default=lambda: [1]): [int],
        voluptuous.Optional("inner"): {voluptuous.Optional("deep", default=7): int},
        voluptuous.Optional("never"): int,
    }
)


class Loaded(marshmallow.Schema):
    n = marshmallow.fields.Integer(required=True)
    most = marshmallow.fields.Integer(load_default=5, attribute="_most", data_key="maxOf")
    made = marshmallow.fields.List(marshmallow.fields.Integer(), load_default=lambda: [1])
    never = marshmallow.fields.Integer()


@pytest.mark.parametrize(
    ("tp", "data", "admitted", "all_shown"),
    [
        (Point, {}, {}, {"X": 0, "y": 0}),
        (Point, {"X": 5}, {"X": 5}, {"X": 5, "y": 0}),
        (
            Tagged,
            {"at": {}},
            {"at": {}, "made": [{"X": 1, "y": 0}]},
            {"kind": "tag", "at": {"X": 0, "y": 0}, "made": [{"X": 1, "y": 0}]},
        ),
        (
            Excluded,
            {"name": "a"},
            {"name": "a"},
            {"name": "a", "secret": 7, "day": "2024-01-02"},
        ),
        (Unwritten, {}, {}, {"wrong": None}),
        (Extended, {"z": 1}, {"z": 1}, {"z": 1, "n": 1}),
        (Roots, [{}, {"X": 1}], [{}, {"X": 1}], [{"X": 0, "y": 0}, {"X": 1, "y": 0}]),
        (
            Held,
            {"either": {"X": 1}, "many": {"a": {}}, "dated": {"2024-01-02": {"y": 1}}},
            {"either": {"X": 1}, "many": {"a": {}}, "dated": {"2024-01-02": {"y": 1}}},
            {
                "either": {"X": 1, "y": 0},
                "many": {"a": {"X": 0, "y": 0}},
                "dated": {"2024-01-02": {"X": 0, "y": 1}},
                "pair": None,
                "roots": None,
            },
        ),
        (
            Held,
            {"pair": [{}, 1], "roots": [{}]},
            {"pair": [{}, 1], "roots": [{}]},
            {
                "pair": [{"X": 0, "y": 0}, 1],
                "roots": [{"X": 0, "y": 0}],
                "either": 0,
                "many": {},
                "dated": {},
            },
        ),
        (
            Struct,
            {"type": "Struct", "firstName": "Ann"},
            {"type": "Struct", "firstName": "Ann", "more": [1]},
            {"type": "Struct", "firstName": "Ann", "words": [], "more": [1]},
        ),
        (Made, {"n": 1}, {"n": 1, "twice": 2}, {"n": 1, "twice": 2, "hidden": 5}),
        (Plain, {"n": 1}, {"n": 1}, {"n": 1, "tags": []}),
        (Keys, {"point": {}}, {"point": {}}, {"point": {"X": 0, "y": 0}}),
        (list[Point], [{}], [{}], [{"X": 0, "y": 0}]),
        (Pair, [{}], [{}], [{"X": 0, "y": 0}, 2]),
        (Filled, {"n": 1}, {"n": 1, "made": [1]}, {"n": 1, "maxOf": 5, "made": [1]}),
        (
            list[Filled],
            [{"n": 1, "maxOf": 2, "made": []}],
            [{"n": 1, "maxOf": 2, "made": []}],
            [{"n": 1, "maxOf": 2, "made": []}],
        ),
        (
            Linked,
            {},
            {"names": {"1": "one"}, "more": {"n": 2, "z": 3}},
            {"site": "https://example.org/", "names": {"1": "one"}, "more": {"n": 2, "z": 3}},
        ),
        (Based, {}, {"raw": "_wAB"}, {"raw": "_wAB"}),
        (
            Listed,
            ["Listed", 1],
            ["Listed", 1, "none", [1]],
            ["Listed", 1, "none", [1], 9],
        ),
        (
            Packed,
            {},
            {"raw": "YWJjZA==", "price": "1.10", "listed": ["Listed", 3, "none", [1], 9]},
            {"raw": "YWJjZA==", "price": "1.10", "listed": ["Listed", 3, "none", [1], 9]},
        ),
        (
            PRICED,
            {"n": 1, "inner": {}},
            {"n": 1, "inner": {}, "made": [1]},
            {"n": 1, "inner": {"deep": 7}, "most": 5, "made": [1]},
        ),
        (Loaded, {"n": 1}, {"n": 1, "made": [1]}, {"n": 1, "maxOf": 5, "made": [1]}),
    ],
)
def test_factories_are_inserted_and_static_defaults_are_shown(
    tp: Any, data: Any, admitted: Any, all_shown: Any
) -> None:
    view = seen(tp, data)
    assert view == View(data, admitted, all_shown)
    assert view.differs_in_factories(seen(tp, admitted))


@pytest.mark.parametrize(
    ("made", "data"),
    [
        (Excluded(name="a", secret=1), {"name": "a", "secret": 1, "day": "2024-01-02"}),
        (extended(n=2, z=3), {"n": 2, "z": 3}),
        (Struct("Ann"), {"type": "Struct", "firstName": "Ann", "words": [], "more": [1]}),
        (Listed(1), ["Listed", 1, "none", [1], 9]),
        (cast(Any, Made)(n="3", hidden=4), {"n": 3, "twice": 2, "hidden": 4}),
        (Plain(1), {"n": 1, "tags": []}),
        (Roots([Point(X=1)]), [{"X": 1, "y": 0}]),
    ],
)
def test_an_object_is_written_as_what_it_would_be_made_from(made: Any, data: Any) -> None:
    adapter = adapt(type(made))
    adapter.json_schema()
    assert write_object(adapter, made) == data


def test_no_stars_are_written_for_a_secret() -> None:
    with pytest.raises(NotJson):
        write_object(adapt(Linked), Linked())


def test_what_was_sent_is_not_changed_by_looking_at_it() -> None:
    adapter, data = adapt(Tagged), {"at": {"X": 1}}
    Defaults(adapter).fill()(data)
    assert data == {"at": {"X": 1}}


@pytest.mark.parametrize("tp", [Tagged, Struct, Made, Listed, Filled, PRICED, Loaded])
def test_a_type_with_a_factory_is_known_by_its_fields(tp: Any) -> None:
    adapter = adapt(tp)
    adapter.json_schema()
    assert has_factories(adapter)


@pytest.mark.parametrize("tp", [Point, Extended, Held, Keys, Plain])
def test_a_type_without_one_is_too(tp: Any) -> None:
    adapter = adapt(tp)
    adapter.json_schema()
    assert not has_factories(adapter)


def test_a_factory_that_gives_no_json_cannot_be_shown() -> None:
    class Odd(BaseModel):
        n: Any = Field(default_factory=object)

    with pytest.raises(UnfitDefaultError, match="n: its default factory gave no JSON"):
        seen(Odd, {})


# ------------------------------------------------------------------- of whole calls


def asked(tp: Any, raw: Any, **options: Any) -> tuple[Any, list[Any], Any]:
    """The outcome, what a person saw, and what the handler got."""
    saw: list[Any] = []
    got: list[Any] = []

    def approve(prepared: Any) -> bool:
        saw.append(prepared.arguments)
        return True

    outcome = asking(got.append, tp, **options).call_sync(raw, approve=approve)
    return outcome, saw, got


def asking(run: Callable[[Any], None], tp: Any, **options: Any) -> AnyTool:
    """A tool that needs a person's yes."""

    def given(given: Any) -> None:
        "Run."
        run(given)

    return tool(given, name="t", input=tp, output=None, requires_approval=True, **options)


def counted() -> Callable[[], int]:
    numbers = itertools.count(1)
    return lambda: next(numbers)


def test_a_factory_runs_once_and_its_value_is_what_was_shown() -> None:
    class Numbered(BaseModel):
        n: int
        id: int = Field(default_factory=counted())

    outcome, saw, got = asked(Numbered, {"n": 1})
    assert isinstance(outcome, Ok)
    assert saw == [{"n": 1, "id": 1}]
    assert got == [Numbered(n=1, id=1)]
    assert outcome.arguments == {"n": 1, "id": 1}


def test_an_argument_that_is_sent_runs_no_factory() -> None:
    class Numbered(BaseModel):
        id: int = Field(default_factory=lambda: 1 // 0)

    outcome, saw, _ = asked(Numbered, {"id": 5})
    assert outcome
    assert saw == [{"id": 5}]


def test_a_default_that_is_not_a_number_makes_no_right_call_fail() -> None:
    class Limited(BaseModel):
        limit: float = math.nan
        tags: list[str] = Field(default_factory=list)

    outcome, saw, _ = asked(Limited, {})
    assert outcome
    assert saw == [{"tags": ()}]


@pytest.mark.parametrize("made", [lambda: "0", lambda: [1, 2], lambda: {"x": 1}])
def test_a_factorys_value_that_does_not_come_back_is_the_programs_fault(
    made: Callable[[], Any], caplog: pytest.LogCaptureFixture
) -> None:
    class Odd(BaseModel):
        n: int = Field(default_factory=made)

    outcome, saw, got = asked(Odd, {})
    assert isinstance(outcome, Err)
    assert (outcome.kind, outcome.effect, saw, got) == ("runtime_error", "none", [], [])
    assert outcome.error_id is not None
    assert outcome.error_id in caplog.text


NAMES = itertools.count(1)


class Stored:
    """A dataclass's copy of an argument that is not a field."""

    def __init__(self, kept: Any) -> None:
        self.kept = kept


@dataclasses.dataclass
class Window:
    start: int
    size: int = 4
    name: str = dataclasses.field(default_factory=lambda: f"w{next(NAMES)}")
    inner: Window | None = None


@dataclasses.dataclass
class Unkept:
    window: dataclasses.InitVar[Window]
    scale: dataclasses.InitVar[int] = 2
    stored: Any = dataclasses.field(init=False, default=None)

    def __post_init__(self, window: Window, scale: int) -> None:
        self.stored = Stored((window, scale))


def test_what_an_object_is_given_and_does_not_keep_is_shown_and_run() -> None:
    sent = {"window": {"start": 1, "inner": {"start": 2, "name": "own"}}}
    outcome, saw, got = asked(Unkept, sent)
    assert isinstance(outcome, Ok)
    window, scale = got[0].stored.kept
    inner = {"start": 2, "size": 4, "name": "own", "inner": None}
    whole = {"start": 1, "size": 4, "name": window.name, "inner": inner}
    assert saw == [{"window": whole, "scale": 2}]
    assert (window, scale) == (Window(1, 4, window.name, Window(2, 4, "own")), 2)


def test_a_tool_that_asks_nobody_shows_what_was_sent() -> None:
    class Odd(BaseModel):
        n: int = Field(default_factory=lambda: 4)

    outcome = tool(lambda given: given.n, name="run", description="Run.", input=Odd).call_sync({})
    assert isinstance(outcome, Ok)
    assert (outcome.value, outcome.arguments) == (4, {})


@pytest.mark.requirement("view-law")
def test_an_item_whose_text_was_respelled_is_not_shown_as_its_neighbours_object() -> None:
    @attrs.define
    class Named:
        name: str
        note: str = "none"

    @attrs.define
    class Priced:
        price: Decimal
        tax: int = 19

    assert seen(list[Named | Priced], [{"price": "-.5", "tax": 7}, {"name": "a"}]) == View(
        [{"price": "-.5", "tax": 7}, {"name": "a"}],
        [{"price": "-.5", "tax": 7}, {"name": "a"}],
        [{"price": "-.5", "tax": 7}, {"name": "a", "note": "none"}],
    )


@pytest.mark.requirement("view-law")
@pytest.mark.parametrize("count", [1, 300])
def test_items_whose_texts_were_respelled_are_shown_with_their_defaults(count: int) -> None:
    class Visit(BaseModel):
        length: timedelta
        guests: int = 2

    sent = {
        "visits": [{"length": "+P3W"}, {"length": "P1D"}] * count,
        "first": [{"length": "+P3W"}, "22:56z"],
    }
    shown = {
        "visits": [{"length": "+P3W", "guests": 2}, {"length": "P1D", "guests": 2}] * count,
        "first": [{"length": "+P3W", "guests": 2}, "22:56z"],
    }

    class Visits(BaseModel):
        visits: list[Visit]
        first: tuple[Visit, time]

    assert seen(Visits, sent) == View(sent, sent, shown)


AMOUNT = {"type": "object", "properties": {"amount": {"type": "integer"}}}


class Paid(marshmallow.Schema):
    payment = marshmallow.fields.Dict()


def wiped(arguments: Any) -> str:
    """Pay, and erase the approved arguments."""
    (arguments if "amount" in arguments else arguments["payment"])["amount"] = 0
    return "paid"


@pytest.mark.requirement("view-law")
@pytest.mark.parametrize("timeout", [None, 60.0])
@pytest.mark.parametrize("coerce", ["safe", "none"])
@pytest.mark.parametrize(
    ("tp", "sent", "recorded"),
    [
        (AMOUNT, {"amount": 7}, {"amount": 7}),
        (AMOUNT, '{"amount": 7}', {"amount": 7}),
        ({"properties": {"payment": AMOUNT}}, {"payment": {"amount": 7}}, None),
        ({"properties": {"payment": AMOUNT}}, {"payment": {"amount": 7.0}}, None),
        (Paid, {"payment": {"amount": 7}}, None),
        (voluptuous.Schema({"payment": dict}), '{"payment": {"amount": 7}}', None),
    ],
)
def test_a_handler_that_changes_its_arguments_changes_no_record(
    tp: Any, sent: Any, recorded: Any, coerce: Any, timeout: Any
) -> None:
    pay = tool(wiped, input=tp, output=None, coerce=coerce, timeout=timeout)
    outcome = Toolset([pay]).call_sync("wiped", sent)
    assert isinstance(outcome, Ok)
    assert (outcome.value, outcome.arguments) == ("paid", recorded or {"payment": {"amount": 7}})


def test_a_decimal_is_shown_with_its_digits() -> None:
    class Priced(BaseModel):
        price: Decimal
        fee: Decimal = Decimal("1.50")

    outcome, saw, got = asked(Priced, '{"price": 0.10}')
    assert outcome
    assert [str(value) for value in saw[0].values()] == ["0.10", "1.50"]
    assert got == [Priced(price=Decimal("0.10"), fee=Decimal("1.50"))]


def test_a_decimal_of_a_factory_is_shown_in_the_form_that_is_read() -> None:
    class Fee(msgspec.Struct):
        fee: Decimal = msgspec.field(default_factory=lambda: Decimal("1.50"))

    class Price(BaseModel):
        fee: Decimal = Field(default_factory=lambda: Decimal("1.50"))

    for tp, fee in ((Fee, "1.50"), (Price, Decimal("1.50"))):
        outcome, saw, got = asked(tp, {})
        assert outcome
        assert (saw, got) == ([{"fee": fee}], [tp()])
        adapter = adapt(tp)
        assert adapter.read(dict(saw[0]))[0] == tp()


def test_the_value_of_another_name_of_a_field_is_never_shown_beside_it() -> None:
    outcome, saw, got = asked(Point, {"x": 1_000_000, "X": 0})
    assert isinstance(outcome, Err)
    assert (outcome.kind, saw, got) == ("invalid_input", [], [])


@pytest.mark.parametrize(
    ("tp", "raw", "all_shown"),
    [
        (list[Tagged], {"value": [{}]}, None),
        (Listed, {"value": ["Listed", 1]}, {"value": ("Listed", 1, "none", (1,), 9)}),
        (Filled, {"n": 1}, {"n": 1, "maxOf": 5, "made": (1,)}),
        (Packed, {}, None),
        (PRICED, {"n": 1}, {"n": 1, "most": 5, "made": (1,)}),
        (Loaded, {"n": 1}, {"n": 1, "maxOf": 5, "made": (1,)}),
        (Linked, {}, None),
    ],
)
def test_what_was_shown_runs_in_another_process_too(tp: Any, raw: Any, all_shown: Any) -> None:
    got: list[Any] = []
    tools = Toolset([asking(got.append, tp)])
    waiting = tools.call_sync("t", raw)
    assert isinstance(waiting, Err)
    assert waiting.prepared is not None
    shown = waiting.prepared.arguments
    assert all_shown is None or shown == all_shown
    resumed = tools.resume(waiting.prepared.to_json())
    assert resumed.digest == waiting.prepared.digest  # type: ignore[union-attr]
    assert resumed.arguments == shown  # type: ignore[union-attr]
    assert resumed.call_sync()  # type: ignore[union-attr]
    assert len(got) == 1


def test_what_a_loaders_factory_made_is_what_is_resumed() -> None:
    made = counted()
    counting = voluptuous.Schema({voluptuous.Optional("n", default=made): int})
    got: list[Any] = []
    tools = Toolset([asking(got.append, counting)])
    waiting = tools.call_sync("t", {})
    assert isinstance(waiting, Err)
    assert waiting.prepared is not None
    assert waiting.prepared.arguments == {"n": 1}
    resumed = tools.resume(waiting.prepared.to_json())
    assert resumed.call_sync()  # type: ignore[union-attr]
    assert got == [{"n": 1}]


def test_a_parameters_default_is_shown_as_it_is_not_as_it_is_dumped() -> None:
    def run(given: Excluded = Excluded(name="a", secret=9)) -> None:  # noqa: B008
        "Run."

    outcome = tool(run, requires_approval=True).call_sync({})
    assert isinstance(outcome, Err)
    assert outcome.prepared is not None
    default = {"name": "a", "secret": 9, "day": "2024-01-02"}
    assert outcome.prepared.arguments == {"given": default}


@pytest.mark.parametrize("options", [{}, {"requires_approval": lambda _: False}])
def test_an_object_that_is_a_default_is_another_one_in_each_call(options: Any) -> None:
    def run(given: Point = Point(X=1)) -> int:  # noqa: B008
        "Run."
        given.x += 1
        return given.x

    one = tool(run, **options)
    assert [one.call_sync({}).unwrap() for _ in range(2)] == [2, 2]
