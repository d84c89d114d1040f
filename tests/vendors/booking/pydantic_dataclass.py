"""The booking tool's arguments as a pydantic dataclass."""

from __future__ import annotations

from datetime import date
from enum import Enum
from typing import Annotated, Literal

from pydantic import AwareDatetime, ConfigDict, Field
from pydantic.dataclasses import dataclass

__all__ = ["INPUT", "LACKS", "POLICY"]

CLOSED = ConfigDict(extra="forbid")


class Size(Enum):
    SMALL = "small"
    LARGE = "large"


@dataclass(config=CLOSED)
class Place:
    lat: float
    name: str | None = None


@dataclass(config=CLOSED)
class Cat:
    kind: Literal["cat"]
    lives: Annotated[int, Field(ge=0)]


@dataclass(config=CLOSED)
class Dog:
    kind: Literal["dog"]
    name: str


@dataclass(config=CLOSED)
class Booking:
    id: int
    text: str
    tags: list[str]
    place: Place
    n: Annotated[int, Field(ge=1, le=9)] = 3
    ratio: Annotated[float, Field(gt=0, lt=1)] = 0.5
    maybe: int | None = 3
    flag: bool = False
    kind: Literal["old", "new"] = "old"
    size: Size = Size.SMALL
    code: Annotated[str, Field(pattern=r"^[A-Z]{2}\d{2}$")] = "AA00"
    label: Annotated[str, Field(min_length=2, max_length=5)] = "ab"
    day: date | None = None
    when: AwareDatetime | None = None
    either: int | str = 1
    scores: dict[str, float] = Field(default_factory=dict[str, float])
    stops: Annotated[list[Place], Field(max_length=2)] = Field(default_factory=list[Place])
    grid: list[list[int]] = Field(default_factory=list[list[int]])
    pet: Annotated[Cat | Dog, Field(discriminator="kind")] | None = None
    größe: float = 1.0  # noqa: PLC2401 - a key that is not ASCII
    city: Annotated[str, Field(alias="fromCity")] = ""


INPUT = Booking
POLICY = "forbid"
LACKS: dict[str, str] = {}
