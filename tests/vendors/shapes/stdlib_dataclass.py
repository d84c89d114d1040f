"""Ten shapes as dataclasses of the standard library."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import AwareDatetime, Field

__all__ = ["SHAPES"]


class Color(Enum):
    RED = "red"
    BLUE = "blue"


class Level(Enum):
    HIGH = 2
    LOW = 1


@dataclass
class City:
    """A place on the map.

    Attributes:
        name: as its people write it
    """

    name: str
    people: int
    area: float
    capital: bool


@dataclass
class Trip:
    start: City
    end: City | None = None


@dataclass
class Route:
    stops: list[City]
    grid: list[list[int]]


@dataclass
class Prices:
    by_city: dict[str, float]
    cities: dict[str, City]


@dataclass
class Cat:
    kind: Literal["cat"]
    lives: int


@dataclass
class Dog:
    kind: Literal["dog"]
    name: str


@dataclass
class Owner:
    pet: Annotated[Cat | Dog, Field(discriminator="kind")]


@dataclass
class Tree:
    value: int
    children: list[Tree] = field(default_factory=list["Tree"])


@dataclass
class Bounds:
    n: Annotated[int, Field(ge=1, le=9)]
    ratio: Annotated[float, Field(gt=0, lt=1)]
    even: Annotated[int, Field(multiple_of=2)]
    code: Annotated[str, Field(pattern="^[A-Z]{2}[0-9]+$")]
    label: Annotated[str, Field(min_length=2, max_length=5)]
    tags: Annotated[list[str], Field(min_length=1, max_length=3)]


@dataclass
class Formats:
    day: date
    when: datetime
    exactly: AwareDatetime
    at: time
    span: timedelta
    id: UUID
    price: Decimal
    raw: bytes


@dataclass
class Words:
    color: Color
    level: Level
    mode: Literal["slow", "fast", "auto"]
    size: Literal[3, 1, 2]
    only: Literal["x"]


@dataclass
class Rest:
    n: int = 3
    maybe: int | None = None
    either: int | str = "a"
    pair: tuple[int, str] = (1, "a")
    many: tuple[int, ...] = ()
    unique: set[str] = field(default_factory=set[str])
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
