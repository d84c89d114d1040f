"""The ten shapes as msgspec Structs."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Annotated, Any, Literal
from uuid import UUID

from msgspec import Meta, Struct

from tests.vendors.shapes.plain import Colour, Level

__all__ = ["SHAPES"]


class Flat(Struct, forbid_unknown_fields=True):
    n: int
    x: float
    text: str
    flag: bool
    nothing: None = None


class Place(Struct, forbid_unknown_fields=True):
    lat: float
    name: str | None = None


class Nested(Struct, forbid_unknown_fields=True):
    place: Place
    other: Place | None = None


class Objects(Struct, forbid_unknown_fields=True):
    places: list[Place]
    rows: list[list[int]] = []


class Map(Struct, forbid_unknown_fields=True):
    scores: dict[str, float]
    places: dict[str, Place] = {}


class Cat(Struct, forbid_unknown_fields=True, tag_field="kind", tag="cat"):
    lives: int


class Dog(Struct, forbid_unknown_fields=True, tag_field="kind", tag="dog"):
    name: str = ""


class Tagged(Struct, forbid_unknown_fields=True):
    pet: Cat | Dog
    either: int | str = 1


class Tree(Struct, forbid_unknown_fields=True):
    value: int
    children: list[Tree] = []
    parent: Tree | None = None


class Bounds(Struct, forbid_unknown_fields=True):
    low: Annotated[int, Meta(ge=1, le=9)]
    inner: Annotated[float, Meta(gt=0, lt=1)]
    even: Annotated[int, Meta(multiple_of=2)]
    short: Annotated[str, Meta(min_length=2, max_length=4)]
    code: Annotated[str, Meta(pattern=r"^[A-Z]{2}\d+$")]
    few: Annotated[list[int], Meta(min_length=1, max_length=3)]


class Dates(Struct, forbid_unknown_fields=True):
    day: date
    when: datetime
    at: time
    took: timedelta
    id: UUID
    price: Decimal


class Choices(Struct, forbid_unknown_fields=True):
    colour: Colour
    level: Level
    word: Literal["a", "b"] | None
    number: Literal[1, 2]
    mixed: Literal["x", 1] = "x"


class Options(Struct, forbid_unknown_fields=True):
    pair: tuple[int, str]
    many: tuple[int, ...] = ()
    unique: set[int] = set()
    words: frozenset[str] = frozenset()
    maybe: int | None = None
    anything: dict[str, Any] | None = None


SHAPES: dict[str, type] = {
    "flat": Flat, "nested": Nested, "objects": Objects, "map": Map, "tagged": Tagged,
    "tree": Tree, "bounds": Bounds, "dates": Dates, "choices": Choices, "options": Options,
}  # fmt: skip
