"""Ten shapes as pydantic models."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, Field

__all__ = ["SHAPES"]


class Color(Enum):
    RED = "red"
    BLUE = "blue"


class Level(Enum):
    HIGH = 2
    LOW = 1


class City(BaseModel):
    """A place on the map.

    Attributes:
        name: as its people write it
    """

    name: str
    people: int
    area: float
    capital: bool


class Trip(BaseModel):
    start: City
    end: City | None = None


class Route(BaseModel):
    stops: list[City]
    grid: list[list[int]]


class Prices(BaseModel):
    by_city: dict[str, float]
    cities: dict[str, City]


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int


class Dog(BaseModel):
    kind: Literal["dog"]
    name: str


class Owner(BaseModel):
    pet: Annotated[Cat | Dog, Field(discriminator="kind")]


class Tree(BaseModel):
    value: int
    children: list[Tree] = []


class Bounds(BaseModel):
    n: Annotated[int, Field(ge=1, le=9)]
    ratio: Annotated[float, Field(gt=0, lt=1)]
    even: Annotated[int, Field(multiple_of=2)]
    code: Annotated[str, Field(pattern="^[A-Z]{2}[0-9]+$")]
    label: Annotated[str, Field(min_length=2, max_length=5)]
    tags: Annotated[list[str], Field(min_length=1, max_length=3)]


class Formats(BaseModel):
    day: date
    when: datetime
    exactly: AwareDatetime
    at: time
    span: timedelta
    id: UUID
    price: Decimal
    raw: bytes


class Words(BaseModel):
    color: Color
    level: Level
    mode: Literal["slow", "fast", "auto"]
    size: Literal[3, 1, 2]
    only: Literal["x"]


class Rest(BaseModel):
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
