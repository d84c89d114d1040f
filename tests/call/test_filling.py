"""The filling of arguments that were not sent: one walk, before the object is made."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Callable, Mapping
from datetime import date
from typing import Annotated, Any, Literal

import attrs
import marshmallow
import msgspec
import pytest
import voluptuous
from pydantic import (
    AfterValidator,
    Base64Str,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    Json,
    ValidationInfo,
    WrapValidator,
    create_model,
    field_validator,
    model_validator,
)
from pydantic.dataclasses import dataclass as pydantic_dataclass
from typing_extensions import TypedDict

from toolhaft import DefinitionError, Err, Ok, Toolset, tool
from toolhaft.call import filling
from toolhaft.call.filling import Defaults
from toolhaft.call.form_check import UnfitDefaultError
from toolhaft.spec import Success
from toolhaft.tools.tool import AnyTool
from toolhaft.vendors import adapt

pytestmark = pytest.mark.requirement("view-law")

CALLS: list[str] = []


def make_id() -> int:
    CALLS.append("id")
    return len(CALLS)


@pytest.fixture(autouse=True)
def fresh() -> None:
    CALLS.clear()


def asking(tp: Any, **options: Any) -> tuple[AnyTool, list[Any]]:
    """A tool that needs a person's yes, and what its handler is given."""
    got: list[Any] = []

    def take(given: Any) -> None:
        "Take."
        got.append(given)

    return tool(take, input=tp, output=None, requires_approval=True, **options), got


def faults_of(tp: Any) -> list[tuple[str, str]]:
    """The places and reasons why a type cannot be approved."""
    with pytest.raises(DefinitionError) as caught:
        Toolset([asking(tp)[0]])
    return [(fault.where, fault.reason.partition(": ")[2]) for fault in caught.value.faults]


# ------------------------------------------------------------------- what is called, and when


class Order(BaseModel):
    item: str
    id: int = Field(default_factory=make_id)


class Package(msgspec.Struct):
    item: str
    id: int = msgspec.field(default_factory=make_id)


@attrs.define
class Parcel:
    item: str
    id: int = attrs.field(factory=make_id)


@dataclasses.dataclass
class Letter:
    item: str
    id: int = dataclasses.field(default_factory=make_id)


class Card(TypedDict):
    item: str
    id: Annotated[int, Field(default_factory=make_id)]


class Loaded(marshmallow.Schema):
    item = marshmallow.fields.String(required=True)
    id = marshmallow.fields.Integer(load_default=make_id)


READ = voluptuous.Schema(
    {voluptuous.Required("item"): str, voluptuous.Optional("id", default=make_id): int}
)
EVERY = [Order, Package, Parcel, Letter, Card, Loaded, READ]


@pytest.mark.parametrize("tp", EVERY)
def test_a_factory_is_called_once_and_what_it_gave_is_shown_and_runs(tp: Any) -> None:
    order, got = asking(tp)
    waiting = order.call_sync({"item": "tea"})
    assert isinstance(waiting, Err)
    assert waiting.prepared is not None
    assert (CALLS, waiting.prepared.json) == (["id"], {"item": "tea", "id": 1})
    assert waiting.prepared.call_sync()
    [made] = got
    assert (made["id"] if isinstance(made, dict) else made.id) == 1
    assert CALLS == ["id"]


class AnsweredLater:
    """The schema of a result that is validated later."""

    version = 1
    vendor = "later"

    async def validate(self, value: Any, /) -> Success[Any]:
        return Success(value)

    def json_schema(self, *, target: str = "", mode: str = "input") -> dict[str, Any]:
        return {"type": "string"}


@pytest.mark.parametrize("raw", ['{"order": {"item": "tea"}}', {"order": {"item": "tea"}}])
def test_a_factory_is_called_once_where_the_result_is_awaited(raw: Any) -> None:
    def send(order: Order) -> str:
        "Send an order."
        return f"{order.item} {order.id}"

    schema: Any = AnsweredLater()
    sending: Any = tool(send, output=schema, requires_approval=True)
    outcome = asyncio.run(sending.call(raw, approve=lambda _: True))
    assert isinstance(outcome, Ok)
    assert (outcome.value, outcome.arguments) == ("tea 1", {"order": {"item": "tea", "id": 1}})
    assert CALLS == ["id"]


@pytest.mark.parametrize("tp", EVERY)
def test_a_call_that_is_resumed_calls_no_factory_again(tp: Any) -> None:
    order, got = asking(tp)
    waiting = order.call_sync({"item": "tea"})
    assert isinstance(waiting, Err)
    assert waiting.prepared is not None
    resumed = Toolset([order]).resume(waiting.prepared.to_json())
    assert not isinstance(resumed, Err)
    assert resumed.call_sync()
    assert (CALLS, len(got)) == (["id"], 1)


@pytest.mark.parametrize("tp", EVERY)
def test_authorize_alone_needs_no_factory(tp: Any) -> None:
    saw: list[Any] = []

    def allow(arguments: Any, context: Any) -> bool:
        saw.append(len(CALLS))
        return True

    order = tool(lambda given: None, name="t", description="T.", input=tp, output=None)
    assert order.replace(authorize=allow).call_sync({"item": "tea"})
    assert (len(saw), CALLS) == (1, ["id"])


def test_a_refused_call_calls_no_factory() -> None:
    outcome = asking(Order)[0].call_sync({"item": 5})
    assert isinstance(outcome, Err)
    assert (outcome.kind, CALLS) == ("invalid_input", [])


@pytest.mark.parametrize("tp", EVERY)
def test_preparing_a_call_fills_it_where_nobody_must_be_asked(tp: Any) -> None:
    order = tool(lambda given: None, name="t", description="T.", input=tp, output=None)
    prepared = order.prepare({"item": "tea"})
    assert not isinstance(prepared, Err)
    assert prepared.json == {"item": "tea", "id": 1}


# ------------------------------------------------------------------- static defaults


@dataclasses.dataclass
class Constant:
    a: list[int] = dataclasses.field(default_factory=list)
    b: dict[str, int] = dataclasses.field(default_factory=dict)
    c: set[int] = dataclasses.field(default_factory=set)
    d: frozenset[int] = dataclasses.field(default_factory=frozenset)
    e: tuple[int, ...] = dataclasses.field(default_factory=tuple)


def test_factories_of_empty_containers_are_static_defaults() -> None:
    defaults = Defaults(adapt(Constant))
    _, admitted = adapt(Constant).read({}, defaults.fill())
    shown: dict[str, Any] = {"a": [], "b": {}, "c": [], "d": [], "e": []}
    assert (admitted, defaults.show(admitted)) == ({}, shown)


def in_cents(euros: int) -> int:
    return euros * 100


Cents = Annotated[int, AfterValidator(in_cents)]


class Priced(BaseModel):
    cents: Cents = Field(5, validate_default=True)


class Folder(BaseModel):
    model_config = ConfigDict(validate_default=True)

    cents: Cents = 5
    inner: list[Folder] = []


@attrs.define
class Wallet:
    cents: int = attrs.field(default=5, converter=in_cents)


@pydantic_dataclass(config=ConfigDict(validate_default=True))
class Purse:
    cents: Cents = 5


class Unread(BaseModel):
    cents: Cents = 5


class Dependent(BaseModel):
    model_config = ConfigDict(validate_default=True)

    n: int
    cents: int = 5

    @field_validator("cents")
    @classmethod
    def in_all(cls, value: int, info: ValidationInfo) -> int:
        return value * int(info.data["n"])


TEXT = voluptuous.Schema({voluptuous.Optional("cents", default="500"): voluptuous.Coerce(int)})


@pytest.mark.parametrize(
    ("tp", "sent", "shown"),
    [
        (Priced, {}, {"cents": 500}),
        (Folder, {"inner": [{}]}, {"cents": 500, "inner": [{"cents": 500, "inner": []}]}),
        (Wallet, {}, {"cents": 500}),
        (Purse, {}, {"cents": 500}),
        (TEXT, {}, {"cents": 500}),
        (Unread, {}, {"cents": 5}),
        (Dependent, {"n": 2}, {"n": 2}),  # its value is not known before the object is made
    ],
)
def test_a_default_is_shown_as_what_reads_it_leaves_it(tp: Any, sent: Any, shown: Any) -> None:
    assert Defaults(adapt(tp)).show(sent) == shown


def test_a_default_that_changes_is_shown_as_it_is() -> None:
    tags = ["a"]
    tp = attrs.make_class("Tagged", {"tags": attrs.field(type=list[str], default=tags)})
    defaults = Defaults(adapt(tp))
    before = defaults.show({})
    tags.append("b")
    assert (before, defaults.show({})) == ({"tags": ["a"]}, {"tags": ["a", "b"]})


def test_showing_a_default_calls_no_factory_in_it() -> None:
    inner = {
        voluptuous.Optional("id", default=make_id): int,
        voluptuous.Optional("n", default=2): int,
    }
    outer = voluptuous.Schema({voluptuous.Optional("inner", default=dict): inner})
    assert Defaults(adapt(outer)).show({}) == {"inner": {"n": 2}}
    assert CALLS == []


def test_what_a_read_default_holds_is_filled_too() -> None:
    inner = {voluptuous.Optional("id", default=make_id): int}
    outer = voluptuous.Schema({voluptuous.Optional("inner", default=dict): inner})
    order, got = asking(outer)
    waiting = order.call_sync({})
    assert isinstance(waiting, Err)
    assert waiting.prepared is not None
    assert waiting.prepared.json == {"inner": {"id": 1}}
    assert waiting.prepared.call_sync()
    assert (got, CALLS) == ([{"inner": {"id": 1}}], ["id"])


class Holder(BaseModel):
    text: Json[Order]
    days: dict[date, Order] = {}


def test_texts_that_hold_json_and_maps_are_filled() -> None:
    order, got = asking(Holder)
    sent = {"text": '{"item": "tea"}', "days": {"2026-01-02": {"item": "milk"}}}
    waiting = order.call_sync(sent)
    assert isinstance(waiting, Err)
    assert waiting.prepared is not None
    assert waiting.prepared.json == {
        "text": '{"item":"tea","id":1}',
        "days": {"2026-01-02": {"item": "milk", "id": 2}},
    }
    assert waiting.prepared.call_sync()
    assert got[0].days == {date(2026, 1, 2): Order(item="milk", id=2)}


# ------------------------------------------------------------------- unions


class Cat(BaseModel):
    name: str
    lives: int = Field(default_factory=make_id)


class Dog(BaseModel):
    name: str
    tricks: list[str] = Field(default_factory=lambda: ["sit"])


class Kennel(BaseModel):
    model_config = ConfigDict(extra="forbid")
    pets: list[Cat | Dog]


def test_the_first_form_that_accepts_the_data_is_filled() -> None:
    order, got = asking(Kennel)
    waiting = order.call_sync({"pets": [{"name": "Tom"}]})
    assert isinstance(waiting, Err)
    assert waiting.prepared is not None
    assert waiting.prepared.json == {"pets": [{"name": "Tom", "lives": 1}]}
    assert waiting.prepared.call_sync()
    assert got == [Kennel(pets=[Cat(name="Tom", lives=1)])]


@pytest.mark.parametrize("sent", [{"name": "Rex", "tricks": ["beg"]}, {"name": "Rex", "lives": 9}])
def test_a_form_that_reads_all_keys_comes_first(sent: Any) -> None:
    order, got = asking(create_model("Home", pet=(Cat | Dog, ...)))
    outcome = order.call_sync({"pet": sent}, approve=lambda _: True)
    assert isinstance(outcome, Ok)
    assert outcome.arguments == {
        "pet": {**sent, **({"tricks": ("beg",)} if "tricks" in sent else {})}
    }
    assert [type(each.pet) for each in got] == [Dog if "tricks" in sent else Cat]


def test_forms_that_a_validator_reorders_are_no_others() -> None:
    class Reversed(BaseModel):
        pets: Annotated[list[Cat | Dog], AfterValidator(lambda pets: pets[::-1])]

    order, got = asking(Reversed)
    outcome = order.call_sync(
        {"pets": [{"name": "a", "tricks": []}, {"name": "b"}]}, approve=lambda _: True
    )
    assert isinstance(outcome, Ok)
    assert outcome.arguments == {"pets": ({"name": "a", "tricks": ()}, {"name": "b", "lives": 1})}
    assert [type(pet) for pet in got[0].pets] == [Cat, Dog]


class Point(BaseModel):
    x: int


class Counted(Point):
    count: int = 1


class Early(BaseModel):
    at: dict[str, int]
    note: str = "early"


class Late(BaseModel):
    at: Point
    two: int = 2


class EarlyDict(TypedDict, total=False):
    at: dict[str, int]
    note: Early


class LateDict(TypedDict):
    place: Annotated[Counted, Field(alias="at")]


@pytest.mark.parametrize("held", ["one", "dict", "list", "map"])
def test_an_object_of_another_form_is_the_programs_fault(held: str) -> None:
    types: dict[str, Any] = {
        "one": Early | Late,
        "dict": EarlyDict | LateDict,
        "list": list[Early | Late],
        "map": dict[date, Early | Late],
    }
    order, got = asking(create_model("Holding", held=(types[held], ...)))
    sent = {"at": {"x": 1}}  # of both, and the library prefers the form with more fields
    holding = {"list": [sent], "map": {"2026-01-02": sent}}.get(held, sent)
    outcome = order.call_sync({"held": holding}, approve=lambda _: True)
    assert isinstance(outcome, Err)
    assert (outcome.kind, outcome.effect, got) == ("runtime_error", "none", [])


def test_what_one_of_several_validators_of_a_value_declares_is_filled() -> None:
    pet = {voluptuous.Required("name"): str, voluptuous.Optional("id", default=make_id): int}
    both = voluptuous.All({voluptuous.Extra: object}, pet)

    @tool(input=voluptuous.Schema({"pet": both}), requires_approval=True)
    def order(arguments: Any) -> None:
        "Order."

    outcome = order.call_sync({"pet": {"name": "Tom"}}, approve=lambda _: True)
    assert isinstance(outcome, Ok)
    assert outcome.arguments == {"pet": {"name": "Tom", "id": 1}}


def test_the_form_is_known_by_its_tag() -> None:
    class A(BaseModel):
        kind: Literal["a"]
        id: int = Field(default_factory=make_id)

    class B(BaseModel):
        kind: Literal["b"]
        at: int = Field(default_factory=make_id)

    class Tagged(BaseModel):
        each: list[Annotated[A | B, Field(discriminator="kind")]]

    order, got = asking(Tagged)
    outcome = order.call_sync({"each": [{"kind": "b"}, {"kind": "a"}]}, approve=lambda _: True)
    assert isinstance(outcome, Ok)
    assert outcome.arguments == {"each": ({"kind": "b", "at": 1}, {"kind": "a", "id": 2})}
    assert got == [Tagged(each=[B(kind="b", at=1), A(kind="a", id=2)])]


# ------------------------------------------------------------------- what cannot be filled


def rewrite(value: Any) -> Any:
    return value


def through(value: Any, handler: Callable[[Any], Any]) -> Any:
    return handler(value)


class FromData(BaseModel):
    n: int
    twice: int = Field(default_factory=lambda data: data["n"] * 2)


@attrs.define
class FromSelf:
    n: int
    twice: int = attrs.field(default=attrs.Factory(lambda self: self.n * 2, takes_self=True))


class Rewritten(BaseModel):
    id: int = Field(default_factory=make_id)

    @model_validator(mode="before")
    @classmethod
    def rewrite(cls, data: Any) -> Any:
        return data


class Wrapped(BaseModel):
    id: int = Field(default_factory=make_id)

    @model_validator(mode="wrap")
    @classmethod
    def rewrite(cls, data: Any, handler: Any) -> Any:
        return handler(data)


class Below(BaseModel):
    orders: Annotated[list[Order], BeforeValidator(rewrite)]


class Declared(BaseModel):
    orders: Annotated[list[Order], BeforeValidator(rewrite, json_schema_input_type=list[Order])]


class Window(BaseModel):
    model_config = ConfigDict(validate_default=True)

    low: int = 1
    high: int = 1

    @field_validator("low", "high")
    @classmethod
    def scale(cls, value: int, info: ValidationInfo) -> int:
        return value * 1000 if info.field_name == "high" else value


class Later(BaseModel):
    low: int = 1
    high: int = Field(1, validate_default=True, alias="most")

    @field_validator("high", mode="wrap")
    @classmethod
    def after_low(cls, value: int, handler: Any, info: ValidationInfo) -> int:
        return int(handler(value)) + int(info.data["low"])


def above(value: int, info: ValidationInfo) -> int:
    return value + int(info.data.get("low", 0))


@pydantic_dataclass(config=ConfigDict(validate_default=True))
class LaterClass:
    low: int = 1
    marks: tuple[Annotated[int, AfterValidator(above)], ...] = (1,)


class Branch(BaseModel):
    """A default that refers to its own class, whose functions see the fields around it."""

    model_config = ConfigDict(validate_default=True)

    low: int = 1
    next: Branch | None = None

    @model_validator(mode="wrap")
    @classmethod
    def look(cls, data: Any, handler: Any, info: ValidationInfo) -> Any:
        return handler(data)


class Unvalidated(Window):
    model_config = ConfigDict(validate_default=False)


class Room(BaseModel):
    """A default whose validators see the fields of the default alone."""

    model_config = ConfigDict(validate_default=True)

    name: Base64Str = "aGFsbA=="
    size: dict[str, Unvalidated] = {"a": {"low": 2}}  # type: ignore[dict-item]


class At(BaseModel):
    id: Annotated[int, WrapValidator(through)] = Field(default_factory=make_id)


@attrs.define
class Converted:
    order: Order = attrs.field(converter=rewrite)


@dataclasses.dataclass
class Once:
    word: dataclasses.InitVar[str] = "given"

    def __post_init__(self, word: str) -> None:
        self.length = len(word)


@dataclasses.dataclass
class MadeOnce:
    once: Once = dataclasses.field(default_factory=Once)


class Hooked(marshmallow.Schema):
    id = marshmallow.fields.Integer(load_default=make_id)

    @marshmallow.pre_load
    def rewrite(self, data: Any, **_: Any) -> Any:
        return data


GIVEN = "a validator that reads it takes `info`, which has the validated data"
FORGETS = "its object does not keep what it was given, so it cannot be shown"
REWRITES = "a function of the author's may rewrite the value that it stands in"


@pytest.mark.parametrize(
    ("tp", "where", "why"),
    [
        (FromData, "twice", "it takes the validated data"),
        (FromSelf, "twice", "it takes the instance"),
        (list[FromData], "value.twice", "it takes the validated data"),
        (Rewritten, "id", REWRITES),
        (Wrapped, "id", REWRITES),
        (Below, "orders.id", REWRITES),
        (Declared, "orders.id", REWRITES),
        (At, "id", REWRITES),
        (Converted, "order.id", REWRITES),
        (MadeOnce, "once", FORGETS),
        (Later, "most", GIVEN),
        (list[Later], "value.most", GIVEN),
        (LaterClass, "marks", GIVEN),
    ],
)
def test_a_default_that_is_not_known_is_refused_where_a_person_is_asked(
    tp: Any, where: str, why: str
) -> None:
    assert faults_of(tp) == [(where, why)]
    other = tool(lambda given: None, name="t", description="T.", input=tp, output=None)
    Toolset([other.replace(authorize=lambda arguments, context: True)])
    with pytest.raises(DefinitionError, match=f"{where}: .*{why}"):
        other.prepare({})


def test_a_default_of_which_a_validator_takes_info_is_neither_approved_nor_shown() -> None:
    assert faults_of(Window) == [("low", GIVEN), ("high", GIVEN)]
    assert faults_of(Branch) == [("next", GIVEN), ("next.next", GIVEN)]
    assert Defaults(adapt(Window)).show({"low": 1}) == {"low": 1}
    assert faults_of(list[Window | Later]) == [
        ("value.low", GIVEN),
        ("value.high", GIVEN),
        ("value.most", GIVEN),
    ]


def test_a_default_that_nothing_around_it_changes_is_approved() -> None:
    take, got = asking(Room)
    outcome = take.call_sync({}, approve=lambda _: True)
    assert isinstance(outcome, Ok)
    assert outcome.arguments == {"name": "hall", "size": {"a": {"low": 2, "high": 1}}}
    assert got == [Room()]


@pytest.mark.parametrize(
    "tp",
    [
        Hooked,
        voluptuous.Schema(
            voluptuous.All(rewrite, {voluptuous.Optional("id", default=make_id): int})
        ),
        voluptuous.Schema(
            voluptuous.Any(rewrite, {voluptuous.Optional("id", default=make_id): int})
        ),
    ],
)
def test_functions_of_loaders_may_rewrite_too(tp: Any) -> None:
    with pytest.raises(DefinitionError, match=f"id: .*{REWRITES}"):
        Toolset([asking(tp, parameters={"type": "object", "properties": {}})[0]])


class Checked(BaseModel):
    id: Annotated[int, AfterValidator(lambda value: value + 100)] = Field(default_factory=make_id)


def test_a_fields_own_validators_run_on_what_its_factory_gave() -> None:
    order, got = asking(Checked)
    outcome = order.call_sync({}, approve=lambda _: True)
    assert isinstance(outcome, Ok)
    assert (outcome.arguments, got[0].id) == ({"id": 1}, 101)


def test_a_derived_tool_is_filled_by_the_handlers_own_names() -> None:
    @tool(requires_approval=True)
    def send(order: Order, note: str = "none") -> int:
        "Send."
        return order.id

    derived = send.transform(rename={"note": "remark"})
    waiting = derived.call_sync({"order": {"item": "tea"}, "remark": "now"})
    assert isinstance(waiting, Err)
    assert waiting.prepared is not None
    assert waiting.prepared.json == {"order": {"item": "tea", "id": 1}, "note": "now"}
    assert waiting.prepared.call_sync().unwrap() == 1
    assert CALLS == ["id"]


# ------------------------------------------------------------------- whose fault it is


def refuse(value: int) -> int:
    raise ValueError("never")


class Refusing(BaseModel):
    n: int = 0
    id: Annotated[int, AfterValidator(refuse)] = Field(default_factory=make_id)


class Crashing(BaseModel):
    id: int = Field(default_factory=lambda: int("no number"))


@attrs.define
class Bounded:
    id: int = attrs.field(factory=make_id, validator=attrs.validators.gt(5))


class Places(msgspec.Struct, array_like=True):
    n: int
    limit: float = float("inf")
    id: int = msgspec.field(default_factory=make_id)


@pytest.mark.parametrize(
    ("tp", "sent"),
    [(Refusing, {}), (Crashing, {}), (Bounded, {}), (Places, {"value": [1]})],
)
def test_a_factorys_value_that_is_not_taken_is_the_programs_fault(
    tp: Any, sent: Mapping[str, Any]
) -> None:
    asked: list[Any] = []
    order, got = asking(tp)
    outcome = order.call_sync(sent, approve=asked.append)
    assert isinstance(outcome, Err)
    assert (outcome.kind, outcome.effect, asked, got) == ("runtime_error", "none", [], [])


def test_what_was_sent_beside_a_factorys_value_stays_the_callers_fault() -> None:
    class Odd(BaseModel):
        n: Annotated[int, AfterValidator(refuse)]
        id: int = Field(default_factory=make_id)

    outcome = asking(Odd)[0].call_sync({"n": 2})
    assert isinstance(outcome, Err)
    assert (outcome.kind, [issue.path for issue in outcome.issues]) == ("invalid_input", [("n",)])


def test_a_fault_names_the_field_and_no_value() -> None:
    fill = Defaults(adapt(Crashing)).fill()
    with pytest.raises(UnfitDefaultError, match="id: its default factory failed"):
        adapt(Crashing).read({}, fill)


# ------------------------------------------------------------------- what it costs


class Deep(BaseModel):
    left: Deep | None = None
    right: Deep | None = None
    id: int = Field(default_factory=make_id)


class Row(BaseModel):
    day: date
    id: int = Field(default_factory=make_id)
    note: str = "none"


class Rows(BaseModel):
    rows: list[Row]


def nested(depth: int) -> dict[str, Any]:
    return {"left": nested(depth - 1), "right": {}} if depth else {}


def steps_of(monkeypatch: pytest.MonkeyPatch, tp: Any, sent: Any) -> int:
    """How many values one call is walked through."""
    walked: list[Any] = []
    value = filling._Walk.value

    def counted(self: Any, node: Any, data: Any) -> Any:
        walked.append(node)
        return value(self, node, data)

    with monkeypatch.context() as patch:
        patch.setattr(filling._Walk, "value", counted)
        waiting = asking(tp)[0].call_sync(sent)
    assert isinstance(waiting, Err)
    assert waiting.kind == "approval_required"
    return len(walked)


@pytest.mark.parametrize("reverse", [False, True])
def test_twice_the_rows_are_twice_the_steps(monkeypatch: pytest.MonkeyPatch, reverse: bool) -> None:
    def rows(count: int) -> Any:
        days = [{"day": f"20{at % 90 + 10}-01-02"} for at in range(count)]
        return {"rows": days[::-1] if reverse else days}

    one, two = (steps_of(monkeypatch, Rows, rows(count)) for count in (500, 1000))
    assert two <= 2 * one


def test_one_more_level_is_as_many_more_steps_as_it_has_values(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    few, some, most = (steps_of(monkeypatch, Deep, nested(depth)) for depth in (5, 10, 20))
    assert most - some == 2 * (some - few)
