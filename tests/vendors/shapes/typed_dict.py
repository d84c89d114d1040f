"""Ten shapes as TypedDicts."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal, NotRequired
from uuid import UUID

from pydantic import AwareDatetime, Field
from typing_extensions import TypedDict

__all__ = ["SHAPES"]


class Color(Enum):
    RED = "red"
    BLUE = "blue"


class Level(Enum):
    HIGH = 2
    LOW = 1


class City(TypedDict):
    """A place on the map.

    Attributes:
        name: as its people write it
    """

    name: str
    people: int
    area: float
    capital: bool


class Trip(TypedDict):
    start: City
    end: NotRequired[City | None]


class Route(TypedDict):
    stops: list[City]
    grid: list[list[int]]


class Prices(TypedDict):
    by_city: dict[str, float]
    cities: dict[str, City]


class Cat(TypedDict):
    kind: Literal["cat"]
    lives: int


class Dog(TypedDict):
    kind: Literal["dog"]
    name: str


class Owner(TypedDict):
    pet: Annotated[Cat | Dog, Field(discriminator="kind")]


class Tree(TypedDict):
    value: int
    children: NotRequired[list[Tree]]


class Bounds(TypedDict):
    n: Annotated[int, Field(ge=1, le=9)]
    ratio: Annotated[float, Field(gt=0, lt=1)]
    even: Annotated[int, Field(multiple_of=2)]
    code: Annotated[str, Field(pattern="^[A-Z]{2}[0-9]+$")]
    label: Annotated[str, Field(min_length=2, max_length=5)]
    tags: Annotated[list[str], Field(min_length=1, max_length=3)]


class Formats(TypedDict):
    day: date
    when: datetime
    exactly: AwareDatetime
    at: time
    span: timedelta
    id: UUID
    price: Decimal
    raw: bytes


class Words(TypedDict):
    color: Color
    level: Level
    mode: Literal["slow", "fast", "auto"]
    size: Literal[3, 1, 2]
    only: Literal["x"]


# Not by `NotRequired[...]`, which keeps the first of equal unions that the process has made.
class Rest(TypedDict, total=False):
    n: int
    maybe: int | None
    either: int | str
    pair: tuple[int, str]
    many: tuple[int, ...]
    unique: set[str]
    anything: Any


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
