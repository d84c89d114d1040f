"""The ten shapes as pydantic models."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from tests.vendors.shapes.plain import Colour, Level

__all__ = ["SHAPES"]


class Closed(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Flat(Closed):
    n: int
    x: float
    text: str
    flag: bool
    nothing: None = None


class Place(Closed):
    lat: float
    name: str | None = None


class Nested(Closed):
    place: Place
    other: Place | None = None


class Objects(Closed):
    places: list[Place]
    rows: list[list[int]] = []


class Map(Closed):
    scores: dict[str, float]
    places: dict[str, Place] = {}


class Cat(Closed):
    kind: Literal["cat"]
    lives: int


class Dog(Closed):
    kind: Literal["dog"]
    name: str = ""


class Tagged(Closed):
    pet: Annotated[Cat | Dog, Field(discriminator="kind")]
    either: int | str = 1


class Tree(Closed):
    value: int
    children: list[Tree] = []
    parent: Tree | None = None


class Bounds(Closed):
    low: Annotated[int, Field(ge=1, le=9)]
    inner: Annotated[float, Field(gt=0, lt=1)]
    even: Annotated[int, Field(multiple_of=2)]
    short: Annotated[str, Field(min_length=2, max_length=4)]
    code: Annotated[str, Field(pattern=r"^[A-Z]{2}\d+$")]
    few: Annotated[list[int], Field(min_length=1, max_length=3)]


class Dates(Closed):
    day: date
    when: datetime
    at: time
    took: timedelta
    id: UUID
    price: Decimal


class Choices(Closed):
    colour: Colour
    level: Level
    word: Literal["a", "b"] | None
    number: Literal[1, 2]
    mixed: Literal["x", 1, True] = "x"


class Options(Closed):
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
