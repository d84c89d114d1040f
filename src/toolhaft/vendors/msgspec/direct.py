"""Which msgspec types are read in one step, and how many keys an object of them was read from.

Only of types whose fields are all required: a Struct does not remember which keys it was given.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from toolhaft.jsondata import is_flat
from toolhaft.vendors.adapter import Direct

__all__ = ["direct"]

LEAVES: Final = frozenset({"StrType", "IntType", "FloatType", "BoolType", "NoneType"})
Count = Callable[[Any], int]


class _Uncounted(Exception):
    """A type whose keys cannot be counted."""


def direct(tp: Any, read: Callable[[Any], Any]) -> Direct | None:
    """Give the way to read a type in one step; None where there is none."""
    from msgspec import inspect, json

    info = inspect.type_info(tp)
    try:
        fixed, count = _keys(info)
    except _Uncounted:
        return None
    if type(info).__name__ != "StructType":
        return None
    return Direct(is_flat, read, json.Decoder(tp).decode, count, len, fixed)


def _keys(info: Any) -> tuple[int | None, Count]:
    """Count the keys of a type: a number where each value has as many, and how to count others."""
    kind = type(info).__name__
    if kind == "Metadata":
        return _keys(info.type)
    if kind in LEAVES:
        return 0, lambda _: 0
    if kind == "ListType":
        return _items(*_keys(info.item_type))
    if kind == "StructType":
        return _fields(info)
    raise _Uncounted


def _items(fixed: int | None, count: Count) -> tuple[int | None, Count]:
    if fixed is None:
        return None, lambda value: sum(map(count, value))
    return (None if fixed else 0), lambda value: fixed * len(value)


def _fields(info: Any) -> tuple[int | None, Count]:
    """A Struct's fields, and those of what it holds; how it says its own type is one more key."""
    if info.array_like or info.tag_field is not None or hasattr(info.cls, "__post_init__"):
        raise _Uncounted
    if not all(field.required for field in info.fields):
        raise _Uncounted
    found = [(field.name, *_keys(field.type)) for field in info.fields]
    inner = [(name, count) for name, fixed, count in found if fixed != 0]
    own = len(found)
    if not inner:
        return own, lambda _: own
    return None, lambda value: own + sum(count(getattr(value, name)) for name, count in inner)
