"""The ten shapes as dataclasses of the standard library, and what is derived from those."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, dataclass, field, fields
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum, IntEnum
from typing import Annotated, Any, Literal, NamedTuple, NotRequired, get_type_hints
from uuid import UUID

from pydantic import Field
from pydantic.dataclasses import dataclass as pydantic_dataclass
from typing_extensions import TypedDict

__all__ = ["SHAPES", "as_function", "as_named_tuple", "as_pydantic", "as_typed_dict"]


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Level(IntEnum):
    LOW = 1
    HIGH = 2


@dataclass
class Flat:
    n: int
    x: float
    text: str
    flag: bool
    nothing: None = None


@dataclass
class Place:
    lat: float
    name: str | None = None


@dataclass
class Nested:
    place: Place
    other: Place | None = None


@dataclass
class Objects:
    places: list[Place]
    rows: list[list[int]] = field(default_factory=list[list[int]])


@dataclass
class Map:
    scores: dict[str, float]
    places: dict[str, Place] = field(default_factory=dict[str, Place])


@dataclass
class Cat:
    kind: Literal["cat"]
    lives: int


@dataclass
class Dog:
    kind: Literal["dog"]
    name: str = ""


@dataclass
class Tagged:
    pet: Annotated[Cat | Dog, Field(discriminator="kind")]
    either: int | str = 1


@dataclass
class Tree:
    value: int
    children: list[Tree] = field(default_factory=lambda: list[Tree]())  # noqa: PLW0108 - Tree is not there yet
    parent: Tree | None = None


@dataclass
class Bounds:
    low: Annotated[int, Field(ge=1, le=9)]
    inner: Annotated[float, Field(gt=0, lt=1)]
    even: Annotated[int, Field(multiple_of=2)]
    short: Annotated[str, Field(min_length=2, max_length=4)]
    code: Annotated[str, Field(pattern=r"^[A-Z]{2}\d+$")]
    few: Annotated[list[int], Field(min_length=1, max_length=3)]


@dataclass
class Dates:
    day: date
    when: datetime
    at: time
    took: timedelta
    id: UUID
    price: Decimal


@dataclass
class Choices:
    colour: Colour
    level: Level
    word: Literal["a", "b"] | None
    number: Literal[1, 2]
    mixed: Literal["x", 1, True] = "x"


@dataclass
class Options:
    pair: tuple[int, str]
    many: tuple[int, ...] = ()
    unique: set[int] = field(default_factory=set[int])
    words: frozenset[str] = frozenset()
    maybe: int | None = None
    anything: dict[str, Any] | None = None


SHAPES: dict[str, type] = {
    "flat": Flat, "nested": Nested, "objects": Objects, "map": Map, "tagged": Tagged,
    "tree": Tree, "bounds": Bounds, "dates": Dates, "choices": Choices, "options": Options,
}  # fmt: skip


def as_pydantic(cls: Any) -> Any:
    return pydantic_dataclass(cls)


def as_typed_dict(cls: Any) -> Any:
    define: Any = TypedDict
    hints = get_type_hints(cls, include_extras=True)
    keys = {
        one.name: hints[one.name] if _is_required(one) else NotRequired[hints[one.name]]
        for one in fields(cls)
    }
    return define(cls.__name__, keys)


def as_named_tuple(cls: Any) -> Any:
    define: Any = NamedTuple
    return define(cls.__name__, list(get_type_hints(cls, include_extras=True).items()))


def as_function(cls: Any) -> Callable[..., Any]:
    """A function whose parameters are the fields of a class."""
    listed = [
        f"{one.name}: hints[{one.name!r}]" + ("" if _is_required(one) else " = None")
        for one in fields(cls)
    ]
    namespace: dict[str, Any] = {"hints": get_type_hints(cls, include_extras=True)}
    exec(f"def shape(*, {', '.join(listed)}): 'Take a shape.'", namespace)
    made: Callable[..., Any] = namespace["shape"]
    return made


def _is_required(one: Any) -> bool:
    return one.default is MISSING and one.default_factory is MISSING
