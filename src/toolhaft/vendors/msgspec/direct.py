"""Which msgspec types are read in one step, and how many keys an object of them was read from.

Only of types whose fields are all required: a Struct does not remember which keys it was given.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from toolhaft.jsondata import MAX_DEPTH, is_flat
from toolhaft.vendors.adapter import Direct

__all__ = ["direct"]

LEAVES: Final = frozenset({"StrType", "IntType", "FloatType", "BoolType", "NoneType"})
MOST_TYPES: Final = 200
Count = Callable[[Any], int]


class _Uncounted(Exception):
    """A type whose keys cannot be counted."""


def direct(tp: Any, read: Callable[[Any], Any]) -> Direct | None:
    """Give the way to read a type in one step; None where there is none."""
    from msgspec import inspect, json

    info = inspect.type_info(tp)
    try:
        fixed, count = _Counting().keys(info)
    except _Uncounted:
        return None
    if type(info).__name__ != "StructType":
        return None
    return Direct(is_flat, read, json.Decoder(tp).decode, count, len, fixed)


class _Counting:
    """The counts of one type: a number where each value has as many, and how to count others."""

    def __init__(self) -> None:
        self.left = MOST_TYPES  # a type may recur, or be used in many places

    def keys(self, info: Any, depth: int = 0) -> tuple[int | None, Count]:
        kind = type(info).__name__
        self.left -= 1
        if not self.left or depth > MAX_DEPTH:
            raise _Uncounted
        if kind == "Metadata":
            return self.keys(info.type, depth)
        if kind in LEAVES:
            return 0, lambda _: 0
        if kind == "ListType":
            return _items(*self.keys(info.item_type, depth + 1))
        if kind == "StructType":
            return self.fields(info, depth + 1)
        raise _Uncounted

    def fields(self, info: Any, depth: int) -> tuple[int | None, Count]:
        """A Struct's fields, and those of what it holds; a tag would be one key more."""
        if info.array_like or info.tag_field is not None or hasattr(info.cls, "__post_init__"):
            raise _Uncounted
        if not all(field.required for field in info.fields):
            raise _Uncounted
        found = [(field.name, *self.keys(field.type, depth)) for field in info.fields]
        inner = [(name, count) for name, fixed, count in found if fixed != 0]
        own = len(found)
        if not inner:
            return own, lambda _: own
        return None, lambda value: own + sum(count(getattr(value, name)) for name, count in inner)


def _items(fixed: int | None, count: Count) -> tuple[int | None, Count]:
    if fixed is None:
        return None, lambda value: sum(map(count, value))
    return (None if fixed else 0), lambda value: fixed * len(value)
