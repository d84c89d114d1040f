"""Ten shapes as attrs classes."""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal
from uuid import UUID

from annotated_types import MultipleOf
from attrs import define, field
from attrs.validators import and_, ge, gt, le, lt, matches_re, max_len, min_len
from pydantic import AwareDatetime, Field

__all__ = ["SHAPES"]


class Color(Enum):
    RED = "red"
    BLUE = "blue"


class Level(Enum):
    HIGH = 2
    LOW = 1


@define
class City:
    """A place on the map.

    Attributes:
        name: as its people write it
    """

    name: str
    people: int
    area: float
    capital: bool


@define
class Trip:
    start: City
    end: City | None = None


@define
class Route:
    stops: list[City]
    grid: list[list[int]]


@define
class Prices:
    by_city: dict[str, float]
    cities: dict[str, City]


@define
class Cat:
    kind: Literal["cat"]
    lives: int


@define
class Dog:
    kind: Literal["dog"]
    name: str


@define
class Owner:
    pet: Annotated[Cat | Dog, Field(discriminator="kind")]


@define
class Tree:
    value: int
    children: list[Tree] = field(factory=list["Tree"])


@define
class Bounds:
    n: int = field(validator=and_(ge(1), le(9)))
    ratio: float = field(validator=and_(gt(0), lt(1)))
    even: Annotated[int, MultipleOf(2)]
    code: str = field(validator=matches_re("^[A-Z]{2}[0-9]+$", func=re.search))
    label: str = field(validator=and_(min_len(2), max_len(5)))
    tags: list[str] = field(validator=and_(min_len(1), max_len(3)))


@define
class Formats:
    day: date
    when: datetime
    exactly: AwareDatetime
    at: time
    span: timedelta
    id: UUID
    price: Decimal
    raw: bytes


@define
class Words:
    color: Color
    level: Level
    mode: Literal["slow", "fast", "auto"]
    size: Literal[3, 1, 2]
    only: Literal["x"]


@define
class Rest:
    n: int = 3
    maybe: int | None = None
    either: int | str = "a"
    pair: tuple[int, str] = (1, "a")
    many: tuple[int, ...] = ()
    unique: set[str] = field(factory=set[str])
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
