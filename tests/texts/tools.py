"""Twelve tools, each as every vendor says it, and the reason where a vendor cannot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, Any, Literal

import attrs
import msgspec
from msgspec import Meta
from pydantic import BaseModel, ConfigDict, Field, model_validator

from toolhaft import tool
from toolhaft.tools.tool import AnyTool

__all__ = ["COUNTRIES", "INPUTS", "NO_WAY", "as_tool"]

COUNTRIES = [
    "Albania", "Algeria", "Angola", "Argentina", "Armenia", "Australia", "Austria", "Bolivia",
    "Botswana", "Brazil", "Canada", "Chile", "China", "Colombia", "Croatia", "Cuba", "Cyprus",
    "Denmark", "Ecuador", "Egypt", "Estonia", "Ethiopia", "Finland", "France", "Gabon", "Germany",
    "Ghana", "Greece", "Guatemala", "Haiti", "Honduras", "Hungary", "Iceland", "India", "Zambia",
    "Zimbabwe",
]  # fmt: skip
CODE = "^[A-Z]{3}$"


class Closed(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Struct(msgspec.Struct, forbid_unknown_fields=True):
    pass


# --------------------------------------------------------------------------- 1 weather: flat

WEATHER: dict[str, Any] = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "minLength": 2},
        "days": {"type": "integer", "minimum": 1, "maximum": 14},
        "units": {"enum": ["C", "F"]},
        "station": {"type": "string", "pattern": CODE},
        "hourly": {"type": "boolean"},
    },
    "required": ["city", "days"],
    "additionalProperties": False,
}


class WeatherModel(Closed):
    city: Annotated[str, Field(min_length=2)]
    days: Annotated[int, Field(ge=1, le=14)]
    units: Literal["C", "F"] = "C"
    station: Annotated[str, Field(pattern=CODE)] = "AAA"
    hourly: bool = False


class WeatherStruct(Struct):
    city: Annotated[str, Meta(min_length=2)]
    days: Annotated[int, Meta(ge=1, le=14)]
    units: Literal["C", "F"] = "C"
    station: Annotated[str, Meta(pattern=CODE)] = "AAA"
    hourly: bool = False


# --------------------------------------------------------------------------- 2 order: nested

ITEM: dict[str, Any] = {
    "type": "object",
    "properties": {"sku": {"type": "string"}, "quantity": {"type": "integer"}},
    "required": ["sku", "quantity"],
    "additionalProperties": False,
}
ORDER: dict[str, Any] = {
    "type": "object",
    "properties": {
        "items": {"type": "array", "items": ITEM},
        "address": {
            "type": "object",
            "properties": {"street": {"type": "string"}, "country": {"type": "string"}},
            "required": ["street", "country"],
            "additionalProperties": False,
        },
        "tags": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["items", "address"],
    "additionalProperties": False,
}


class ItemModel(Closed):
    sku: str
    quantity: int


class AddressModel(Closed):
    street: str
    country: str


class OrderModel(Closed):
    items: list[ItemModel]
    address: AddressModel
    tags: list[str] = []


class ItemStruct(Struct):
    sku: str
    quantity: int


class AddressStruct(Struct):
    street: str
    country: str


class OrderStruct(Struct):
    items: list[ItemStruct]
    address: AddressStruct
    tags: list[str] = []


@attrs.define
class ItemAttrs:
    sku: str
    quantity: int


@attrs.define
class AddressAttrs:
    street: str
    country: str


@attrs.define
class OrderAttrs:
    items: list[ItemAttrs]
    address: AddressAttrs
    tags: list[str] = attrs.field(factory=list)


@dataclass
class ItemData:
    sku: str
    quantity: int


@dataclass
class AddressData:
    street: str
    country: str


@dataclass
class OrderData:
    items: list[ItemData]
    address: AddressData
    tags: list[str] = field(default_factory=list)


# --------------------------------------------------------------------------- 3 stock: maps

STOCK: dict[str, Any] = {
    "type": "object",
    "properties": {
        "stock": {"type": "object", "additionalProperties": {"type": "integer"}},
        "prices": {
            "type": "object",
            "additionalProperties": {"type": "array", "items": {"type": "number"}},
        },
    },
    "required": ["stock"],
    "additionalProperties": False,
}


class StockModel(Closed):
    stock: dict[str, int]
    prices: dict[str, list[float]] = {}


class StockStruct(Struct):
    stock: dict[str, int]
    prices: dict[str, list[float]] = {}


@attrs.define
class StockAttrs:
    stock: dict[str, int]
    prices: dict[str, list[float]] = attrs.field(factory=dict)


@dataclass
class StockData:
    stock: dict[str, int]
    prices: dict[str, list[float]] = field(default_factory=dict)


# --------------------------------------------------------------------------- 4 shape: a tag


def _shape(kind: str, **keys: str) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {
            "kind": {"const": kind},
            **{name: {"type": type_name} for name, type_name in keys.items()},
        },
        "required": ["kind", *keys],
        "additionalProperties": False,
    }


SHAPE: dict[str, Any] = {
    "type": "object",
    "properties": {
        "shape": {
            "anyOf": [
                _shape("circle", radius="number"),
                _shape("square", side="number"),
                _shape("text", words="string", size="integer"),
            ]
        }
    },
    "required": ["shape"],
    "additionalProperties": False,
}


class Circle(Closed):
    kind: Literal["circle"]
    radius: float


class Square(Closed):
    kind: Literal["square"]
    side: float


class Text(Closed):
    kind: Literal["text"]
    words: str
    size: int


class ShapeModel(Closed):
    shape: Annotated[Circle | Square | Text, Field(discriminator="kind")]


class CircleStruct(Struct, tag_field="kind", tag="circle"):
    radius: float


class SquareStruct(Struct, tag_field="kind", tag="square"):
    side: float


class TextStruct(Struct, tag_field="kind", tag="text"):
    words: str
    size: int


class ShapeStruct(Struct):
    shape: CircleStruct | SquareStruct | TextStruct


# --------------------------------------------------------------------------- 5 contact: a union

PERSON: dict[str, Any] = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "phone": {"type": "string"}},
    "required": ["name", "phone"],
    "additionalProperties": False,
}
FIRM: dict[str, Any] = {
    "type": "object",
    "properties": {"company": {"type": "string"}, "desk": {"type": "integer"}},
    "required": ["company", "desk"],
    "additionalProperties": False,
}
CONTACT: dict[str, Any] = {
    "type": "object",
    "properties": {
        "to": {"anyOf": [PERSON, FIRM, {"type": "array", "items": {"type": "string"}}]},
        "retry": {"anyOf": [{"const": "auto"}, {"type": "integer"}]},
        "after": {"anyOf": [{"type": "integer", "maximum": 100}, {"type": "null"}]},
    },
    "required": ["to"],
    "additionalProperties": False,
}


class Person(Closed):
    name: str
    phone: str


class Firm(Closed):
    company: str
    desk: int


class ContactModel(Closed):
    to: Person | Firm | list[str]
    retry: Literal["auto"] | int = "auto"
    after: Annotated[int, Field(le=100)] | None = None


# --------------------------------------------------------------------------- 6 deploy: conditions

DEPLOY: dict[str, Any] = {
    "type": "object",
    "properties": {
        "env": {"enum": ["staging", "production"]},
        "approver": {"type": "string"},
        "cluster": {"type": "string"},
        "host": {"type": "string"},
        "port": {"type": "integer"},
        "replicas": {"type": "integer", "multipleOf": 2},
    },
    "required": ["env"],
    "oneOf": [{"required": ["cluster"]}, {"required": ["host"]}],
    "if": {"properties": {"env": {"const": "production"}}, "required": ["env"]},
    "then": {"required": ["approver"]},
    "dependentRequired": {"host": ["port"]},
    "not": {"required": ["replicas", "host"]},
    "additionalProperties": False,
}

# --------------------------------------------------------------------------- 7 tree: recursion

TREE: dict[str, Any] = {
    "type": "object",
    "properties": {"root": {"$ref": "#/$defs/Node"}},
    "required": ["root"],
    "additionalProperties": False,
    "$defs": {
        "Node": {
            "type": "object",
            "properties": {
                "name": {"type": "string"},
                "children": {"type": "array", "items": {"$ref": "#/$defs/Node"}},
            },
            "required": ["name"],
            "additionalProperties": False,
        }
    },
}


class NodeModel(Closed):
    name: str
    children: list[NodeModel] = []


class TreeModel(Closed):
    root: NodeModel


class NodeStruct(Struct):
    name: str
    children: list[NodeStruct] = []


class TreeStruct(Struct):
    root: NodeStruct


# --------------------------------------------------------------------------- 8 pay: money and time


class PayModel(Closed):
    amount: Annotated[Decimal, Field(gt=0)]
    day: date
    at: datetime | None = None


@attrs.define
class PayAttrs:
    amount: Annotated[Decimal, Field(gt=0)]
    day: date
    at: datetime | None = None


# --------------------------------------------------------------------------- 9 visit: a long enum

VISIT: dict[str, Any] = {
    "type": "object",
    "properties": {
        "country": {"enum": COUNTRIES},
        "codes": {"type": "array", "items": {"type": "integer"}, "minItems": 1, "maxItems": 3},
    },
    "required": ["country"],
    "additionalProperties": False,
}


class VisitModel(Closed):
    country: Literal[tuple(COUNTRIES)]  # type: ignore[valid-type]  # made from a list
    codes: Annotated[list[int], Field(min_length=1, max_length=3)] = [1]


class VisitStruct(Struct):
    country: Literal[tuple(COUNTRIES)]  # type: ignore[valid-type]  # made from a list
    codes: Annotated[list[int], Meta(min_length=1, max_length=3)] = msgspec.field(
        default_factory=lambda: [1]
    )


# --------------------------------------------------------------------------- 10 book: author's code


def _in_order(start: str, end: str) -> None:
    if end <= start:
        raise ValueError("end must be after start")
    if start == "never":
        raise ValueError(f"{start} is not a day; end is {end}")


class BookModel(Closed):
    start: str
    end: str

    @model_validator(mode="after")
    def in_order(self) -> BookModel:
        """Refuse a stay that ends before it begins."""
        _in_order(self.start, self.end)
        return self


class BookStruct(Struct):
    start: str
    end: str

    def __post_init__(self) -> None:
        _in_order(self.start, self.end)


# --------------------------------------------------------------------- 11 service: an open object

SERVICE: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "image": {"type": "string"},
        "region": {"type": "string"},
        "owner": {"type": "string"},
        "cpu": {"type": "integer"},
        "memory": {"type": "integer"},
        "probe": {
            "anyOf": [
                {
                    "type": "object",
                    "properties": {"path": {"type": "string"}, "port": {"type": "integer"}},
                    "required": ["path", "port"],
                    "additionalProperties": False,
                },
                {"type": "null"},
            ]
        },
        "flags": {
            "type": "object",
            "properties": {"debug": {"type": "boolean"}},
            "patternProperties": {"^x-": {"type": "string"}},
            "additionalProperties": False,
            "minProperties": 1,
        },
    },
    "required": ["name", "image", "region", "owner", "cpu", "memory"],
    "additionalProperties": {"type": "object", "required": ["value"]},
    "maxProperties": 9,
    "not": {"required": ["name", "probe"]},
}

# ------------------------------------------------------- 12 route: unions of maps, tuples and dates


class StayModel(Closed):
    nights: int


class RouteModel(Closed):
    stops: list[tuple[float, float]] = Field(default_factory=list)
    leg: tuple[int, str] | None = None
    rates: dict[str, int] | list[int] | None = None
    groups: dict[str, list[str]] | dict[str, int] = Field(default_factory=dict)
    when: date | StayModel | None = None
    until: date | datetime | Literal["open"] = "open"
    days: list[date] = Field(default_factory=list)
    tags: list[int | str] = Field(default_factory=list)
    grid: list[list[int]] = Field(default_factory=list)


INPUTS: Mapping[str, Mapping[str, Any]] = {
    "weather": {"schema": WEATHER, "pydantic": WeatherModel, "msgspec": WeatherStruct},
    "order": {
        "schema": ORDER, "pydantic": OrderModel, "msgspec": OrderStruct, "attrs": OrderAttrs,
        "dataclass": OrderData,
    },
    "stock": {
        "schema": STOCK, "pydantic": StockModel, "msgspec": StockStruct, "attrs": StockAttrs,
        "dataclass": StockData,
    },
    "shape": {"schema": SHAPE, "pydantic": ShapeModel, "msgspec": ShapeStruct},
    "contact": {"schema": CONTACT, "pydantic": ContactModel},
    "deploy": {"schema": DEPLOY},
    "tree": {"schema": TREE, "pydantic": TreeModel, "msgspec": TreeStruct},
    "pay": {"pydantic": PayModel, "attrs": PayAttrs},
    "visit": {"schema": VISIT, "pydantic": VisitModel, "msgspec": VisitStruct},
    "book": {"pydantic": BookModel, "msgspec": BookStruct},
    "service": {"schema": SERVICE},
    "route": {"pydantic": RouteModel},
}  # fmt: skip
NO_WAY: Mapping[str, str] = {
    "weather": "attrs and dataclasses have no bounds of their own",
    "shape": "attrs and dataclasses emit a tag as a default",
    "contact": "msgspec takes one object type in a union, and attrs none that cattrs can tell",
    "deploy": "conditions are JSON Schema's alone",
    "tree": "the recursion of attrs and dataclasses is that of the others",
    "pay": "JSON Schema has no decimals, and msgspec no bounds for them",
    "visit": "attrs and dataclasses have no bounds of their own",
    "book": "a schema has no code, and what attrs and dataclasses raise is a crash",
    "service": "objects that are open to some keys are JSON Schema's alone",
    "route": "msgspec takes one array and one object in a union; a schema asserts no formats",
}


def as_tool(name: str, vendor: str) -> AnyTool:
    """A tool as one vendor says it."""
    return tool(
        lambda given: "done",
        name=name,
        description="A tool.",
        input=INPUTS[name][vendor],
        extra="forbid" if vendor in ("attrs", "dataclass") else None,
    )
