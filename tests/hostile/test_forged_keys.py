"""Forged keys: another name of a field never changes the shown arguments, for any validator.

Every attack is made on every way of a call, and each has one of three ends: it is rejected before
anybody approves; or it runs with exactly the arguments that everyone saw; or, if the contract
leaves that open, either of these.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Final, Literal

import pytest
from pydantic import (
    AliasChoices,
    AliasPath,
    BaseModel,
    ConfigDict,
    Field,
    PrivateAttr,
    RootModel,
    computed_field,
    field_validator,
    model_validator,
)
from pydantic.alias_generators import to_camel
from pydantic.dataclasses import dataclass as pydantic_dataclass

from tests.hostile.witnesses import Attack, Honest, Refused, Runs, lies, shows
from toolhaft import Err
from toolhaft.tools.tool import AnyTool

pytestmark = pytest.mark.unmeasured

# Far more than anybody would approve.
LOOT: Final = 1_000_000


def given_by_alias(value: Any) -> Any:
    """Return the handler's data from any model here: its attribute, under the schema's key."""
    extra = getattr(value, "model_extra", None) or {}
    return {"maxAmount": value.max_amount, **extra}


def given_amount(value: Any) -> Any:
    extra = getattr(value, "model_extra", None) or {}
    return {"amount": value.amount, **extra}


def given_own(value: Any) -> Any:
    """The same, with what no argument may change, where one has."""
    stolen = {} if (value._fee, type(value).limit, value.limit) == (0, 5, 5) else {"stolen": True}
    return {**given_amount(value), **stolen}


# ------------------------------------------------------------------------- pydantic: aliases


class Aliased(BaseModel):
    max_amount: int = Field(0, alias="maxAmount")


class ClosedAliased(Aliased, extra="forbid"):
    pass


class OpenAliased(Aliased, extra="allow"):
    pass


class ByName(Aliased, populate_by_name=True):
    pass


class OpenByName(Aliased, populate_by_name=True, extra="allow"):
    pass


class ByBoth(Aliased):
    model_config = ConfigDict(validate_by_name=True, validate_by_alias=True)


class Generated(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

    max_amount: int = 0


class Written(BaseModel, extra="allow"):
    amount: int = Field(0, serialization_alias="sum")


class Choices(BaseModel):
    max_amount: int = Field(0, validation_alias=AliasChoices("maxAmount", "ceiling"))


class OpenChoices(Choices, extra="allow"):
    pass


class ByPath(BaseModel):
    max_amount: int = Field(
        0, validation_alias=AliasChoices("maxAmount", AliasPath("limits", "max"))
    )


class OpenByPath(ByPath, extra="allow"):
    pass


class ByPlace(BaseModel):
    max_amount: int = Field(0, validation_alias=AliasChoices("maxAmount", AliasPath("limits", 0)))


class Computed(BaseModel, extra="allow"):
    amount: int = 0

    @computed_field  # type: ignore[prop-decorator]
    @property
    def total(self) -> int:
        return self.amount + 1


class ComputedAlias(BaseModel, extra="allow"):
    amount: int = 0

    @computed_field(alias="grandTotal")  # type: ignore[prop-decorator]
    @property
    def total(self) -> int:
        return self.amount + 1


class Private(BaseModel, extra="allow"):
    amount: int = 0
    limit: ClassVar[int] = 5
    _fee: int = PrivateAttr(0)


@pydantic_dataclass
class PydanticDataclass:
    max_amount: int = Field(0, alias="maxAmount")


ALIAS = {"maxAmount": 1}
BOTH = {"maxAmount": 1, "max_amount": LOOT}
NAME = {"max_amount": LOOT}
ATTRIBUTE = Refused(("max_amount",), meant="maxAmount")


def refused(key: str, meant: str = "maxAmount") -> Refused:
    return Refused((key,), meant=meant)


def aliased(declared: Any) -> AnyTool:
    return shows(declared, given_by_alias)


PYDANTIC: Final[dict[str, Attack]] = {
    "the alias itself": Attack(aliased(Aliased), ALIAS, Runs(ALIAS)),
    "nothing": Attack(aliased(Aliased), {}, Runs({"maxAmount": 0})),
    "attribute beside its alias": Attack(aliased(Aliased), BOTH, ATTRIBUTE),
    "attribute for its alias": Attack(aliased(Aliased), NAME, ATTRIBUTE),
    "attribute beside its alias, closed": Attack(aliased(ClosedAliased), BOTH, ATTRIBUTE),
    "attribute beside its alias, open": Attack(aliased(OpenAliased), BOTH, ATTRIBUTE),
    "attribute for its alias, open": Attack(aliased(OpenAliased), NAME, ATTRIBUTE),
    "attribute by populate_by_name": Attack(aliased(ByName), NAME, ATTRIBUTE),
    "both by populate_by_name": Attack(aliased(ByName), BOTH, ATTRIBUTE),
    "attribute first by populate_by_name": Attack(
        aliased(ByName), {"max_amount": LOOT, "maxAmount": 1}, ATTRIBUTE
    ),
    "attribute by populate_by_name, open": Attack(aliased(OpenByName), NAME, ATTRIBUTE),
    "both by populate_by_name, open": Attack(aliased(OpenByName), BOTH, ATTRIBUTE),
    "attribute by validate_by_name": Attack(aliased(ByBoth), NAME, ATTRIBUTE),
    "both by validate_by_name": Attack(aliased(ByBoth), BOTH, ATTRIBUTE),
    "attribute of a generated alias": Attack(aliased(Generated), BOTH, ATTRIBUTE),
    "attribute, extra=ignore of the tool": Attack(
        shows(OpenAliased, given_by_alias, extra="ignore"), BOTH, ATTRIBUTE
    ),
    "attribute, extra=forbid of the tool": Attack(
        shows(OpenAliased, given_by_alias, extra="forbid"), BOTH, ATTRIBUTE
    ),
    "second choice": Attack(aliased(Choices), {"ceiling": LOOT}, refused("ceiling")),
    "second choice beside the first": Attack(
        aliased(Choices), {"maxAmount": 1, "ceiling": LOOT}, refused("ceiling")
    ),
    "second choice, open": Attack(aliased(OpenChoices), {"ceiling": LOOT}, refused("ceiling")),
    "attribute of a field with choices, open": Attack(aliased(OpenChoices), BOTH, ATTRIBUTE),
    "head of a path": Attack(aliased(ByPath), {"limits": {"max": LOOT}}, refused("limits")),
    "head of a path beside the alias": Attack(
        aliased(ByPath), {"maxAmount": 1, "limits": {"max": LOOT}}, refused("limits")
    ),
    "head of a path, open": Attack(
        aliased(OpenByPath), {"limits": {"max": LOOT}}, refused("limits")
    ),
    "head of a path that leads nowhere": Attack(
        aliased(OpenByPath), {"limits": {}}, refused("limits")
    ),
    "head of a path into a list": Attack(aliased(ByPlace), {"limits": [LOOT]}, refused("limits")),
    "name that is written": Attack(
        shows(Written, given_amount), {"amount": 1, "sum": LOOT}, refused("sum", "amount")
    ),
    "computed field": Attack(shows(Computed, given_amount), {"total": LOOT}, Refused(("total",))),
    "attribute of a computed field": Attack(
        shows(ComputedAlias, given_amount), {"total": LOOT}, Refused(("total",))
    ),
    "alias of a computed field": Attack(
        shows(ComputedAlias, given_amount), {"grandTotal": LOOT}, Refused(("grandTotal",))
    ),
    "private attribute": Attack(shows(Private, given_own), {"amount": 1, "_fee": LOOT}, Honest()),
    "class variable": Attack(shows(Private, given_own), {"amount": 1, "limit": LOOT}, Honest()),
    "names that pydantic itself uses": Attack(
        shows(Private, given_own),
        {"amount": 1, "model_extra": {"amount": LOOT}, "__pydantic_extra__": 1, "__dict__": {}},
        Honest(),
    ),
    "attribute of a pydantic dataclass": Attack(
        shows(PydanticDataclass, given_by_alias), BOTH, ATTRIBUTE
    ),
}


# ---------------------------------------------------------------------- pydantic: deeper inside


class Order(BaseModel):
    """One of each place where a model can stand."""

    one: OpenAliased = OpenAliased(maxAmount=0)
    many: list[OpenAliased] = []
    named: dict[str, OpenAliased] = {}
    maybe: OpenAliased | None = None
    pair: tuple[int, OpenAliased] = (0, OpenAliased(maxAmount=0))


class Card(BaseModel, extra="allow"):
    kind: Literal["card"] = "card"
    max_amount: int = Field(0, alias="maxAmount")


class Cash(BaseModel, extra="allow"):
    kind: Literal["cash"]
    note: str = ""


class Payment(BaseModel):
    by: Annotated[Card | Cash, Field(discriminator="kind")]


class Loose(BaseModel):
    by: Card | Cash


class Tree(BaseModel, extra="allow"):
    max_amount: int = Field(0, alias="maxAmount")
    below: list[Tree] = []


class Root(RootModel[OpenAliased]):
    pass


def given_order(value: Order) -> Any:
    return {
        "one": given_by_alias(value.one),
        "many": [given_by_alias(one) for one in value.many],
        "named": {key: given_by_alias(one) for key, one in value.named.items()},
        "maybe": None if value.maybe is None else given_by_alias(value.maybe),
        "pair": [value.pair[0], given_by_alias(value.pair[1])],
    }


def given_payment(value: Any) -> Any:
    by = value.by
    rest = given_by_alias(by) if isinstance(by, Card) else {"note": by.note, **by.model_extra}
    return {"by": {"kind": by.kind, **rest}}


def given_tree(value: Tree) -> Any:
    return {**given_by_alias(value), "below": [given_tree(one) for one in value.below]}


def within(*path: str | int) -> Refused:
    return Refused((*path, "max_amount"), meant="maxAmount")


ORDER = shows(Order, given_order)
NESTED: Final[dict[str, Attack]] = {
    "within a model": Attack(ORDER, {"one": BOTH}, within("one")),
    "within a list": Attack(ORDER, {"many": [ALIAS, BOTH]}, within("many", 1)),
    "within a map": Attack(ORDER, {"named": {"a": BOTH}}, within("named", "a")),
    "within an optional": Attack(ORDER, {"maybe": BOTH}, within("maybe")),
    "within a tuple": Attack(ORDER, {"pair": [1, BOTH]}, within("pair", 1)),
    "a map's entry is no field": Attack(
        ORDER,
        {"named": {"max_amount": ALIAS}},
        Runs(
            {
                "one": {"maxAmount": 0},
                "many": [],
                "named": {"max_amount": {"maxAmount": 1}},
                "maybe": None,
                "pair": [0, {"maxAmount": 0}],
            }
        ),
    ),
    "within a tagged union": Attack(
        shows(Payment, given_payment), {"by": {"kind": "card", **BOTH}}, within("by")
    ),
    "within a loose union": Attack(
        shows(Loose, given_payment), {"by": {"kind": "card", **BOTH}}, Refused()
    ),
    "of another member of a union": Attack(
        shows(Loose, given_payment), {"by": {"kind": "cash", "max_amount": LOOT}}, Honest()
    ),
    "within recursion": Attack(
        shows(Tree, given_tree), {"below": [{"below": [BOTH]}]}, within("below", 0, "below", 0)
    ),
    "within a root model": Attack(
        shows(Root, lambda value: given_by_alias(value.root)), BOTH, ATTRIBUTE
    ),
}


# ----------------------------------------------------------------- pydantic: validators that move


class Renaming(BaseModel):
    """Its before-validator reads a key that the schema does not have."""

    amount: int = 0

    @model_validator(mode="before")
    @classmethod
    def _renamed(cls, data: Any) -> Any:
        if isinstance(data, dict) and "total" in data:
            return {**data, "amount": data["total"]}
        return data


class ClosedRenaming(Renaming, extra="forbid"):
    pass


class OpenRenaming(Renaming, extra="allow"):
    pass


class Wrapping(BaseModel):
    """The same by a wrap validator."""

    amount: int = 0

    @model_validator(mode="wrap")
    @classmethod
    def _renamed(cls, data: Any, handler: Any) -> Any:
        if isinstance(data, dict) and "total" in data:
            data = {"amount": data["total"]}
        return handler(data)


class OpenWrapping(Wrapping, extra="allow"):
    pass


class Holding(BaseModel):
    inner: Renaming = Renaming()


class Swallowing(BaseModel):
    """A before-validator of a field, which reads whatever it is given."""

    amount: int = 0
    note: str = ""

    @field_validator("note", mode="before")
    @classmethod
    def _any(cls, value: Any) -> Any:
        return str(value)


TOTAL = {"amount": 1, "total": LOOT}
MOVING: Final[dict[str, Attack]] = {
    "dropped before a before-validator": Attack(
        shows(Renaming, given_amount), TOTAL, Runs({"amount": 1}, dropped=(("total",),))
    ),
    "dropped before a before-validator, alone": Attack(
        shows(Renaming, given_amount), {"total": LOOT}, Runs({"amount": 0}, dropped=(("total",),))
    ),
    "refused before a before-validator": Attack(
        shows(ClosedRenaming, given_amount), TOTAL, Refused(("total",))
    ),
    "an open object with a before-validator is closed": Attack(
        shows(OpenRenaming, given_amount), TOTAL, Refused(("total",))
    ),
    "dropped before a wrap validator": Attack(
        shows(Wrapping, given_amount), TOTAL, Runs({"amount": 1}, dropped=(("total",),))
    ),
    "an open object with a wrap validator": Attack(
        shows(OpenWrapping, given_amount), TOTAL, Honest()
    ),
    "dropped before a before-validator within": Attack(
        shows(Holding, lambda value: {"inner": given_amount(value.inner)}),
        {"inner": TOTAL},
        Runs({"inner": {"amount": 1}}, dropped=(("inner", "total"),)),
    ),
    "a text for a number beside a field that takes anything": Attack(
        shows(Swallowing, lambda value: {"amount": value.amount, "note": value.note}),
        {"amount": "1_000", "note": "x"},
        Refused(("amount",), "type"),
    ),
}


ATTACKS: Final = {**PYDANTIC, **NESTED, **MOVING}


@pytest.mark.requirement("forged-views")
@pytest.mark.parametrize("name", ATTACKS)
def test_a_forged_key_deceives_nobody(name: str) -> None:
    attack = ATTACKS[name]
    assert lies(attack.tool, attack.sent, attack.expected) == {}


@pytest.mark.requirement("forged-views")
@pytest.mark.parametrize(
    ("declared", "sent", "key", "meant"),
    [
        (Aliased, NAME, "max_amount", "maxAmount"),
        (Aliased, BOTH, "max_amount", "maxAmount"),
        (OpenByName, NAME, "max_amount", "maxAmount"),
        (OpenByName, BOTH, "max_amount", "maxAmount"),
        (Choices, {"ceiling": LOOT}, "ceiling", "maxAmount"),
        (ByPath, {"limits": {"max": LOOT}}, "limits", "maxAmount"),
        (Written, {"sum": LOOT}, "sum", "amount"),
    ],
)
def test_another_name_of_a_field_is_refused_in_the_words_of_the_contract(
    declared: Any, sent: Any, key: str, meant: str
) -> None:
    outcome = shows(declared).call_sync(sent)
    assert isinstance(outcome, Err)
    assert [(one.path, one.code) for one in outcome.issues] == [((key,), "extra")]
    assert f"{key}: unknown (did you mean {meant}?)" in outcome.text
