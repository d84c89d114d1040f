"""Names that no view could tell apart are refused where the tool is defined."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, IntEnum, StrEnum
from typing import Annotated, Any, Final, Literal

import attrs
import pytest
from marshmallow import Schema, fields
from pydantic import AliasChoices, AliasPath, BaseModel, ConfigDict, Field, RootModel
from pydantic.dataclasses import dataclass as pydantic_dataclass
from typing_extensions import TypedDict

from toolhaft import DefinitionError, Toolset, tool


class SameAlias(BaseModel):
    one: int = Field(0, alias="amount")
    other: int = Field(0, alias="amount")


class AliasOfAName(BaseModel):
    amount: int = 0
    fee: int = Field(0, alias="amount")


class SameByGenerator(BaseModel):
    model_config = ConfigDict(alias_generator=lambda name: name.strip("_0123456789"))

    amount_1: int = 0
    amount_2: int = 0


class SameValidationAlias(BaseModel):
    one: int = Field(0, validation_alias="amount")
    other: int = Field(0, validation_alias=AliasChoices("amount", "sum"))


class FurtherAliasIsAKey(BaseModel):
    amount: int = Field(0, validation_alias=AliasChoices("sum", "fee"))
    fee: int = 0


class FurtherAliasIsAnAlias(BaseModel):
    amount: int = Field(0, validation_alias=AliasChoices("sum", "total"))
    fee: int = Field(0, alias="total")


class OnlyAPath(BaseModel):
    amount: int = Field(0, validation_alias=AliasPath("limits", "amount"))


class OnlyAPathIntoAList(BaseModel):
    amount: int = Field(0, validation_alias=AliasPath("limits", 0))


class OnlyPaths(BaseModel):
    amount: int = Field(
        0, validation_alias=AliasChoices(AliasPath("limits", "amount"), AliasPath("limits", 0))
    )


class NotByAlias(BaseModel):
    model_config = ConfigDict(validate_by_alias=False, validate_by_name=True)

    max_amount: int = Field(0, alias="maxAmount")


class Color(Enum):
    RED = "red"
    BLUE = "blue"


class Thing(Enum):
    ONE = 1.5


class LiteralOfMembers(BaseModel):
    color: Literal[Color.RED] = Color.RED


class LiteralOfOtherMembers(BaseModel):
    thing: Literal[Thing.ONE] = Thing.ONE


class Nested(BaseModel):
    inner: SameAlias | None = None


class InAList(BaseModel):
    inner: list[OnlyAPath] = []


class InAMap(BaseModel):
    inner: dict[str, NotByAlias] = {}


class InAUnion(BaseModel):
    inner: FurtherAliasIsAKey | int = 0


class InARoot(RootModel[list[AliasOfAName]]):
    pass


@pydantic_dataclass
class SameOfADataclass:
    one: int = Field(0, alias="amount")
    other: int = Field(0, alias="amount")


@dataclass
class SameOfAPlainOne:
    one: Annotated[int, Field(alias="amount")] = 0
    other: Annotated[int, Field(alias="amount")] = 0


class SameOfADict(TypedDict):
    one: Annotated[int, Field(alias="amount")]
    other: Annotated[int, Field(alias="amount")]


class PathOfADict(TypedDict):
    amount: Annotated[int, Field(validation_alias=AliasPath("limits", 0))]


class SameOfMarshmallow(Schema):
    one = fields.Integer(strict=True, data_key="amount")
    other = fields.Integer(strict=True, data_key="amount")


@attrs.define
class HoldsAModel:
    inner: SameAlias


REFUSED: Final[dict[str, Any]] = {
    "two fields of one alias": SameAlias,
    "an alias that is another field's name": AliasOfAName,
    "two fields of one generated alias": SameByGenerator,
    "two fields of one validation alias": SameValidationAlias,
    "a further alias that is another field's key": FurtherAliasIsAKey,
    "a further alias that is another field's alias": FurtherAliasIsAnAlias,
    "only a path": OnlyAPath,
    "only a path into a list": OnlyAPathIntoAList,
    "only paths": OnlyPaths,
    "validate_by_alias=False": NotByAlias,
    "a literal of members": LiteralOfMembers,
    "a literal of members that are no text": LiteralOfOtherMembers,
    "within a model": Nested,
    "within a list": InAList,
    "within a map": InAMap,
    "within a union": InAUnion,
    "within a root model": InARoot,
    "within an attrs class": HoldsAModel,
    "a pydantic dataclass": SameOfADataclass,
    "a dataclass": SameOfAPlainOne,
    "a TypedDict": SameOfADict,
    "a path of a TypedDict": PathOfADict,
    "marshmallow: one data_key": SameOfMarshmallow,
}


def take(value: Any) -> Any:
    """Take it."""
    return value


def of_literal(color: Literal[Color.RED] = Color.RED) -> Any:
    """Take a color."""
    return color


def of_alias(amount: Annotated[int, Field(alias="sum")] = 0) -> Any:
    """Take an amount."""
    return amount


def of_model(order: SameAlias, amount: int = 0) -> Any:
    """Take an order."""
    return order


SIGNATURES: Final[dict[str, Callable[..., Any]]] = {
    "a literal of members": of_literal,
    "an alias of a parameter": of_alias,
    "a model with two fields of one alias": of_model,
}


@pytest.mark.requirement("forged-views")
@pytest.mark.parametrize("name", REFUSED)
def test_names_that_cannot_be_told_apart_are_a_fault_of_the_definition(name: str) -> None:
    one: Any = tool(take, name="move", input=REFUSED[name], output=None)
    with pytest.raises(DefinitionError, match="move"):
        Toolset([one])


@pytest.mark.requirement("forged-views")
@pytest.mark.parametrize("name", SIGNATURES)
def test_they_are_a_fault_in_a_signature_too(name: str) -> None:
    with pytest.raises(DefinitionError, match="move"):
        Toolset([tool(SIGNATURES[name], name="move", output=None)])


@pytest.mark.requirement("forged-views")
def test_they_are_a_fault_of_the_first_call_without_a_set() -> None:
    with pytest.raises(DefinitionError, match="move"):
        tool(take, name="move", input=SameAlias, output=None).call_sync({"amount": 1})


class Word(StrEnum):
    RED = "red"


class Text(str, Enum):  # noqa: UP042  the older form is tried
    RED = "red"


class Number(IntEnum):
    ONE = 1


class Told(BaseModel):
    """Names and members that every view tells apart."""

    word: Literal[Word.RED] = Word.RED
    text: Literal[Text.RED] = Text.RED
    number: Literal[Number.ONE] = Number.ONE
    color: Color = Color.RED
    max_amount: int = Field(0, alias="maxAmount")
    sum: int = Field(0, validation_alias=AliasChoices("total", AliasPath("limits", 0)))


@pytest.mark.requirement("forged-views")
def test_names_that_can_be_told_apart_are_no_fault() -> None:
    [one] = Toolset([tool(take, name="move", input=Told, output=None)])
    assert sorted(one.input_schema.json_schema()["properties"]) == [
        "color",
        "maxAmount",
        "number",
        "text",
        "total",
        "word",
    ]


@pytest.mark.requirement("forged-views")
def test_an_output_may_have_names_that_an_input_may_not() -> None:
    def paint() -> LiteralOfMembers:
        """Paint."""
        return LiteralOfMembers()

    [one] = Toolset([tool(paint)])
    assert one.call_sync().text == '{"color":"red"}'


LOOKALIKES: Final = {
    "case": ("pay", "Pay"),
    "full width": ("pay", "\uff50ay"),
}


@pytest.mark.requirement("forged-views")
@pytest.mark.parametrize("name", LOOKALIKES)
def test_two_tools_whose_names_look_the_same_are_no_set(name: str) -> None:
    with pytest.raises(DefinitionError):
        Toolset([tool(take, name=one, input=Told, output=None) for one in LOOKALIKES[name]])
