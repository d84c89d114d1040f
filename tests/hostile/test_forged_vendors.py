"""Forged keys again, for every validator that has names of its own for what it reads."""

from __future__ import annotations

from dataclasses import InitVar, dataclass, field
from typing import Annotated, Any, ClassVar, Final, Literal, NamedTuple, NotRequired

import attrs
import msgspec
import pytest
from marshmallow import EXCLUDE, INCLUDE, Schema, fields, post_load
from pydantic import BaseModel, ConfigDict, Field, PlainValidator, with_config
from typing_extensions import TypedDict

from tests.hostile.witnesses import RUNS, Attack, Honest, Refused, Runs, lies, shows
from toolhaft import Context, Injected, Toolset, schema_of, tool
from toolhaft.spec import Success

pytestmark = pytest.mark.unmeasured

# Far more than anybody would approve.
LOOT: Final = 1_000_000
ALIAS: Final = {"maxAmount": 1}
BOTH: Final = {"maxAmount": 1, "max_amount": LOOT}
NAME: Final = {"max_amount": LOOT}
ATTRIBUTE: Final = Refused(("max_amount",), meant="maxAmount")


def given_by_alias(value: Any) -> Any:
    return {"maxAmount": value.max_amount}


class Unwritable(BaseModel):
    """pydantic writes no schema of it, so that its tool declares one."""

    max_amount: int = Field(7, alias="maxAmount")
    note: Annotated[str, PlainValidator(str)] = ""


def given_with_note(value: Any) -> Any:
    return {"maxAmount": value.max_amount, "note": value.note}


# ------------------------------------------------------------------------------------ msgspec


class Renamed(msgspec.Struct, rename="camel"):
    max_amount: int = 0


class ClosedRenamed(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    max_amount: int = 0


class NamedStruct(msgspec.Struct):
    max_amount: int = msgspec.field(default=0, name="maxAmount")


class Upper(msgspec.Struct, rename={"amount": "AMOUNT"}):
    amount: int = 0


class Inner(msgspec.Struct, rename="camel"):
    inner: list[Renamed] = []
    by_name: dict[str, NamedStruct] = {}


class Tagged(msgspec.Struct, tag_field="kind", tag="card", rename="camel"):
    max_amount: int = 0


class TaggedCash(msgspec.Struct, tag_field="kind", tag="cash"):
    note: str = ""


class TaggedUnion(msgspec.Struct):
    by: Tagged | TaggedCash


def given_inner(value: Inner) -> Any:
    named = {key: given_by_alias(one) for key, one in value.by_name.items()}
    return {"inner": [given_by_alias(one) for one in value.inner], "byName": named}


def given_tagged(value: TaggedUnion) -> Any:
    by = value.by
    rest = given_by_alias(by) if isinstance(by, Tagged) else {"note": by.note}
    return {"by": {"kind": type(by).__struct_config__.tag, **rest}}


MSGSPEC: Final[dict[str, Attack]] = {
    "msgspec: the key itself": Attack(shows(Renamed, given_by_alias), ALIAS, Runs(ALIAS)),
    "msgspec: attribute beside rename": Attack(shows(Renamed, given_by_alias), BOTH, ATTRIBUTE),
    "msgspec: attribute for rename": Attack(shows(Renamed, given_by_alias), NAME, ATTRIBUTE),
    "msgspec: attribute, closed": Attack(shows(ClosedRenamed, given_by_alias), BOTH, ATTRIBUTE),
    "msgspec: attribute beside field(name=)": Attack(
        shows(NamedStruct, given_by_alias), BOTH, ATTRIBUTE
    ),
    "msgspec: attribute that differs by case": Attack(
        shows(Upper, lambda value: {"AMOUNT": value.amount}),
        {"AMOUNT": 1, "amount": LOOT},
        Refused(("amount",), meant="AMOUNT"),
    ),
    "msgspec: within a list": Attack(
        shows(Inner, given_inner), {"inner": [BOTH]}, Refused(("inner", 0, "max_amount"))
    ),
    "msgspec: within a map": Attack(
        shows(Inner, given_inner), {"byName": {"a": BOTH}}, Refused(("byName", "a", "max_amount"))
    ),
    "msgspec: within a tagged union": Attack(
        shows(TaggedUnion, given_tagged),
        {"by": {"kind": "card", **BOTH}},
        Refused(("by", "max_amount")),
    ),
    "msgspec: a field of the other tag": Attack(
        shows(TaggedUnion, given_tagged),
        {"by": {"kind": "cash", "maxAmount": LOOT}},
        Runs({"by": {"kind": "cash", "note": ""}}, dropped=(("by", "maxAmount"),)),
    ),
}


# -------------------------------------------------------------------------------------- attrs


@attrs.define
class Private:
    _max_amount: int = 0

    @property
    def amount(self) -> int:
        return self._max_amount


@attrs.define
class Aliased:
    max_amount: int = attrs.field(default=0, alias="maxAmount")


@attrs.define
class Derived:
    amount: int = 0
    total: int = attrs.field(init=False, default=0)

    def __attrs_post_init__(self) -> None:
        self.total += self.amount


@attrs.define(slots=False)
class Loose:
    amount: int = 0
    fee: ClassVar[int] = 0


def given_total(value: Any) -> Any:
    """Return the handler's data; a value that no argument may reach is there only if one does."""
    return {"amount": value.amount, **({"total": value.total} if value.total != 1 else {})}


ATTRS: Final[dict[str, Attack]] = {
    "attrs: attribute beside alias": Attack(shows(Aliased, given_by_alias), BOTH, ATTRIBUTE),
    "attrs: attribute for alias": Attack(shows(Aliased, given_by_alias), NAME, ATTRIBUTE),
    "attrs: private attribute beside its alias": Attack(
        shows(Private, lambda value: {"max_amount": value.amount}),
        {"max_amount": 1, "_max_amount": LOOT},
        Refused(("_max_amount",), meant="max_amount"),
    ),
    "attrs: a field that takes no argument": Attack(
        shows(Derived, given_total), {"amount": 1, "total": LOOT}, Honest()
    ),
    "attrs: a class variable": Attack(
        shows(Loose, lambda value: {"amount": value.amount + value.fee}),
        {"amount": 1, "fee": LOOT},
        Honest(),
    ),
}


# --------------------------------------------------- dataclasses, TypedDicts, named tuples


@dataclass
class AliasedDataclass:
    max_amount: Annotated[int, Field(alias="maxAmount")] = 0


@dataclass
class Plain:
    amount: int = 0
    total: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        self.total += self.amount


@dataclass
class Scaled:
    amount: int = 0
    scale: InitVar[int] = 1

    def __post_init__(self, scale: int) -> None:
        self.scaled = self.amount * scale


class AliasedDict(TypedDict):
    max_amount: NotRequired[Annotated[int, Field(alias="maxAmount")]]


class PlainDict(TypedDict, total=False):
    amount: int


@with_config(ConfigDict(extra="allow"))
class OpenDict(TypedDict, total=False):
    max_amount: Annotated[int, Field(alias="maxAmount")]


class Point(NamedTuple):
    x: int = 0
    y: int = 0


class Route(BaseModel):
    to: Point = Point()


def given_dict(value: Any) -> Any:
    return {"maxAmount" if key == "max_amount" else key: value[key] for key in value}


PLAIN: Final[dict[str, Attack]] = {
    "dataclass: attribute beside alias": Attack(
        shows(AliasedDataclass, given_by_alias), BOTH, ATTRIBUTE
    ),
    "dataclass: attribute for alias": Attack(
        shows(AliasedDataclass, given_by_alias), NAME, ATTRIBUTE
    ),
    "dataclass: a field that takes no argument": Attack(
        shows(Plain, given_total), {"amount": 1, "total": LOOT}, Honest()
    ),
    "dataclass: an argument that is no field": Attack(
        shows(Scaled, lambda value: {"amount": value.amount, "scale": value.scaled}),
        {"amount": 1, "scale": 7},
        Runs({"amount": 1, "scale": 7}),
    ),
    "dataclass: what a post-init makes": Attack(
        shows(Scaled, lambda value: {"amount": value.amount, "scale": value.scaled}),
        {"amount": 1, "scaled": LOOT},
        Runs({"amount": 1, "scale": 1}, dropped=(("scaled",),)),
    ),
    "TypedDict: attribute beside alias": Attack(shows(AliasedDict, given_dict), BOTH, ATTRIBUTE),
    "TypedDict: attribute for alias": Attack(shows(AliasedDict, given_dict), NAME, ATTRIBUTE),
    "TypedDict: attribute beside alias, open": Attack(shows(OpenDict, given_dict), BOTH, ATTRIBUTE),
    "TypedDict: an undeclared key": Attack(
        shows(PlainDict), {"amount": 1, "Amount": LOOT}, Runs({"amount": 1}, dropped=(("Amount",),))
    ),
    "named tuple: its names for a list": Attack(
        shows(Route, lambda value: {"to": list(value.to)}),
        {"to": {"x": 1, "_fields": []}},
        Honest(),
    ),
}


# -------------------------------------------------------------------------------- marshmallow


class Loads(Schema):
    max_amount = fields.Integer(strict=True, load_default=0, data_key="maxAmount")


class Includes(Loads):
    class Meta:
        unknown = INCLUDE


class Excludes(Loads):
    class Meta:
        unknown = EXCLUDE


class Attributes(Schema):
    amount = fields.Integer(strict=True, load_default=0, attribute="max_amount")

    class Meta:
        unknown = INCLUDE


class Dumps(Schema):
    amount = fields.Integer(strict=True, load_default=0)
    total = fields.Integer(dump_only=True)

    class Meta:
        unknown = INCLUDE


class Makes(Loads):
    class Meta:
        unknown = INCLUDE

    @post_load
    def _made(self, data: Any, **_: Any) -> Any:
        return dict(data)


MARSHMALLOW: Final[dict[str, Attack]] = {
    "marshmallow: attribute beside data_key": Attack(shows(Loads(), given_dict), BOTH, ATTRIBUTE),
    "marshmallow: attribute, included": Attack(shows(Includes(), given_dict), BOTH, ATTRIBUTE),
    "marshmallow: attribute for data_key, included": Attack(
        shows(Includes(), given_dict), NAME, ATTRIBUTE
    ),
    "marshmallow: attribute, excluded": Attack(shows(Excludes(), given_dict), BOTH, ATTRIBUTE),
    "marshmallow: attribute= beside its key": Attack(
        shows(Attributes(), lambda value: {"amount": value["max_amount"]}),
        {"amount": 1, "max_amount": LOOT},
        Refused(("max_amount",), meant="amount"),
    ),
    "marshmallow: a field that is only dumped": Attack(
        shows(Dumps()), {"amount": 1, "total": LOOT}, Honest()
    ),
}


# --------------------------------------------------------------------- schemas and signatures

OPEN: Final = {
    "type": "object",
    "properties": {"amount": {"type": "integer"}},
    "required": ["amount"],
}
CLOSED: Final = {**OPEN, "additionalProperties": False}
PATTERNED: Final = {**CLOSED, "patternProperties": {"^x-": {"type": "integer"}}}


def pay(amount: int, fee: int = 0) -> Any:
    """Pay."""
    RUNS.append(None)
    return {"amount": amount, "fee": fee}


class Item(BaseModel, populate_by_name=True, extra="allow"):
    max_amount: int = Field(0, alias="maxAmount")


def order(item: Item, count: int = 1) -> Any:
    """Order."""
    RUNS.append(None)
    given = {"maxAmount": item.max_amount, **(item.model_extra or {})}
    return {"item": given, "count": count}


def with_item(item: Any, **more: Any) -> dict[str, Any]:
    """A schema for `order`, in which an item is something else than its type says."""
    properties = {"item": item, "count": {"type": "number"}, **more}
    return {"type": "object", "properties": properties, "required": ["item"]}


class Foreign:
    """A tool of somebody else's, which has a validator of its own."""

    name, title, description, output_schema = "move", None, "Move money.", None

    def __init__(self) -> None:
        self.input_schema = schema_of(
            validate=lambda value: Success(dict(value)), vendor="mine", json_schema=CLOSED
        )

    async def execute(self, given: Any, context: Any = None) -> Any:
        RUNS.append(None)
        return dict(given)


def pay_omitting(amount: int, session: int = 0) -> Any:
    """Pay."""
    RUNS.append(None)
    return {"amount": amount, **({"session": session} if session else {})}


def pay_for(amount: int, user: Injected[Any] = None, request: Context[Any] = None) -> Any:
    """Pay."""
    RUNS.append(None)
    return {"amount": amount, **({"user": user} if user or request else {})}


def read_by_another_name(value: Any) -> Success[Any]:
    """A validator of one's own, which reads a key that its schema does not have."""
    return Success({"amount": value.get("total", value.get("amount", 0))})


SCHEMAS: Final[dict[str, Attack]] = {
    "schema: an undeclared key of an open one": Attack(
        shows(OPEN), {"amount": 1, "Amount": LOOT}, Runs({"amount": 1, "Amount": LOOT})
    ),
    "schema: an undeclared key of a closed one": Attack(
        shows(CLOSED), {"amount": 1, "Amount": LOOT}, Refused(("Amount",))
    ),
    "schema: a key that fits a pattern": Attack(
        shows(PATTERNED), {"amount": 1, "x-fee": LOOT}, Runs({"amount": 1, "x-fee": LOOT})
    ),
    "schema: __proto__ and __class__": Attack(
        shows(OPEN),
        {"amount": 1, "__proto__": {"amount": LOOT}, "__class__": "x"},
        Runs({"amount": 1, "__proto__": {"amount": LOOT}, "__class__": "x"}),
    ),
    "schema: open, and closed by the tool": Attack(
        shows(OPEN, extra="forbid"), {"amount": 1, "fee": LOOT}, Refused(("fee",))
    ),
    "schema: open, and ignored by the tool": Attack(
        shows(OPEN, extra="ignore"),
        {"amount": 1, "fee": LOOT},
        Runs({"amount": 1}, dropped=(("fee",),)),
    ),
    "parameters: a key that only the handler's type has": Attack(
        tool(pay, name="move", output=None, parameters=CLOSED),
        {"amount": 1, "fee": LOOT},
        Refused(("fee",)),
    ),
    "parameters: a key that only the handler has, open": Attack(
        tool(pay, name="move", output=None, parameters=OPEN), {"amount": 1, "fee": LOOT}, Honest()
    ),
    "parameters: an attribute, where they are open": Attack(
        tool(order, name="move", output=None, parameters=with_item({"type": "object"})),
        {"item": BOTH},
        Honest(),
    ),
    "parameters: an attribute, where they name the alias": Attack(
        tool(
            order,
            name="move",
            output=None,
            parameters=with_item({"type": "object", "properties": {"maxAmount": {}}}),
        ),
        {"item": BOTH},
        Refused(("item", "max_amount")),
    ),
    "parameters: an attribute of a type that has no schema": Attack(
        shows(
            Unwritable,
            given_with_note,
            parameters={"type": "object", "properties": {"maxAmount": {}}},
        ),
        BOTH,
        ATTRIBUTE,
    ),
    "parameters: the default of a type that has no schema": Attack(
        shows(Unwritable, given_with_note, parameters={"type": "object"}),
        {"note": "x"},
        Runs({"maxAmount": 7, "note": "x"}),
    ),
    "parameters: a number that the handler's type refuses": Attack(
        tool(order, name="move", output=None, parameters=with_item({"type": "object"})),
        {"item": {"maxAmount": 1}, "count": 1.5},
        Refused(("count",), None),
    ),
    "parameters: a number of another form": Attack(
        tool(order, name="move", output=None, parameters=with_item({"type": "object"})),
        '{"item": {"maxAmount": 1}, "count": 2.0}',
        Runs({"item": {"maxAmount": 1}, "count": 2}),
    ),
    "foreign: an undeclared key": Attack(
        Toolset([Foreign()])["move"], {"amount": 1, "fee": LOOT}, Refused(("fee",))
    ),
    "foreign: the key itself": Attack(
        Toolset([Foreign()])["move"], {"amount": 1}, Runs({"amount": 1})
    ),
    "signature: a parameter that is left out": Attack(
        tool(pay_omitting, name="move", output=None, omit=("session",)),
        {"amount": 1, "session": LOOT},
        Refused(("session",)),
    ),
    "signature: a parameter that is left out, ignoring": Attack(
        tool(pay_omitting, name="move", output=None, omit=("session",), extra="ignore"),
        {"amount": 1, "session": LOOT},
        Honest(),
    ),
    "signature: what the caller injects": Attack(
        tool(pay_for, name="move", output=None), {"amount": 1, "user": "eve"}, Refused(("user",))
    ),
    "signature: what the caller injects, ignoring": Attack(
        tool(pay_for, name="move", output=None, extra="ignore"),
        {"amount": 1, "user": "eve", "request": 1},
        Honest(),
    ),
    "signature: a key that differs by case": Attack(
        tool(pay, name="move", output=None), {"amount": 1, "Fee": LOOT}, Refused(("Fee",))
    ),
    "signature: self and args": Attack(
        tool(pay, name="move", output=None), {"amount": 1, "self": 1}, Refused(("self",))
    ),
    "own validator: a key that its schema does not have": Attack(
        shows(schema_of(validate=read_by_another_name, vendor="mine", json_schema=CLOSED)),
        {"amount": 1, "total": LOOT},
        Refused(("total",)),
    ),
    "wrapped root: the key itself": Attack(
        shows(list[int], lambda value: {"value": value}), {"value": [1]}, Runs({"value": [1]})
    ),
    "wrapped root: another key beside it": Attack(
        shows(list[int], lambda value: {"value": value}),
        {"value": [1], "values": [LOOT]},
        Refused(("values",)),
    ),
    "wrapped root: bare": Attack(
        shows(list[int], lambda value: {"value": value}), "[1]", Refused()
    ),
    "wrapped root: twice": Attack(
        shows(list[int], lambda value: {"value": value}), {"value": {"value": [LOOT]}}, Refused()
    ),
    "wrapped root: a literal": Attack(
        shows(Literal["low", "high"], lambda value: {"value": value}),
        {"value": "low", "VALUE": "high"},
        Refused(("VALUE",)),
    ),
}


# ---------------------------------------------------------------------- views of another tool

BASE: Final = tool(pay, name="move", output=None)
VIEWS: Final[dict[str, Attack]] = {
    "view: the new name": Attack(
        BASE.transform(rename={"amount": "sum"}), {"sum": 1}, Runs({"amount": 1, "fee": 0})
    ),
    "view: the handler's name": Attack(
        BASE.transform(rename={"amount": "sum"}), {"amount": LOOT}, Refused(("amount",))
    ),
    "view: the handler's name beside the new one": Attack(
        BASE.transform(rename={"amount": "sum"}), {"sum": 1, "amount": LOOT}, Refused(("amount",))
    ),
    "view: names that change places": Attack(
        BASE.transform(rename={"amount": "fee", "fee": "amount"}),
        {"fee": 1, "amount": 7},
        Runs({"amount": 1, "fee": 7}),
    ),
    "view: what is hidden": Attack(
        BASE.transform(hide={"fee": 3}), {"amount": 1, "fee": LOOT}, Refused(("fee",))
    ),
    "view: what is hidden is shown": Attack(
        BASE.transform(hide={"fee": 3}), {"amount": 1}, Runs({"amount": 1, "fee": 3})
    ),
    "view: another default": Attack(
        BASE.transform(defaults={"fee": 9}), {"amount": 1}, Runs({"amount": 1, "fee": 9})
    ),
    "view: hidden, and the name given to another": Attack(
        BASE.transform(hide={"fee": 3}, rename={"amount": "fee"}),
        {"fee": 1},
        Runs({"amount": 1, "fee": 3}),
    ),
    "view: of a view": Attack(
        BASE.transform(rename={"amount": "sum"}).transform(hide={"sum": 5}),
        {"fee": 1},
        Runs({"amount": 5, "fee": 1}),
    ),
    "view: of a type with aliases": Attack(
        shows(AliasedDataclass, given_by_alias).transform(rename={"maxAmount": "limit"}),
        {"limit": 1, "max_amount": LOOT},
        Refused(("max_amount",)),
    ),
}

ATTACKS: Final = {**MSGSPEC, **ATTRS, **PLAIN, **MARSHMALLOW, **SCHEMAS, **VIEWS}


@pytest.mark.requirement("forged-views")
@pytest.mark.parametrize("name", ATTACKS)
def test_a_forged_key_deceives_nobody_whatever_the_validator(name: str) -> None:
    attack = ATTACKS[name]
    assert lies(attack.tool, attack.sent, attack.expected) == {}
