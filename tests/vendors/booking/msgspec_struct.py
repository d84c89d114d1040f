"""The booking tool's arguments as a msgspec Struct."""

from __future__ import annotations

from datetime import date, datetime
from enum import Enum
from typing import Annotated, Literal

from msgspec import Meta, Struct, field

__all__ = ["INPUT", "LACKS", "POLICY", "Place"]


class Size(Enum):
    SMALL = "small"
    LARGE = "large"


class Place(Struct, forbid_unknown_fields=True):
    lat: float
    name: str | None = None


class Cat(Struct, forbid_unknown_fields=True, tag_field="kind", tag="cat"):
    lives: Annotated[int, Meta(ge=0)]


class Dog(Struct, forbid_unknown_fields=True, tag_field="kind", tag="dog"):
    name: str


class Booking(Struct, forbid_unknown_fields=True):
    id: int
    text: str
    tags: list[str]
    place: Place
    n: Annotated[int, Meta(ge=1, le=9)] = 3
    ratio: Annotated[float, Meta(gt=0, lt=1)] = 0.5
    maybe: int | None = 3
    flag: bool = False
    kind: Literal["old", "new"] = "old"
    size: Size = Size.SMALL
    code: Annotated[str, Meta(pattern=r"^[A-Z]{2}\d{2}$")] = "AA00"
    label: Annotated[str, Meta(min_length=2, max_length=5)] = "ab"
    day: date | None = None
    when: Annotated[datetime, Meta(tz=True)] | None = None
    either: int | str = 1
    scores: dict[str, float] = {}
    stops: Annotated[list[Place], Meta(max_length=2)] = []
    grid: list[list[int]] = []
    pet: Cat | Dog | None = None
    größe: float = 1.0  # noqa: PLC2401 - a key that is not ASCII
    city: str = field(default="", name="fromCity")


INPUT = Booking
POLICY = "forbid"
LACKS: dict[str, str] = {}
