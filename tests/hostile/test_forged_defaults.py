"""Forged defaults: a value that nobody sent is shown too, is made once, and stays as approved."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field, make_dataclass
from datetime import UTC, datetime
from enum import Enum
from itertools import count
from typing import Annotated, Any, Final, NamedTuple
from uuid import UUID, uuid4

import attrs
import msgspec
import pytest
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    PrivateAttr,
    create_model,
    field_serializer,
    field_validator,
    model_serializer,
    model_validator,
)
from pydantic.dataclasses import dataclass as pydantic_dataclass

from tests.hostile.witnesses import (
    KEY,
    PEOPLE,
    RUNS,
    WITNESSES,
    Attack,
    Runs,
    account,
    agree,
    lies,
    plain,
    shows,
)
from toolhaft import DefinitionError, Err, Prepared, Toolset, tool
from toolhaft.tools.tool import AnyTool

pytestmark = pytest.mark.unmeasured

# Far more than anybody would approve.
LOOT: Final = 1_000_000
NUMBERS: Final = count(1)
CALLS: Final[list[None]] = []


def following() -> int:
    """A factory that returns another value each time, and counts its calls."""
    CALLS.append(None)
    return next(NUMBERS)


# ------------------------------------------------------------------------- factories: pydantic


class Counter(BaseModel):
    amount: int = Field(default_factory=following)


class Twice(BaseModel):
    one: int = Field(default_factory=following)
    other: int = Field(default_factory=following)


class Dice(BaseModel):
    amount: float = Field(default_factory=random.random)


class Ids(BaseModel):
    id: UUID = Field(default_factory=uuid4)
    at: datetime = Field(default_factory=lambda: datetime.now(UTC))
    ns: int = Field(default_factory=time.time_ns)


class Aliased(BaseModel):
    max_amount: int = Field(default_factory=following, alias="maxAmount")


class Excluded(BaseModel):
    amount: int = Field(default_factory=following, exclude=True)


class Serialized(BaseModel):
    amount: int = Field(default_factory=following)

    @field_serializer("amount")
    def _other(self, value: int) -> int:
        return -value


class WholeSerialized(BaseModel):
    amount: int = Field(default_factory=following)

    @model_serializer
    def _other(self) -> dict[str, Any]:
        return {"amount": 0, "fee": LOOT}


class Lists(BaseModel):
    rows: list[int] = Field(default_factory=lambda: [following()])
    named: dict[str, int] = Field(default_factory=lambda: {"n": following()})


class Nested(BaseModel):
    inner: Counter = Field(default_factory=Counter)
    many: list[Counter] = []
    named: dict[str, Counter] = {}
    maybe: Counter | None = None


class Word(BaseModel):
    kind: str
    word: str


class InUnion(BaseModel):
    either: Word | Counter | int = Field(default_factory=Counter)


class Private(BaseModel):
    amount: int = Field(default_factory=following)
    _token: int = PrivateAttr(default_factory=lambda: next(NUMBERS))


class Frozen(BaseModel, frozen=True):
    amount: int = Field(default_factory=following)


class Idempotent(BaseModel):
    amount: Annotated[int, AfterValidator(abs)] = Field(default_factory=following)


class ValidatedDefault(BaseModel):
    model_config = ConfigDict(validate_default=True)

    amount: Annotated[int, AfterValidator(lambda value: value * 1)] = Field(
        default_factory=following
    )


@pydantic_dataclass
class PydanticDataclass:
    amount: int = Field(default_factory=following)


class Checked(BaseModel):
    """A validator of the whole sees the object before anyone else does."""

    amount: int = Field(default_factory=following)
    fee: int = 0

    @model_validator(mode="after")
    def _checked(self) -> Checked:
        if self.fee > self.amount:
            raise ValueError("the fee is more than the amount")
        return self


class Open(BaseModel, extra="allow"):
    amount: int = Field(default_factory=following)


def given_nested(value: Nested) -> Any:
    return {
        "inner": {"amount": value.inner.amount},
        "many": [{"amount": one.amount} for one in value.many],
        "named": {key: {"amount": one.amount} for key, one in value.named.items()},
        "maybe": value.maybe and {"amount": value.maybe.amount},
    }


def given_union(value: InUnion) -> Any:
    found = value.either
    if isinstance(found, Word):
        return {"either": {"kind": found.kind, "word": found.word}}
    return {"either": {"amount": found.amount} if isinstance(found, Counter) else found}


def fields(*names: str) -> Callable[[Any], Any]:
    """Read these attributes, as the handler would."""
    return lambda value: {name: getattr(value, name) for name in names}


def given_ids(value: Ids) -> Any:
    return {"id": str(value.id), "at": value.at.isoformat(), "ns": value.ns}


read_amount: Final = fields("amount")


def factory(declared: Any, given: Callable[[Any], Any] = read_amount, sent: Any = None) -> Attack:
    """Send nothing, so that the factory runs; people must see its value."""
    return Attack(shows(declared, given), sent or {}, Runs())


FACTORIES: Final[dict[str, Attack]] = {
    "a counter": factory(Counter),
    "two counters": factory(Twice, fields("one", "other")),
    "a die": factory(Dice),
    "with an alias": factory(Aliased, lambda value: {"maxAmount": value.max_amount}),
    "excluded from dumps": factory(Excluded),
    "with a serializer of its own": factory(Serialized),
    "with a serializer of the whole": factory(WholeSerialized),
    "lists and maps": factory(Lists, fields("rows", "named")),
    "within a factory": factory(Nested, given_nested),
    "within a list": factory(Nested, given_nested, {"many": [{}, {"amount": 0}, {}]}),
    "within a map": factory(Nested, given_nested, {"named": {"a": {}, "b": {}}}),
    "within an optional": factory(Nested, given_nested, {"maybe": {}}),
    "of a union": factory(InUnion, given_union),
    "within a union": factory(InUnion, given_union, {"either": {}}),
    "of a union, another member": factory(
        InUnion, given_union, {"either": {"kind": "a", "word": "b"}}
    ),
    "beside a private attribute": factory(Private),
    "of a frozen model": factory(Frozen),
    "with a validator that changes nothing": factory(Idempotent),
    "with a validated default": factory(ValidatedDefault),
    "of a pydantic dataclass": factory(PydanticDataclass),
    "with a validator of the whole": factory(Checked, fields("amount", "fee")),
    "of an open model": factory(
        Open, lambda value: {"amount": value.amount, **(value.model_extra or {})}, {"note": "x"}
    ),
}


# --------------------------------------------------------------------- factories: other vendors


class Struct(msgspec.Struct):
    amount: int = msgspec.field(default_factory=following)


class RenamedStruct(msgspec.Struct, rename="camel"):
    max_amount: int = msgspec.field(default_factory=following)


class NestedStruct(msgspec.Struct):
    inner: Struct = msgspec.field(default_factory=Struct)
    many: list[Struct] = []


@attrs.define
class Class:
    amount: int = attrs.field(factory=following)


@attrs.define
class AliasedClass:
    _amount: int = attrs.field(factory=following)

    @property
    def amount(self) -> int:
        return self._amount


@attrs.define
class NotInit:
    amount: int = attrs.field(factory=following)
    token: int = attrs.field(init=False, factory=lambda: next(NUMBERS))


@attrs.define
class Holder:
    inner: Class = attrs.field(factory=Class)


@dataclass
class Plain:
    amount: int = field(default_factory=following)


@dataclass
class PlainNotInit:
    amount: int = field(default_factory=following)
    token: int = field(init=False, default_factory=lambda: next(NUMBERS))


@dataclass
class PlainHolder:
    inner: Plain = field(default_factory=Plain)
    many: list[Plain] = field(default_factory=list)


def given_inner(value: Any) -> Any:
    many = getattr(value, "many", None)
    rest = {} if many is None else {"many": [{"amount": one.amount} for one in many]}
    return {"inner": {"amount": value.inner.amount}, **rest}


def pay(account: str, fee: Struct, rows: list[int] = [1]) -> Any:  # noqa: B006  that is tried
    """Pay, with a default that the handler changes."""
    RUNS.append(None)
    seen = {"account": account, "fee": {"amount": fee.amount}, "rows": [*rows]}
    rows.append(LOOT)
    return seen


OTHERS: Final[dict[str, Attack]] = {
    "msgspec": factory(Struct),
    "msgspec, renamed": factory(RenamedStruct, lambda value: {"maxAmount": value.max_amount}),
    "msgspec, nested": factory(NestedStruct, given_inner),
    "msgspec, within a list": factory(NestedStruct, given_inner, {"many": [{}, {}]}),
    "attrs": factory(Class),
    "attrs, a private name": factory(AliasedClass),
    "attrs, beside a field without init": factory(NotInit),
    "attrs, nested": factory(Holder, given_inner),
    "dataclass": factory(Plain),
    "dataclass, beside a field without init": factory(PlainNotInit),
    "dataclass, nested": factory(PlainHolder, given_inner),
    "dataclass, within a list": factory(PlainHolder, given_inner, {"many": [{}, {}]}),
    "a parameter of a signature": Attack(
        tool(pay, name="move", output=None), {"account": "a", "fee": {}}, Runs()
    ),
}


# ------------------------------------------------------------------------------ static defaults


class Kind(Enum):
    LOW = "low"


class Refusing(BaseModel):
    """Its own schema refuses the defaults."""

    text: str = None  # type: ignore[assignment]
    number: int = "many"  # type: ignore[assignment]
    bound: int = Field(0, ge=1)


class Objects(BaseModel):
    kind: Kind = Kind.LOW
    inner: Refusing = Refusing.model_construct(text="x", number=1, bound=2)
    pair: tuple[int, int] = (1, 2)


class Endless(BaseModel):
    amount: float = float("inf")
    fee: int = 1


class Unset(msgspec.Struct):
    amount: int | msgspec.UnsetType = msgspec.UNSET
    fee: int = 1


class WithDefault(BaseModel):
    amount: Annotated[int, AfterValidator(lambda value: value + 1)] = 5


class ChangedByItself(BaseModel):
    model_config = ConfigDict(validate_default=True)

    amount: Annotated[int, AfterValidator(lambda value: value + 1)] = 5


def raised(value: int) -> int:
    return value + 1


@attrs.define
class Converted:
    amount: int = attrs.field(default=5, converter=raised)


class Rows(NamedTuple):
    amount: int
    rows: list[int] = [1]  # noqa: RUF012 - what is tested


class RowsInStruct(msgspec.Struct):
    inner: Rows


def changed_rows(value: RowsInStruct) -> Any:
    """Read the rows, then change them, as a handler may."""
    amount, rows = value.inner
    seen = {"inner": [amount, [*rows]]}
    rows.append(LOOT)
    return seen


def given_objects(value: Objects) -> Any:
    inner = fields("text", "number", "bound")(value.inner)
    return {"kind": value.kind.value, "inner": inner, "pair": [*value.pair]}


def given_set(value: Any) -> Any:
    """Leave out what has no JSON form."""
    is_set = value.amount is not msgspec.UNSET and value.amount != float("inf")
    return {**({"amount": value.amount} if is_set else {}), "fee": value.fee}


STATIC: Final[dict[str, Attack]] = {
    "refused by their own schema": Attack(
        shows(Refusing, fields("text", "number", "bound")),
        {},
        Runs({"text": None, "number": "many", "bound": 0}),
    ),
    "objects": Attack(
        shows(Objects, given_objects),
        {},
        Runs({"kind": "low", "inner": {"text": "x", "number": 1, "bound": 2}, "pair": [1, 2]}),
    ),
    "infinity": Attack(shows(Endless, given_set), {}, Runs({"fee": 1})),
    "UNSET": Attack(shows(Unset, given_set), {}, Runs({"fee": 1})),
    "that no validator sees": Attack(shows(WithDefault, read_amount), {}, Runs({"amount": 5})),
    "a value that a validator changes": Attack(
        shows(WithDefault, read_amount), {"amount": 5}, Runs({"amount": 5}, {"amount": 6})
    ),
    "a mutable one that the handler changes": Attack(
        tool(pay, name="move", output=None),
        {"account": "a", "fee": {"amount": 1}},
        Runs({"account": "a", "fee": {"amount": 1}, "rows": [1]}),
    ),
    "a mutable one of a named tuple": Attack(
        shows(RowsInStruct, changed_rows), {"inner": [2]}, Runs({"inner": [2, [1]]})
    ),
}

ATTACKS: Final = {
    **{f"factory: {name}": attack for name, attack in FACTORIES.items()},
    **{f"factory: {name}": attack for name, attack in OTHERS.items()},
    **{f"default: {name}": attack for name, attack in STATIC.items()},
}


@pytest.mark.requirement("forged-views")
@pytest.mark.parametrize("name", ATTACKS)
def test_what_nobody_sent_is_shown_as_the_handler_gets_it(name: str) -> None:
    attack = ATTACKS[name]
    assert lies(attack.tool, attack.sent, attack.expected) == {}


@pytest.mark.requirement("forged-views")
@pytest.mark.parametrize("witness", PEOPLE)
def test_ids_and_times_that_are_made_are_shown(witness: str) -> None:
    found = account(WITNESSES[witness], shows(Ids, given_ids), {})
    ran = Ids(**found.outcome.unwrap())
    assert [Ids(**seen) for seen in found.before] == [ran] * len(found.before)
    assert found.runs == 1


@pytest.mark.requirement("forged-views")
@pytest.mark.parametrize("declared", [Counter, Private, Checked, Struct, Class, NotInit, Plain])
def test_a_factory_is_asked_once_for_a_call(declared: Any) -> None:
    one, asked = shows(declared, read_amount), {}
    for name, witness in WITNESSES.items():
        CALLS.clear()
        assert account(witness, one, {}).outcome
        asked[name] = len(CALLS)
    assert asked == dict.fromkeys(WITNESSES, 1)


@pytest.mark.requirement("forged-views")
@pytest.mark.parametrize("declared", [Counter, Struct, Class, Plain])
@pytest.mark.parametrize("witness", PEOPLE)
def test_what_a_factory_made_is_told_afterwards_too(witness: str, declared: Any) -> None:
    found = account(WITNESSES[witness], shows(declared, read_amount), {})
    assert found.after == [found.outcome.unwrap()] * len(found.after)
    assert found.after != []


# ---------------------------------------------------- what the author makes of a factory's value


class Doubled(BaseModel):
    """A validator changes the factory's value, as it changes one that was sent."""

    amount: Annotated[int, AfterValidator(lambda value: value * 2)] = Field(
        default_factory=lambda: 5
    )


class MovingAfter(BaseModel):
    amount: int = Field(default_factory=lambda: 5)

    @model_validator(mode="after")
    def _more(self) -> MovingAfter:
        self.amount *= 2
        return self


class DoubledStruct(msgspec.Struct):
    amount: int = msgspec.field(default_factory=lambda: 5)

    def __post_init__(self) -> None:
        self.amount *= 2


@attrs.define
class DoubledClass:
    amount: int = attrs.field(factory=lambda: 5)

    def __attrs_post_init__(self) -> None:
        self.amount *= 2


@dataclass
class DoubledDataclass:
    amount: int = field(default_factory=lambda: 5)

    def __post_init__(self) -> None:
        self.amount *= 2


@pytest.mark.requirement("forged-views")
@pytest.mark.parametrize(
    "declared", [Doubled, MovingAfter, DoubledStruct, DoubledClass, DoubledDataclass]
)
def test_what_the_author_makes_of_a_factorys_value_is_the_authors(declared: Any) -> None:
    expected = Runs({"amount": 5}, {"amount": 10})
    found = {name: account(WITNESSES[name], shows(declared, read_amount), {}) for name in PEOPLE}
    assert {name: expected.lies(one) for name, one in found.items()} == {key: [] for key in PEOPLE}


# --------------------------------------------------------------- factories that are not honest


class DoubledBefore(BaseModel):
    amount: int = Field(default_factory=lambda: 5)

    @field_validator("amount", mode="before")
    @classmethod
    def _doubled(cls, value: int) -> int:
        return value * 2


class RefusedFactory(BaseModel):
    amount: int = Field(default_factory=lambda: "many")  # type: ignore[assignment]


class RefusedBound(BaseModel):
    amount: int = Field(default_factory=lambda: LOOT, le=5)


class NoJson(BaseModel):
    named: dict[str, Any] = Field(default_factory=lambda: {"x": object()})


class Raising(BaseModel):
    amount: int = Field(default_factory=lambda: int("many"))


class Moving(BaseModel):
    """A validator of the whole that moves one declared key into another."""

    amount: int = 0
    fee: int = Field(default_factory=lambda: 7)

    @model_validator(mode="before")
    @classmethod
    def _moved(cls, data: dict[str, Any]) -> dict[str, Any]:
        fee = {"fee": data["amount"]} if "amount" in data else {}
        return {"amount": data.get("fee", 0), **fee}


@attrs.define
class ConvertedClass:
    amount: int = attrs.field(factory=lambda: 5, converter=raised)


class FromData(BaseModel):
    amount: int = 5
    fee: int = Field(default_factory=lambda data: data["amount"] * 2)


@attrs.define
class TakesSelf:
    amount: int = attrs.field(factory=following)
    fee: int = attrs.Factory(lambda self: self.amount * 2, takes_self=True)


@pytest.mark.requirement("forged-views")
@pytest.mark.parametrize("declared", [RefusedFactory, RefusedBound, NoJson, Raising])
def test_a_factory_whose_value_is_not_taken_is_the_programs_fault(declared: Any) -> None:
    found = {name: account(WITNESSES[name], shows(declared, repr), {}) for name in PEOPLE}
    fault: tuple[str, str, list[Any], int] = ("runtime_error", "none", [], 0)
    assert {
        name: (getattr(one.outcome, "kind", "ok"), one.outcome.effect, one.before, one.runs)
        for name, one in found.items()
        if isinstance(one.outcome, Err)
    } == dict.fromkeys(PEOPLE, fault)


@pytest.mark.requirement("forged-views")
@pytest.mark.parametrize("declared", [DoubledBefore, Moving, ConvertedClass, FromData, TakesSelf])
@pytest.mark.parametrize("witness", PEOPLE)
def test_a_factory_that_nobody_can_call_first_is_refused_where_people_are_asked(
    declared: Any, witness: str
) -> None:
    with pytest.raises(DefinitionError, match="default factory cannot be called"):
        account(WITNESSES[witness], shows(declared, repr), {})


# ------------------------------------------------------------------- what changes in the meantime


def signature(default: Any) -> AnyTool:
    def move(account: str, amount: Any = 0) -> Any:
        RUNS.append(None)
        return {"account": account, "amount": amount}

    move.__annotations__["amount"] = int
    move.__defaults__ = (default,)
    return tool(move, name="move", description="Move money.", output=None)


def model(default: Any) -> AnyTool:
    return shows(create_model("Move", amount=(int, default)), read_amount)


def nested_model(default: Any) -> AnyTool:
    inner = create_model("Inner", amount=(int, default))
    outer = create_model("Move", inner=(inner, ...))
    return shows(outer, lambda value: {"inner": {"amount": value.inner.amount}})


def struct(default: Any) -> AnyTool:
    return shows(msgspec.defstruct("Move", [("amount", int, default)]), read_amount)


def attrs_class(default: Any) -> AnyTool:
    return shows(
        attrs.make_class("Move", {"amount": attrs.field(type=int, default=default)}), read_amount
    )


def plain_class(default: Any) -> AnyTool:
    return shows(make_dataclass("Move", [("amount", int, field(default=default))]), read_amount)


def view(default: Any) -> AnyTool:
    return signature(0).transform(defaults={"amount": default})


def hiding(default: Any) -> AnyTool:
    return signature(0).transform(hide={"amount": default})


CHANGED: Final[dict[str, tuple[Callable[[Any], AnyTool], Any]]] = {
    "signature": (signature, {"account": "a"}),
    "pydantic": (model, {}),
    "pydantic, nested": (nested_model, {"inner": {}}),
    "pydantic, refused by its schema": (lambda default: model(str(default)), {}),
    "msgspec": (struct, {}),
    "attrs": (attrs_class, {}),
    "dataclass": (plain_class, {}),
    "view": (view, {"account": "a"}),
}


@pytest.mark.requirement("forged-views")
@pytest.mark.parametrize("name", CHANGED)
def test_a_default_that_has_changed_denies(name: str) -> None:
    make, sent = CHANGED[name]
    approved = make(1).prepare(sent)
    assert isinstance(approved, Prepared), approved
    text = approved.to_json(key=KEY)
    RUNS.clear()
    same, other = (
        Toolset([make(1)]).resume(text, key=KEY),
        Toolset([make(LOOT)]).resume(text, key=KEY),
    )
    assert isinstance(other, Err)
    assert (other.kind, other.effect, RUNS) == ("denied", "none", [])
    assert isinstance(same, Prepared)
    assert agree(plain(same.arguments), same.call_sync().unwrap())


@pytest.mark.requirement("forged-views")
def test_what_a_view_hides_is_what_was_approved() -> None:
    approved = hiding(1).prepare({"account": "a"})
    assert isinstance(approved, Prepared)
    assert plain(approved.arguments) == {"account": "a", "amount": 1}
    again = Toolset([hiding(LOOT)]).resume(approved.to_json(key=KEY), key=KEY)
    outcome = again if isinstance(again, Err) else again.call_sync()
    assert outcome.kind == "denied" if isinstance(outcome, Err) else outcome.value["amount"] == 1


def model_with(make: Callable[[], int]) -> AnyTool:
    return shows(create_model("Move", amount=(int, Field(default_factory=make))), read_amount)


def struct_with(make: Callable[[], int]) -> AnyTool:
    found = msgspec.field(default_factory=make)
    return shows(msgspec.defstruct("Move", [("amount", int, found)]), read_amount)


def attrs_with(make: Callable[[], int]) -> AnyTool:
    return shows(
        attrs.make_class("Move", {"amount": attrs.field(type=int, factory=make)}), read_amount
    )


def plain_with(make: Callable[[], int]) -> AnyTool:
    found = field(default_factory=make)
    return shows(make_dataclass("Move", [("amount", int, found)]), read_amount)


@pytest.mark.requirement("forged-views")
@pytest.mark.parametrize("make", [model_with, struct_with, attrs_with, plain_with])
def test_what_was_approved_runs_whatever_the_factory_is_later(
    make: Callable[[Callable[[], int]], AnyTool],
) -> None:
    approved = make(lambda: 1).prepare({})
    assert isinstance(approved, Prepared)
    again = Toolset([make(lambda: LOOT)]).resume(approved.to_json(key=KEY), key=KEY)
    assert isinstance(again, Prepared)
    assert (plain(again.arguments), again.digest) == ({"amount": 1}, approved.digest)
    assert again.call_sync().unwrap() == {"amount": 1}


@pytest.mark.requirement("forged-views")
def test_a_default_that_the_program_changes_after_the_approval_does_not_run() -> None:
    shared = [1]

    def move(rows: list[int] = shared) -> Any:
        RUNS.append(None)
        return rows

    one = tool(move, description="Move money.", output=None)
    approved = one.prepare({})
    assert isinstance(approved, Prepared)
    seen = plain(approved.arguments)
    shared.append(LOOT)
    outcome = approved.call_sync()
    assert seen == {"rows": [1]}
    assert outcome.kind == "denied" if isinstance(outcome, Err) else outcome.value == [1]
