"""The head of every random type's source text: imports, enums, authors' functions.

Each function that represents an author's code is counted or deterministic: the laws infer its input
from its output.
"""

from __future__ import annotations

import collections
import dataclasses
import enum
import typing
from collections.abc import Callable
from dataclasses import InitVar, dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Annotated, Any, Literal, NotRequired, Optional, Required, TypedDict
from uuid import UUID

import annotated_types
import attrs
import msgspec
import pydantic
from pydantic import (
    AfterValidator,
    AliasChoices,
    AliasGenerator,
    AliasPath,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    PrivateAttr,
    ValidationError,
    WrapValidator,
    computed_field,
    field_serializer,
    field_validator,
    model_serializer,
    model_validator,
)
from pydantic.alias_generators import to_camel

# Names that only the source texts use are listed too: `import *` gives them all.
from toolhaft import Injected

__all__ = [
    "COUNTS", "MOVING", "SEEN", "UTC", "UUID", "AfterValidator", "AliasChoices", "AliasGenerator",
    "AliasPath", "Annotated", "Any", "BaseModel", "BeforeValidator", "Color", "ConfigDict",
    "Decimal", "Field", "InitVar", "Injected", "Literal", "Mood", "NotRequired", "Optional",
    "PlainValidator", "PrivateAttr", "Required", "Size", "Tone", "TypedDict",
    "ValidationError", "WrapValidator",
    "annotated_types", "attrs", "check_int", "check_str", "computed_field", "count", "dataclass",
    "dataclasses", "date", "datetime", "field", "field_serializer", "field_validator",
    "model_serializer", "model_validator", "msgspec", "plain_int", "plus_one", "pydantic", "seen",
    "shout", "split_text", "through", "time", "timedelta", "to_camel", "typing", "untouched",
    "upper", "widen_date", "widen_int", "widen_str", "wrap_int",
]  # fmt: skip

# How often each factory ran.
COUNTS: collections.Counter[str] = collections.Counter()
# Whether each run of a factory gives another value; else two calls can be compared.
MOVING: list[bool] = [False]
# The handler's inputs.
SEEN: list[Any] = []


class Color(enum.Enum):
    RED = "red"
    GREEN = "green"
    BLUE = "Blue"


class Size(enum.IntEnum):
    SMALL = 1
    LARGE = 2


class Mood(enum.Enum):
    """An enum that reads more than its members."""

    CALM = "calm"
    GLAD = "glad"

    @classmethod
    def _missing_(cls, value: object) -> Any:
        return cls.CALM if value == "quiet" else None


class Tone(str, enum.Enum):  # noqa: UP042 - the older way to write it
    LOUD = "loud"
    LOW = "low"


def count(name: str) -> int:
    """Count a factory's run; each returns another number while `MOVING` is set."""
    COUNTS[name] += 1
    return COUNTS.total() if MOVING[0] else 1


def seen(given: Any) -> None:
    SEEN.append(given)


def upper(name: str) -> str:
    return name.upper()


# ---------------------------------------------------------------- functions that widen a field


def untouched(value: Any) -> Any:
    return value


def widen_int(value: Any) -> Any:
    """Read `#5` as 5."""
    return int(value[1:]) if type(value) is str and value[:1] == "#" else value


def widen_str(value: Any) -> Any:
    return str(value) if type(value) is int else value


def widen_date(value: Any) -> Any:
    return date(2024, 1, 1) if value == "today" else value


def split_text(value: Any) -> Any:
    return value.split("|") if type(value) is str and "|" in value else value


def through(value: Any, handler: Callable[[Any], Any]) -> Any:
    return handler(value)


def wrap_int(value: Any, handler: Callable[[Any], Any]) -> Any:
    return handler(widen_int(value))


def plain_int(value: Any) -> int:
    read = widen_int(value)
    if type(read) is float and read.is_integer():
        read = int(read)
    if type(read) is not int:
        raise ValueError("a whole number, or # and one")
    return read


# ---------------------------------------------------------- functions that judge or change a value


def check_int(value: int) -> int:
    if value == -1:  # which no factory gives
        raise ValueError("minus one is not taken")
    return value


def check_str(value: str) -> str:
    if value.startswith("z"):
        raise ValueError("nothing that begins with z")
    return value


def plus_one(value: Any) -> Any:
    """Change a number; a default that is none stays what it is."""
    return value + 1 if type(value) is int else value


def shout(value: Any) -> Any:
    return value + "!" if type(value) is str else value
