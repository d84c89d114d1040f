"""The booking tool's arguments as an attrs class."""

from __future__ import annotations

import re
from datetime import date
from enum import Enum
from typing import Annotated, Literal

from attrs import define, field
from attrs.validators import and_, ge, gt, le, lt, matches_re, max_len, min_len
from pydantic import AwareDatetime, Field

__all__ = ["INPUT", "LACKS", "POLICY"]


class Size(Enum):
    SMALL = "small"
    LARGE = "large"


@define
class Place:
    lat: float
    name: str | None = None


@define
class Cat:
    kind: Literal["cat"]
    lives: int = field(validator=ge(0))


@define
class Dog:
    kind: Literal["dog"]
    name: str


@define
class Booking:
    id: int
    text: str
    tags: list[str]
    place: Place
    n: int = field(default=3, validator=and_(ge(1), le(9)))
    ratio: float = field(default=0.5, validator=and_(gt(0), lt(1)))
    maybe: int | None = 3
    flag: bool = False
    kind: Literal["old", "new"] = "old"
    size: Size = Size.SMALL
    code: str = field(default="AA00", validator=matches_re(r"^[A-Z]{2}\d{2}$", func=re.search))
    label: str = field(default="ab", validator=and_(min_len(2), max_len(5)))
    day: date | None = None
    when: AwareDatetime | None = None
    either: int | str = 1
    scores: dict[str, float] = field(factory=dict[str, float])
    stops: list[Place] = field(factory=list[Place], validator=max_len(2))
    grid: list[list[int]] = field(factory=list[list[int]])
    pet: Annotated[Cat | Dog, Field(discriminator="kind")] | None = None
    from_city: str = field(default="", alias="fromCity")
    größe: float = 1.0  # noqa: PLC2401 - a key that is not ASCII


INPUT = Booking
POLICY = "ignore"
LACKS: dict[str, str] = {}
