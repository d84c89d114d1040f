"""Types of every kind that pydantic reads, and JSON values that fit some of them."""

from __future__ import annotations

import collections
import dataclasses
import enum
import fractions
import ipaddress
import pathlib
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Annotated, Any, Generic, Literal, NamedTuple, NewType, NotRequired, TypeVar
from uuid import UUID

import pydantic.dataclasses
from pydantic import (
    UUID4,
    AfterValidator,
    AliasChoices,
    AnyUrl,
    AwareDatetime,
    Base64Bytes,
    BaseModel,
    ByteSize,
    ConfigDict,
    Field,
    Json,
    JsonValue,
    PositiveInt,
    RootModel,
    SecretStr,
    Strict,
    StringConstraints,
)
from typing_extensions import TypeAliasType, TypedDict

T = TypeVar("T")
Whole = TypeAliasType("Whole", list[int])


class Color(enum.Enum):
    RED = "a"
    BLUE = "b"


class Tone(str, enum.Enum):  # noqa: UP042 - the older way to write it
    LOUD = "a"
    LOW = "b"


class Level(enum.IntEnum):
    ONE = 1
    TWO = 2


class Mixed(enum.Enum):
    TEXT = "a"
    NUMBER = 2


class Size(float, enum.Enum):
    HALF = 1.5
    TWO = 2.0


class Flat(BaseModel):
    a: int
    b: str = "x"
    c: float | None = None


class Nested(BaseModel):
    m: Flat
    ms: list[Flat] = []
    u: UUID | None = None


class Tree(BaseModel):
    v: int
    kids: list[Tree] = []


@dataclasses.dataclass
class Plain:
    a: int
    t: tuple[int, str] | None = None


@pydantic.dataclasses.dataclass
class Checked:
    a: int
    s: set[str] = dataclasses.field(default_factory=set[str])


class Keys(TypedDict):
    a: int
    b: NotRequired[str]


class Pair(NamedTuple):
    a: int
    b: str = "q"


class Cat(BaseModel):
    k: Literal["cat"]
    lives: int


class Dog(BaseModel):
    k: Literal["dog"]
    bark: bool


class First(BaseModel):
    k: Literal[1]
    x: int


class Second(BaseModel):
    k: Literal[2]
    x: int


class Severe(BaseModel):
    model_config = ConfigDict(strict=True)
    d: date
    s: set[int]
    n: Flat


class Lenient(BaseModel):
    model_config = ConfigDict(strict=False)
    a: int
    b: Annotated[int, Field(strict=False)] = 1


class Aliased(BaseModel):
    a: int = Field(alias="theA")
    b: int = Field(1, validation_alias=AliasChoices("bb", "b"))


class Defaulted(BaseModel):
    model_config = ConfigDict(validate_default=True)
    c: Color = Color.RED
    d: date = date(2020, 1, 1)
    t: tuple[int, ...] = (1,)


class Root(RootModel[list[int]]):
    pass


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, int]  # pyright: ignore[reportIncompatibleVariableOverride] # as documented
    a: int


class Box(BaseModel, Generic[T]):
    v: T


Pet = Annotated[Cat | Dog, Field(discriminator="k")]
Numbered = Annotated[First | Second, Field(discriminator="k")]

SCALARS: list[Any] = [
    int, float, str, bool, None, bytes, Color, Tone, Level, Mixed, Size, UUID, datetime, date,
    time, timedelta, Decimal, complex, fractions.Fraction, Literal["a"], Literal[1],
    Literal[1, "a"], Literal[True], Literal[True, 1], Literal["a"] | None, Literal[Level.ONE],
    Literal[Tone.LOUD], AnyUrl, pathlib.Path, ipaddress.IPv4Address, re.Pattern, SecretStr,
    AwareDatetime, PositiveInt, Annotated[int, Strict()], Annotated[int, Strict(strict=False)],
    UUID4, ByteSize, JsonValue, Annotated[int, AfterValidator(abs)], NewType("UserId", UUID),
    Annotated[str, StringConstraints(pattern="^a", strip_whitespace=True)], Base64Bytes,
    Json[list[int]], Json[dict[str, UUID]],
]  # fmt: skip
CONTAINERS: list[Any] = [
    set[int], set[str], frozenset[int], tuple[int, str], tuple[int, ...], list[int], list[UUID],
    list[list[int]], collections.deque[int], dict[str, int], dict[int, str], dict[UUID, int],
    dict[Color, int], dict[Level, int], Sequence[int], Iterable[int], Mapping[str, int],
    collections.OrderedDict[str, int], collections.defaultdict[str, list[int]],
    collections.Counter[str], list[int | None] | None, Whole,
    Annotated[list[int], Field(min_length=1, max_length=2)],
]  # fmt: skip
OBJECTS: list[Any] = [
    Flat, Nested, Tree, Plain, Checked, Keys, Pair, Severe, Lenient, Aliased, Defaulted, Root,
    Open, Box[int], Box[UUID], list[Keys], dict[str, Flat], Pet, Numbered, list[Pet],
]  # fmt: skip
UNIONS: list[Any] = [
    int | None, UUID | None, Color | None, Level | None, pathlib.Path | None, int | str,
    str | int, int | float, float | int, bool | int, int | bool, tuple[int, str] | str,
    Flat | Nested, Cat | Dog, Plain | Flat, timedelta | int, time | int,
    int | list[int] | dict[str, int], dict[str, int | list[str]], list[Color | None],
    Level | str, Literal[1, 2] | str, pathlib.Path | str,
    Annotated[int | str, Field(union_mode="left_to_right")],
    Annotated[UUID | str, Field(union_mode="left_to_right")],
]  # fmt: skip
# Which branch pydantic takes depends on how exactly it fits: only JSON mode can say.
AMBIGUOUS: list[Any] = [
    datetime | str, date | datetime, datetime | date, UUID | str, str | UUID, Color | str,
    str | Color, set[int] | list[int], list[int] | set[int],
    tuple[int, ...] | list[int], Decimal | float, float | Decimal, Decimal | str, bytes | str,
    str | bytes, Flat | dict[str, int], dict[str, int] | Flat, Keys | Flat, Flat | Keys,
    JsonValue | Flat, AnyUrl | str, list[UUID | str],
]  # fmt: skip
ONE = str(UUID(int=1))
VALUES: list[Any] = [
    None, True, False, 0, 1, 2, 3, -1, 1.0, 1.5, 2.0, 5.0, 1e20, 10**30, "", "a", "b", "c", "1",
    "1.5", "true", "x", ONE, ONE.replace("-", ""), "2024-01-01", "2024-01-01T00:00:00",
    "2024-01-01T10:00:00Z", "2024-01-01 10:00", "1700000000", "10:00:00", "10:00", "PT1H",
    "1 day", "3600", "NaN", "1e5", " 1 ", "1_000", "aGk=", "http://x.y/", "127.0.0.1", "[1]",
    "[1,2]", "1+2j", "1/2", "null", '{"a":"' + ONE + '"}',
    [], [1], [1, 1], [1, 2], ["a"], ["a", "a"], [1, "a"], [True], [1.0], ["1"], [None], [[1]],
    [["1"]], [ONE], [1, "a", "b"], [{"a": 1}], [{"k": "cat", "lives": 1}], [None, "a"],
    {}, {"a": 1}, {"a": "1"}, {"a": True}, {"a": 1.0}, {"a": 1, "b": "y"}, {"a": 1, "b": 2},
    {"a": 1, "z": 3}, {"1": "a"}, {ONE: 1}, {"a": [1]}, {"m": {"a": 1}}, {"m": {"a": "1"}},
    {"m": {"a": 1}, "ms": [{"a": 2}], "u": ONE}, {"v": 1}, {"v": ONE}, {"x": {"a": 1}},
    {"v": 1, "kids": [{"v": 2, "kids": []}]}, {"v": 1, "kids": [{"v": "2"}]},
    {"k": "cat", "lives": 9}, {"k": "cat", "lives": "9"}, {"k": "dog", "bark": True},
    {"k": "dog", "bark": 1}, {"k": 1, "x": 1}, {"k": True, "x": 1}, {"k": 1.0, "x": 1},
    {"k": 2, "x": 2}, {"d": "2024-01-01", "s": [1], "n": {"a": 1}},
    {"d": "2024-01-01", "s": ["1"], "n": {"a": 1}}, {"theA": 1}, {"theA": 1, "bb": 2},
    {"theA": 1, "b": 2}, {"c": "a"}, {"c": "b", "d": "2024-01-01", "t": [1, 2]},
    {"a": 1, "t": [1, "x"]}, {"a": 1, "t": ["1", "x"]}, {"a": 1, "s": ["q"]},
    {"a": 1, "s": ["q", "q"]}, {"a": 1, "x": "s"},
]  # fmt: skip
