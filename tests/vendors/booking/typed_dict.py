"""The booking tool's arguments as a TypedDict."""

from __future__ import annotations

from datetime import date
from enum import Enum
from typing import Annotated, Literal, NotRequired, TypedDict

from pydantic import AwareDatetime, Field

__all__ = ["INPUT", "LACKS", "POLICY"]


class Size(Enum):
    SMALL = "small"
    LARGE = "large"


class Place(TypedDict):
    lat: float
    name: NotRequired[str | None]


class Cat(TypedDict):
    kind: Literal["cat"]
    lives: Annotated[int, Field(ge=0)]


class Dog(TypedDict):
    kind: Literal["dog"]
    name: str


class Booking(TypedDict):
    id: int
    text: str
    tags: list[str]
    place: Place
    n: NotRequired[Annotated[int, Field(ge=1, le=9)]]
    ratio: NotRequired[Annotated[float, Field(gt=0, lt=1)]]
    maybe: NotRequired[int | None]
    flag: NotRequired[bool]
    kind: NotRequired[Literal["old", "new"]]
    size: NotRequired[Size]
    code: NotRequired[Annotated[str, Field(pattern=r"^[A-Z]{2}\d{2}$")]]
    label: NotRequired[Annotated[str, Field(min_length=2, max_length=5)]]
    day: NotRequired[date | None]
    when: NotRequired[AwareDatetime | None]
    either: NotRequired[int | str]
    scores: NotRequired[dict[str, float]]
    stops: NotRequired[Annotated[list[Place], Field(max_length=2)]]
    grid: NotRequired[list[list[int]]]
    pet: NotRequired[Annotated[Cat | Dog, Field(discriminator="kind")] | None]
    größe: NotRequired[float]  # noqa: PLC2401 - a key that is not ASCII


INPUT = Booking
POLICY = "ignore"
LACKS = {"fromCity": "a TypedDict has no aliases"}
