"""The tag of a discriminated union is required, whatever its default: pydantic insists on it."""

from __future__ import annotations

import dataclasses
from enum import StrEnum
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Discriminator, Field, Tag
from pydantic.dataclasses import dataclass as pydantic_dataclass
from typing_extensions import TypedDict

from toolhaft import Err, Ok, Toolset, tool
from toolhaft.definition.targets import TARGETS
from toolhaft.schema.checker import Checker
from toolhaft.testing import agreement


class Dog(BaseModel):
    kind: Literal["dog"] = "dog"
    bark: bool = True


class Cat(BaseModel):
    kind: Literal["cat", "kitten"] = "cat"
    lives: int = 9


Pet = Annotated[Dog | Cat, Field(discriminator="kind")]


class Everywhere(BaseModel):
    pet: Pet
    pets: list[Pet] = []
    named: dict[str, Pet] = {}
    pair: tuple[Pet, Pet] | None = None


class Alone(BaseModel):
    pet: Pet
    dog: Dog


class Add(BaseModel):
    op: Literal["add"] = "add"
    left: Expression
    right: Expression


class Number(BaseModel):
    op: Literal["number"] = "number"
    value: int


Expression = Annotated[Add | Number, Field(discriminator="op")]


class Chain(BaseModel):
    """Its own tag is required below, and not at the root."""

    op: Literal["chain"] = "chain"
    next: Annotated[Chain | Number, Field(discriminator="op")] | None = None


class Color(StrEnum):
    RED = "red"
    BLUE = "blue"


class Red(BaseModel):
    color: Literal[Color.RED] = Field(default=Color.RED, alias="colour")


class Blue(BaseModel):
    color: Literal[Color.BLUE] = Field(default=Color.BLUE, alias="colour")


@pydantic_dataclass
class Left:
    side: Literal["left"] = "left"


@dataclasses.dataclass
class Right:
    side: Literal["right"] = "right"


class Home(TypedDict):
    place: Literal["home"]


class Debit(BaseModel):
    kind: Literal["card"] = "card"
    way: Literal["debit"] = "debit"


class Credit(BaseModel):
    kind: Literal["card"] = "card"
    way: Literal["credit"] = "credit"


class Cash(BaseModel):
    kind: Literal["cash"] = "cash"


Card = Annotated[Debit | Credit, Field(discriminator="way")]
TAGGED: list[tuple[Any, dict[str, Any]]] = [
    (Pet, {"bark": True}),
    (Everywhere, {"pet": {"lives": 2}}),
    (Everywhere, {"pet": {"kind": "dog"}, "pets": [{"bark": True}]}),
    (Everywhere, {"pet": {"kind": "dog"}, "named": {"a": {"bark": True}}}),
    (Everywhere, {"pet": {"kind": "dog"}, "pair": [{"kind": "cat"}, {"lives": 2}]}),
    (Alone, {"pet": {"bark": True}, "dog": {"bark": True}}),
    (Expression, {"value": 1}),
    (Expression, {"op": "add", "left": {"value": 1}, "right": {"op": "number", "value": 1}}),
    (Chain, {"next": {"next": None}}),
    (Annotated[Red | Blue, Field(discriminator="color")], {}),
    (Annotated[Left | Right, Field(discriminator="side")], {}),
    (Annotated[Card | Cash, Field(discriminator="kind")], {"way": "debit"}),
    (Annotated[Card | Cash, Field(discriminator="kind")], {"kind": "card"}),
]
ONE = {"op": "number", "value": 1}
WHOLE: list[tuple[Any, Any]] = [
    (Pet, {"kind": "dog"}),
    (Everywhere, {"pet": {"kind": "kitten"}, "pair": [{"kind": "cat"}, {"kind": "dog"}]}),
    (Alone, {"pet": {"kind": "dog"}, "dog": {}}),
    (Expression, {"op": "add", "left": ONE, "right": ONE}),
    (Chain, {"next": {"op": "chain", "next": {"op": "number", "value": 1}}}),
    (Annotated[Red | Blue, Field(discriminator="color")], {"colour": "blue"}),
    (Annotated[Left | Right, Field(discriminator="side")], {"side": "right"}),
    (Annotated[Card | Cash, Field(discriminator="kind")], {"kind": "card", "way": "debit"}),
]


def taking(tp: Any) -> Any:
    def run(value: Any) -> str:
        return repr(value)

    run.__annotations__["value"] = tp
    return tool(run, name="run", description="Run.")


@pytest.mark.requirement("vendor-tags-are-required")
@pytest.mark.parametrize(("tp", "value"), TAGGED)
def test_a_tag_with_a_default_is_required(tp: Any, value: Any) -> None:
    tagged = taking(tp)
    assert not Checker(tagged.input_schema.json_schema()).is_valid({"value": value})
    assert isinstance(tagged.call_sync({"value": value}), Err)


@pytest.mark.requirement("vendor-tags-are-required")
@pytest.mark.parametrize(("tp", "value"), WHOLE)
def test_data_with_their_tags_are_valid_and_run(tp: Any, value: Any) -> None:
    tagged = taking(tp)
    assert Checker(tagged.input_schema.json_schema()).is_valid({"value": value})
    assert isinstance(tagged.call_sync({"value": value}), Ok)


@pytest.mark.unmeasured
@pytest.mark.requirement("vendor-tags-are-required")
@pytest.mark.parametrize("tp", list(dict.fromkeys(tp for tp, _ in TAGGED)))
def test_a_type_with_tags_agrees_with_its_schema(tp: Any) -> None:
    found = agreement(taking(tp), values=20, seed=1)
    assert found.disagreements == ()


@pytest.mark.requirement("vendor-tags-are-required")
@pytest.mark.parametrize("strict", [False, "prefer"])
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(("tp", "value"), WHOLE)
def test_every_target_shows_the_tag_as_required(
    tp: Any, value: Any, target: Any, strict: Any
) -> None:
    wire = Toolset([taking(tp)]).export(target, strict=strict)
    [planned] = wire.planned
    lens = planned.lowered.lens
    sent = lens.put({"value": value})
    assert lens.get(sent) == {"value": value}
    if tp not in (Alone, Chain):
        assert all(tag in node["required"] for tag, node in objects_with_tags(planned.schema))


def objects_with_tags(schema: Any) -> list[tuple[str, Any]]:
    """The objects of a schema that have a tag."""
    parts = [schema]
    for part in parts:
        parts += part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
    objects = [part for part in parts if isinstance(part, dict) and "properties" in part]
    tags = ("kind", "op", "colour", "side", "way")
    found = [(tag, node) for tag in tags for node in objects if tag in node["properties"]]
    assert found
    return found


@pytest.mark.requirement("vendor-tags-are-required")
def test_the_schema_requires_the_tag_in_the_branch_itself() -> None:
    schema = taking(Pet).input_schema.json_schema()["properties"]["value"]
    assert [branch["required"] for branch in schema["oneOf"]] == [["kind"], ["kind"]]
    expression = taking(Expression).input_schema.json_schema()
    assert expression["$defs"]["Add"]["required"] == ["op", "left", "right"]


@pytest.mark.requirement("vendor-tags-are-required")
def test_a_class_outside_a_union_needs_no_tag() -> None:
    schema = taking(Alone).input_schema.json_schema()["properties"]["value"]["properties"]
    assert "required" not in schema["dog"]
    assert [branch["required"] for branch in schema["pet"]["oneOf"]] == [["kind"], ["kind"]]


@pytest.mark.requirement("vendor-tags-are-required")
def test_a_function_that_finds_the_tag_requires_no_key() -> None:
    def kind_of(data: Any) -> str:
        return "cat" if "lives" in data else "dog"

    tp = Annotated[Annotated[Dog, Tag("dog")] | Annotated[Cat, Tag("cat")], Discriminator(kind_of)]
    assert isinstance(taking(tp).call_sync({"value": {"bark": True}}), Ok)


@pytest.mark.requirement("vendor-tags-are-required")
def test_a_derived_tool_requires_the_tag_that_it_shows() -> None:
    derived = taking(Everywhere).transform(rename={"value.pet.kind": "species"})
    schema = derived.input_schema.json_schema()["properties"]["value"]["properties"]
    assert [branch["required"] for branch in schema["pet"]["oneOf"]] == [["species"]] * 2
    assert [branch["required"] for branch in schema["pets"]["items"]["oneOf"]] == [["kind"]] * 2
    assert isinstance(derived.call_sync({"value": {"pet": {"bark": True}}}), Err)
    assert isinstance(derived.call_sync({"value": {"pet": {"species": "dog"}}}), Ok)


@pytest.mark.requirement("vendor-tags-are-required")
def test_the_schema_of_a_result_is_as_before() -> None:
    @tool
    def find() -> Pet:
        "Find a pet."
        return Dog()

    output = find.output_schema
    assert output is not None
    assert "required" not in str(output.json_schema(mode="output"))
    assert isinstance(find.call_sync({}), Ok)
