"""Types of every library, with rows and with themselves in them, with and without factories."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from datetime import date, timedelta
from types import GenericAlias
from typing import Annotated, Any

import attrs
import marshmallow
import msgspec
import voluptuous
from pydantic import AfterValidator, BaseModel, Field
from typing_extensions import TypedDict

__all__ = ["EVERY", "Branch", "Limb", "Tree", "one", "reordered"]


def one() -> int:
    return 1


def upper(value: str) -> str:
    return value.upper()


def reordered(value: list[Any]) -> list[Any]:
    return value[::-1]


def model(*, makes: bool, changes: bool) -> Any:
    class Row(BaseModel):
        day: date
        note: Annotated[str, AfterValidator(upper)] if changes else str = "none"  # type: ignore[valid-type]
        id: int = Field(default_factory=one) if makes else 1

    class Rows(BaseModel):
        rows: Annotated[list[Row], AfterValidator(reordered)] if changes else list[Row]  # type: ignore[valid-type]

    return Rows


def struct(*, makes: bool, changes: bool) -> Any:
    class Row(msgspec.Struct):
        day: date
        note: str = "none"
        id: int = msgspec.field(default_factory=one) if makes else 1

        def __post_init__(self) -> None:
            self.note = upper(self.note) if changes else self.note

    return msgspec.defstruct("Rows", [("rows", list[Row])])


def attrs_class(*, makes: bool, changes: bool) -> Any:
    converter: Any = upper if changes else None

    @attrs.define
    class Row:
        day: date
        note: str = attrs.field(default="none", converter=converter)  # type: ignore[misc]
        id: int = attrs.field(factory=one) if makes else 1

    return attrs.make_class("Rows", {"rows": attrs.field(type=list[Row])})


def dataclass(*, makes: bool, changes: bool) -> Any:
    text: Any = Annotated[str, AfterValidator(upper)] if changes else str
    id_field: Any = dataclasses.field(default_factory=one if makes else int)
    row = dataclasses.make_dataclass(
        "Row", [("day", date), ("note", text, "none"), ("id", int, id_field)]
    )
    return dataclasses.make_dataclass("Rows", [("rows", list[row])])  # type: ignore[valid-type]


def typed_dict(*, makes: bool, changes: bool) -> Any:
    text: Any = Annotated[str, AfterValidator(upper)] if changes else str
    number: Any = Annotated[int, Field(default_factory=one) if makes else Field(1)]
    keys = {"day": date, "note": Annotated[text, Field("none")], "id": number}
    make: Any = TypedDict
    row: Any = make("Row", keys)
    return make("Rows", {"rows": GenericAlias(list, (row,))})


def schema(*, makes: bool, changes: bool) -> Any:
    def post_load(self: Any, data: Any, **_: Any) -> Any:
        return {**data, "note": upper(data["note"])} if changes else data

    fields = {
        "day": marshmallow.fields.Date(required=True),
        "note": marshmallow.fields.String(load_default="none"),
        "id": marshmallow.fields.Integer(load_default=one if makes else 1),
        "post_load": marshmallow.post_load(post_load),
    }
    row = type("Row", (marshmallow.Schema,), fields)
    rows = marshmallow.fields.List(marshmallow.fields.Nested(row), required=True)
    return type("Rows", (marshmallow.Schema,), {"rows": rows})


def loader(*, makes: bool, changes: bool) -> Any:
    del changes  # a function of an author's is not in its schema
    row = {
        voluptuous.Required("day"): str,
        voluptuous.Optional("note", default="none"): str,
        voluptuous.Optional("id", default=one if makes else 1): int,
    }
    return voluptuous.Schema({voluptuous.Required("rows"): [row]})


EVERY: list[Callable[..., Any]] = [
    model, struct, attrs_class, dataclass, typed_dict, schema, loader,
]  # fmt: skip


class Tree(BaseModel):
    inner: list[Tree] = []
    spans: dict[int, timedelta] = {}
    id: int = Field(default_factory=one)


class Branch(msgspec.Struct):
    inner: list[Branch] = []
    spans: dict[int, timedelta] = {}
    id: int = msgspec.field(default_factory=one)


@attrs.define
class Limb:
    inner: list[Limb] = attrs.field(factory=list)
    spans: dict[int, timedelta] = attrs.field(factory=dict)
    id: int = attrs.field(factory=one)
