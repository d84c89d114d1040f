"""The same tool of one argument `x` in every vendor; one more is another entry of `VENDORS`."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Callable, Mapping
from datetime import date, datetime, time
from decimal import Decimal
from types import MappingProxyType
from typing import Annotated, Any, Literal, NamedTuple, get_type_hints
from uuid import UUID

import attrs
import marshmallow
import msgspec
import pydantic
import voluptuous
from marshmallow import fields, validate
from typing_extensions import TypedDict

from toolhaft import tool, vendors
from toolhaft.tools.tool import AnyTool

__all__ = ["DIGITS", "VENDORS", "Color", "Level", "Vendor", "holder", "reading", "sent", "where"]


class Level(enum.IntEnum):
    LOW = 1


class Color(enum.Enum):
    RED = "red"


class Vendor(NamedTuple):
    """How a library makes a class of the one field, and how it writes a constraint.

    `lacks` has the reason for each topic that the library lacks.
    """

    made: Callable[[Any], Any]
    note: Callable[..., Any] | None = None
    lacks: Mapping[str, str] = MappingProxyType({})


def _model(tp: Any) -> Any:
    return pydantic.create_model("Holder", x=(tp, ...))


def _dataclass(tp: Any) -> Any:
    return dataclasses.make_dataclass("Holder", [("x", tp)])


def _typed_dict(tp: Any) -> Any:
    define: Any = TypedDict
    return define("Holder", {"x": tp})


def _named_tuple(tp: Any) -> Any:
    define: Any = NamedTuple
    return define("Holder", [("x", tp)])


def _struct(tp: Any) -> Any:
    return msgspec.defstruct("Holder", [("x", tp)])


def _attrs(tp: Any) -> Any:
    return attrs.make_class("Holder", {"x": attrs.field(type=tp)})


def _json_schema(tp: Any) -> Any:
    node = vendors.adapt(tp).json_schema()
    return {"type": "object", "properties": {"x": node}, "required": ["x"]}


def _marshmallow(tp: Any) -> Any:
    return marshmallow.Schema.from_dict({"x": LOADED[tp]()})


def _voluptuous(tp: Any) -> Any:
    return voluptuous.Schema({voluptuous.Required("x"): READ[tp]})


DIGITS = r"^\d{5}$"
Words = dict[str, list[int | None]]
# The two loaders' form of an annotation, or of an annotation with a constraint.
LOADED: dict[Any, Callable[[], Any]] = {
    int: lambda: fields.Integer(required=True),
    float: lambda: fields.Float(required=True),
    bool: lambda: fields.Boolean(required=True),
    str: lambda: fields.String(required=True),
    datetime: lambda: fields.DateTime(required=True),
    pydantic.AwareDatetime: lambda: fields.AwareDateTime(required=True),
    date: lambda: fields.Date(required=True),
    time: lambda: fields.Time(required=True),
    UUID: lambda: fields.UUID(required=True),
    Decimal: lambda: fields.Decimal(required=True),
    Level: lambda: fields.Enum(Level, by_value=True, required=True),
    Color: lambda: fields.Enum(Color, by_value=True, required=True),
    Literal[1]: lambda: fields.Integer(validate=validate.Equal(1), required=True),
    list[str]: lambda: fields.List(fields.String(), required=True),
    tuple[int, str]: lambda: fields.Tuple((fields.Integer(), fields.String()), required=True),
    (str, DIGITS): lambda: fields.String(validate=validate.Regexp(DIGITS), required=True),
    Words: lambda: fields.Dict(
        fields.String(), fields.List(fields.Integer(allow_none=True)), required=True
    ),
}
READ: dict[Any, Any] = {
    int: int,
    float: float,
    bool: bool,
    str: str,
    date: voluptuous.Date(),
    list[str]: [str],
    set[int]: voluptuous.All([int], voluptuous.Unique()),
    Level: voluptuous.Coerce(Level),
    Color: voluptuous.Coerce(Color),
    Literal[1]: 1,
    (str, DIGITS): voluptuous.All(str, voluptuous.Match(DIGITS)),
    Words: {voluptuous.Optional(str): [voluptuous.Any(int, None)]},
}
FIELD: Any = pydantic.Field
NO_FORMATS = {"D6": "a JSON Schema asserts no format"}
VENDORS: dict[str, Vendor] = {
    "pydantic": Vendor(_model, FIELD),
    "pydantic dataclass": Vendor(lambda tp: pydantic.dataclasses.dataclass(_dataclass(tp)), FIELD),
    "dataclass": Vendor(_dataclass, FIELD),
    "typed dict": Vendor(_typed_dict, FIELD),
    "named tuple": Vendor(_named_tuple, FIELD),
    "signature": Vendor(_typed_dict, FIELD),
    "mixed signature": Vendor(_typed_dict, msgspec.Meta),
    "attrs": Vendor(_attrs, FIELD),
    "msgspec": Vendor(_struct, msgspec.Meta, {"D6 aware": "its Meta says that a zone is needed"}),
    "json-schema": Vendor(_json_schema, FIELD, NO_FORMATS),
    "marshmallow": Vendor(_marshmallow, lacks={"D7": "its Decimal is a number in JSON"}),
    "voluptuous": Vendor(_voluptuous),
}


class Beside(msgspec.Struct):
    """Another vendor's parameter, in the mixed signature."""

    n: int = 1


def holder(name: str, tp: Any, **notes: Any) -> Any:
    """The vendor's class with one field `x`; `notes` constrain it in the vendor's own words."""
    vendor = VENDORS[name]
    if not notes:
        return vendor.made(tp)
    if vendor.note is None:
        return vendor.made((tp, *notes.values()))
    return vendor.made(Annotated[tp, vendor.note(**notes)])


def x_of(given: Any) -> Any:
    return given["x"] if isinstance(given, dict) else given.x


def where(name: str, *path: str | int) -> tuple[str | int, ...]:
    """The path of a value at a place of `x`."""
    return ("value", 0, *path) if name == "named tuple" else ("x", *path)


def reading(name: str, tp: Any, coerce: Any = "none", **notes: Any) -> AnyTool:
    """A tool that takes the class and returns its field, without any repair before it."""
    options: Any = {"name": "t", "description": "d", "output": None, "coerce": coerce}
    if not name.endswith("signature"):
        made: AnyTool = tool(x_of, input=holder(name, tp, **notes), **options)
        return made

    def handler(x: Any, beside: Any = None) -> Any:
        return x

    hint = get_type_hints(holder(name, tp, **notes), include_extras=True)["x"]
    beside = Beside if name == "mixed signature" else int
    handler.__annotations__ = {"x": hint, "beside": beside}
    return tool(handler, **options)


def sent(name: str, value: Any) -> Any:
    """The arguments that give `x` a value: a named tuple is an array."""
    return {"value": [value]} if name == "named tuple" else {"x": value}
