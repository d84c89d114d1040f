"""A schema that says no more than what is read need not be asked about what was read."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired

import pytest
from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema, create_model
from typing_extensions import TypedDict

from toolhaft.vendors.pydantic import adapter
from toolhaft.vendors.said import says_no_more


class Keys(TypedDict):
    x: int


class Optional(TypedDict):
    x: NotRequired[int]


class Inner(BaseModel):
    x: int


def holding(tp: Any) -> Any:
    """A model of one field."""
    return create_model("Holding", x=(tp, ...))


def emitting(**said: Any) -> Any:
    """A model of one field, whose schema says these as well."""
    config = ConfigDict(json_schema_extra=said)
    return create_model("Emitting", __config__=config, x=(int, ...))


SAID: list[Any] = [
    *map(holding, (str, int, float, bool, None, Any, Literal["a", "b"], Literal["a"])),
    *map(holding, (int | None, list[int], dict[str, float], list[list[str]], Inner, Keys)),
    holding(Annotated[int, Field(ge=1, lt=5, description="Few.")]),
    holding(Annotated[float, Field(gt=0.5, le=5)]),
    holding(Annotated[str, Field(min_length=1, max_length=5)]),
    holding(Annotated[list[str], Field(min_length=1)]),
    emitting(title="Title", examples=[{"x": 1}]),
    list[Inner],
    Keys,
]
MORE: list[Any] = [
    *map(holding, (Annotated[str, Field(pattern="^a$")], Annotated[str, Field(pattern=r"^\d$")])),
    *map(holding, (Literal[1], Literal["a", 1], int | str, tuple[int], set[int])),
    holding(Annotated[int, Field(json_schema_extra={"maximum": 5})]),
    holding(Annotated[int, Field(ge=1, json_schema_extra={"minimum": 2})]),
    holding(Annotated[int, WithJsonSchema({"type": "string"})]),
    holding(Annotated[Literal["a"], Field(json_schema_extra={"const": "b"})]),
    holding(Annotated[Literal["a"], Field(json_schema_extra={"minLength": 2})]),
    holding(Annotated[int | None, Field(json_schema_extra={"maximum": 5})]),
    holding(Annotated[int, Field(multiple_of=2)]),
    holding(Annotated[list[int], Field(json_schema_extra={"uniqueItems": True})]),
    holding(Annotated[dict[str, int], Field(json_schema_extra={"propertyNames": {}})]),
    holding(Annotated[list[int], Field(json_schema_extra={"items": {"maximum": 5}})]),
    emitting(required=["x", "y"]),
    emitting(properties={"x": {"type": "integer"}, "y": {}}),
    emitting(minProperties=2),
    emitting(type="array"),
    create_model("Defaults", x=(int, 1)),
    Optional,
]  # fmt: skip


@pytest.mark.parametrize("tp", SAID)
def test_a_schema_that_pydantic_wrote_says_no_more_than_it_checks(tp: Any) -> None:
    made = adapter(tp)
    assert says_no_more(made.strict, made.checker("output").schema)


@pytest.mark.parametrize("tp", MORE)
def test_a_schema_that_may_say_more_is_asked(tp: Any) -> None:
    made = adapter(tp)
    assert not says_no_more(made.strict, made.checker("output").schema)


def test_a_schema_may_be_no_object() -> None:
    assert says_no_more({"type": "int"}, emitted=True)
    assert not says_no_more({"type": "int"}, emitted=False)
