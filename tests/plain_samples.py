"""Data that are plain JSON, and data that only seem to be."""

from __future__ import annotations

from enum import Enum, IntEnum, StrEnum
from types import MappingProxyType
from typing import Any, NoReturn

from hypothesis import strategies as st

__all__ = [
    "ODD", "Colour", "Level", "Real", "Row", "Rows", "Shape", "Text", "Whole", "Word", "boom",
    "hostile", "plain", "scalars", "scramble", "shape",
]  # fmt: skip

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
)
plain = st.recursive(
    scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20
)


class Colour(StrEnum):
    RED = "red"


class Level(IntEnum):
    HIGH = 3


class Shape(Enum):
    ROUND = "round"
    PAIR = (1, "two")


def boom(*_: object) -> NoReturn:
    raise AssertionError("an overridden method was called")


def hostile(base: type, *names: str) -> Any:
    """A subclass of a plain type, every named method of which fails."""
    return type(base.__name__.title(), (base,), dict.fromkeys(names, boom))


Text = hostile(str, "__eq__", "__hash__", "__str__", "__repr__", "__len__", "isascii", "encode")
Whole = hostile(int, "__int__", "__index__", "__eq__", "__hash__", "__lt__", "__str__")
Real = hostile(float, "__float__", "__eq__", "__hash__", "__lt__", "__str__", "is_integer")
Row = hostile(dict, "__len__", "__eq__", "__contains__", "copy", "pop")
Rows = hostile(list, "__len__", "__eq__", "copy", "pop")


class Word(str):
    """A subclass of text that is as harmless as it looks."""

    __slots__ = ()


ODD: list[Any] = [
    *(float("nan"), float("-inf"), 10**4300, -(10**4300), "\ud800", (1,), {1}, b"x", 1j),
    *(Text("x"), Whole(1), Real(1.0), Row(a=1), Rows([1]), MappingProxyType({}), object()),
]


def shape(value: Any) -> Any:
    """The exact types of data, all the way down."""
    if type(value) is dict:
        return dict, [(type(key), shape(item)) for key, item in value.items()]
    return (list, [shape(item) for item in value]) if type(value) is list else type(value)


def scramble(value: Any) -> None:
    """Empty every container of a copy."""
    for inner in value.values() if isinstance(value, dict) else value:
        if isinstance(inner, dict | list):
            scramble(inner)
    value.clear()
