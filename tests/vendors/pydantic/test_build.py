"""Notes of other libraries in an annotation are read as pydantic's own."""

from __future__ import annotations

import sys
import typing
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Generic, Literal, TypeVar

import msgspec
import pytest
import typing_extensions
from annotated_types import Timezone
from pydantic import BaseModel, Field

from toolhaft.definition.markers import Doc
from toolhaft.schema.format_patterns import LOCAL
from toolhaft.schema.marks import without_marks
from toolhaft.spec import Failure, Success
from toolhaft.vendors.adapter import NoVendor
from toolhaft.vendors.pydantic import adapter as pydantic
from toolhaft.vendors.pydantic.build import translate_annotation

Meta = msgspec.Meta
T = TypeVar("T")


def emitted(tp: Any) -> dict[str, Any]:
    made: dict[str, Any] = without_marks(pydantic.adapter(tp).emit("input"))
    return made


@pytest.mark.requirement("pain-44")
@pytest.mark.parametrize(
    ("tp", "schema"),
    [
        (Annotated[int, Doc("d")], {"type": "integer", "description": "d"}),
        (Annotated[int, typing_extensions.Doc("d")], {"type": "integer", "description": "d"}),
        (
            Annotated[int, Doc("doc"), Field(description="field", ge=1)],
            {"type": "integer", "minimum": 1, "description": "field"},
        ),
        (
            Annotated[int, Field(description="field"), Doc("doc")],
            {"type": "integer", "description": "field"},
        ),
        (
            list[Annotated[str, Doc("d")]],
            {"type": "array", "items": {"type": "string", "description": "d"}},
        ),
        (
            typing.Optional[Annotated[int, Doc("d")]],  # noqa: UP045 - the older way to write it
            {"anyOf": [{"type": "integer", "description": "d"}, {"type": "null"}]},
        ),
        (
            int | list[Annotated[str, Doc("d")]],
            {
                "anyOf": [
                    {"type": "integer"},
                    {"type": "array", "items": {"type": "string", "description": "d"}},
                ]
            },
        ),
        (
            dict[str, Annotated[int, Doc("d")] | None],
            {
                "type": "object",
                "additionalProperties": {
                    "anyOf": [{"type": "integer", "description": "d"}, {"type": "null"}]
                },
            },
        ),
        (
            typing.List[Annotated[Literal["a", "b"], Doc("d")]],  # noqa: UP006
            {"type": "array", "items": {"enum": ["a", "b"], "type": "string", "description": "d"}},
        ),
    ],
)
def test_a_doc_is_the_description_of_a_field_without_one(tp: Any, schema: Any) -> None:
    assert emitted(tp) == schema


@pytest.mark.requirement("vendor-meta-in-annotations")
@pytest.mark.parametrize(
    ("tp", "schema", "good", "bad"),
    [
        (Annotated[int, Meta(ge=1)], {"type": "integer", "minimum": 1}, 1, 0),
        (Annotated[int, Meta(gt=1)], {"type": "integer", "exclusiveMinimum": 1}, 2, 1),
        (Annotated[int, Meta(le=5)], {"type": "integer", "maximum": 5}, 5, 6),
        (Annotated[int, Meta(lt=5)], {"type": "integer", "exclusiveMaximum": 5}, 4, 5),
        (Annotated[int, Meta(multiple_of=5)], {"type": "integer", "multipleOf": 5}, 5, 6),
        (Annotated[str, Meta(pattern="^a")], {"type": "string", "pattern": "^a"}, "a", "b"),
        (
            Annotated[list[int], Meta(min_length=1, max_length=2)],
            {"type": "array", "items": {"type": "integer"}, "minItems": 1, "maxItems": 2},
            [1],
            [],
        ),
        (
            Annotated[datetime, Timezone(...)],
            {"type": "string", "format": "date-time"},
            "2024-01-01T00:00:00Z",
            "2024-01-01T00:00:00",
        ),
        (
            Annotated[datetime, Timezone(None)],
            {"type": "string", "pattern": LOCAL},
            "2024-01-01T00:00:00",
            "2024-01-01T00:00:00Z",
        ),
        (
            Annotated[datetime, Meta(tz=True)],
            {"type": "string", "format": "date-time"},
            "2024-01-01T00:00:00Z",
            "2024-01-01T00:00:00",
        ),
        (
            Annotated[datetime, Meta(tz=False)],
            {"type": "string", "pattern": LOCAL},
            "2024-01-01T00:00:00",
            "2024-01-01T00:00:00Z",
        ),
        (
            Annotated[
                str,
                Meta(title="T", description="d", examples=["a"], extra_json_schema={"x-a": 1}),
            ],
            {"type": "string", "title": "T", "description": "d", "examples": ["a"], "x-a": 1},
            "a",
            1,
        ),
    ],
)  # fmt: skip
def test_a_msgspec_meta_constrains_and_describes(tp: Any, schema: Any, good: Any, bad: Any) -> None:
    adapter = pydantic.adapter(tp)
    assert without_marks(adapter.emit("input")) == schema
    assert isinstance(adapter.validate(good), Success)
    assert isinstance(adapter.validate(bad), Failure)


def test_an_annotation_without_foreign_notes_is_left_as_it_is() -> None:
    for tp in (int, list[int], Annotated[int, Field(ge=1)], Literal["a"], int | None):
        assert translate_annotation(tp) is tp


def test_a_callable_is_left_to_be_refused() -> None:
    tp = Annotated[Callable[[int], int], Doc("d")]
    with pytest.raises(NoVendor, match="CallableSchema"):
        emitted(tp)


def test_a_constraint_that_pydantic_would_ignore_is_refused() -> None:
    class Model(BaseModel):
        n: Annotated[int, Meta(ge=1)]

    class Keys(typing_extensions.TypedDict):
        n: Annotated[int, Meta(ge=1)]

    class Pair(typing.NamedTuple):
        n: Annotated[int, Meta(ge=1)]

    @dataclass
    class Plain:
        n: Annotated[int, Meta(ge=1)]

    class Outer(BaseModel, Generic[T]):
        inner: T

    for tp in (Model, Pair, Outer[Keys], Outer[Plain], Outer[list[Pair]]):
        with pytest.raises(NoVendor, match=r"msgspec\.Meta on n, which pydantic ignores"):
            pydantic.adapter(tp).emit("input")


def test_a_timezone_that_pydantic_would_ignore_is_refused() -> None:
    class Model(BaseModel):
        at: Annotated[datetime, Timezone(...)]

    with pytest.raises(NoVendor, match=r"annotated_types\.Timezone on at, which pydantic ignores"):
        pydantic.adapter(Model).emit("input")
    with pytest.raises(NoVendor, match="only any time zone or none is supported"):
        pydantic.adapter(Annotated[datetime, Timezone("UTC")])


class Inner(typing.TypedDict):
    """An inner one."""

    z: Annotated[int, Field(ge=1)]


class Outer(typing.TypedDict, total=False):
    """An outer one."""

    a: typing.Required[Annotated[int, Doc("the a")]]
    b: list[Inner]


class Endless(typing.TypedDict):
    more: "Endless"  # noqa: UP037


def test_a_typed_dict_of_typing_is_one_of_typing_extensions() -> None:
    adapter = pydantic.adapter(Outer)
    assert without_marks(adapter.emit("input")) == {
        "type": "object",
        "properties": {
            "a": {"type": "integer", "description": "the a"},
            "b": {"type": "array", "items": {"$ref": "#/$defs/Inner"}},
        },
        "required": ["a"],
        "description": "An outer one.",
        "$defs": {
            "Inner": {
                "type": "object",
                "properties": {"z": {"type": "integer", "minimum": 1}},
                "required": ["z"],
                "description": "An inner one.",
            }
        },
    }
    assert adapter.construct({"a": 1, "b": [{"z": 1}]}) == {"a": 1, "b": [{"z": 1}]}


def test_a_union_of_a_typed_dict_keeps_its_order_in_any_process() -> None:
    assert typing.NotRequired[list[Any] | bool] is not None

    class Either(typing.TypedDict, total=False):
        either: bool | list[Any]

    either = emitted(Either)["properties"]["either"]
    assert either["anyOf"] == [{"type": "boolean"}, {"type": "array", "items": {}}]


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="pydantic reads one of typing there")
def test_a_typed_dict_of_typing_that_holds_itself_is_refused_with_the_remedy() -> None:
    with pytest.raises(NoVendor, match=r"typing_extensions\.TypedDict"):
        pydantic.adapter(Endless)
