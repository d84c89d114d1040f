"""Ten shapes as msgspec Structs."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal
from uuid import UUID

from msgspec import Meta, Struct

__all__ = ["SHAPES"]


class Color(Enum):
    RED = "red"
    BLUE = "blue"


class Level(Enum):
    HIGH = 2
    LOW = 1


class City(Struct):
    """A place on the map.

    Attributes:
        name: as its people write it
    """

    name: str
    people: int
    area: float
    capital: bool


class Trip(Struct):
    start: City
    end: City | None = None


class Route(Struct):
    stops: list[City]
    grid: list[list[int]]


class Prices(Struct):
    by_city: dict[str, float]
    cities: dict[str, City]


class Cat(Struct, tag_field="kind", tag="cat"):
    lives: int


class Dog(Struct, tag_field="kind", tag="dog"):
    name: str


class Owner(Struct):
    pet: Cat | Dog


class Tree(Struct):
    value: int
    children: list[Tree] = []


class Bounds(Struct):
    n: Annotated[int, Meta(ge=1, le=9)]
    ratio: Annotated[float, Meta(gt=0, lt=1)]
    even: Annotated[int, Meta(multiple_of=2)]
    code: Annotated[str, Meta(pattern="^[A-Z]{2}[0-9]+$")]
    label: Annotated[str, Meta(min_length=2, max_length=5)]
    tags: Annotated[list[str], Meta(min_length=1, max_length=3)]


class Formats(Struct):
    day: date
    when: datetime
    exactly: Annotated[datetime, Meta(tz=True)]
    at: time
    span: timedelta
    id: UUID
    price: Decimal
    raw: bytes


class Words(Struct):
    color: Color
    level: Level
    mode: Literal["slow", "fast", "auto"]
    size: Literal[3, 1, 2]
    only: Literal["x"]


class Rest(Struct):
    n: int = 3
    maybe: int | None = None
    either: int | str = "a"
    pair: tuple[int, str] = (1, "a")
    many: tuple[int, ...] = ()
    unique: set[str] = set()
    anything: Any = None


SHAPES: dict[str, Any] = {
    "flat": City,
    "nested": Trip,
    "list of objects": Route,
    "map": Prices,
    "discriminated union": Owner,
    "recursive tree": Tree,
    "bounds": Bounds,
    "formats": Formats,
    "words": Words,
    "defaults": Rest,
}
