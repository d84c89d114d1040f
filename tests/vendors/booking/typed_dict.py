"""The booking tool's arguments as a TypedDict.

Its keys are optional by `total=False`: for `NotRequired[int | str]` typing gives `str | int` where
another test has written that first.
"""

from __future__ import annotations

from datetime import date
from enum import Enum
from typing import Annotated, Literal, Required, TypedDict

from pydantic import AwareDatetime, Field

__all__ = ["INPUT", "LACKS", "POLICY"]


class Size(Enum):
    SMALL = "small"
    LARGE = "large"


class Place(TypedDict, total=False):
    lat: Required[float]
    name: str | None


class Cat(TypedDict):
    kind: Literal["cat"]
    lives: Annotated[int, Field(ge=0)]


class Dog(TypedDict):
    kind: Literal["dog"]
    name: str


class Booking(TypedDict, total=False):
    id: Required[int]
    text: Required[str]
    tags: Required[list[str]]
    place: Required[Place]
    n: Annotated[int, Field(ge=1, le=9)]
    ratio: Annotated[float, Field(gt=0, lt=1)]
    maybe: int | None
    flag: bool
    kind: Literal["old", "new"]
    size: Size
    code: Annotated[str, Field(pattern=r"^[A-Z]{2}\d{2}$")]
    label: Annotated[str, Field(min_length=2, max_length=5)]
    day: date | None
    when: AwareDatetime | None
    either: int | str
    scores: dict[str, float]
    stops: Annotated[list[Place], Field(max_length=2)]
    grid: list[list[int]]
    pet: Annotated[Cat | Dog, Field(discriminator="kind")] | None
    größe: float  # noqa: PLC2401 - a key that is not ASCII


INPUT = Booking
POLICY = "ignore"
LACKS = {"fromCity": "a TypedDict has no aliases"}
