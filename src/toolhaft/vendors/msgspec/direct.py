"""Which msgspec types are read in one step, and how many keys an object of them was read from.

Only of types whose fields are all required: a Struct does not remember which keys it was given.
msgspec takes a little more than JSON from a dict, tuples for lists and numbers that are not finite:
where there are any, the count of the keys is no number, and equals no other.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import nan
from typing import Any, Final, NamedTuple

from toolhaft.jsondata import MAX_DEPTH, is_exact, is_flat
from toolhaft.vendors.adapter import Direct

__all__ = ["direct"]

LEAVES: Final = frozenset({"StrType", "IntType", "FloatType", "BoolType", "NoneType"})
MOST_TYPES: Final = 200
# What can hold no integer of more than 4,300 digits, as `marshal` writes it.
MOST_WRITTEN: Final = 1_900
Count = Callable[[Any], Any]


class _Uncounted(Exception):
    """A type whose keys cannot be counted."""


class _Keys(NamedTuple):
    """How many keys a value was read from: always `fixed`, or by `read`; and of data, by `held`.

    `held` is None where there is nothing to count or to look at.
    """

    fixed: int | None
    read: Count
    held: Count | None


def direct(tp: Any, read: Callable[[Any], Any]) -> Direct | None:
    """Give the way to read a type in one step; None where there is none."""
    from msgspec import inspect, json

    info: Any = inspect.type_info(tp)
    try:
        fixed, count, held = _Counting().keys(info)
    except _Uncounted:
        return None
    if type(info).__name__ != "StructType" or held is None:
        return None
    read_text = json.Decoder(tp).decode
    if all(type(field.type).__name__ in LEAVES for field in info.fields):
        return Direct(is_flat, read, read_text, count, len, fixed)
    fits = partial(is_exact, most_written=MOST_WRITTEN)
    return Direct(fits, read, read_text, count, held, fixed)


class _Counting:
    """The counts of one type."""

    def __init__(self) -> None:
        self.left = MOST_TYPES  # a type may recur, or be used in many places

    def keys(self, info: Any, depth: int = 0) -> _Keys:
        kind = type(info).__name__
        self.left -= 1
        if not self.left or depth > MAX_DEPTH:
            raise _Uncounted
        if kind == "Metadata":
            return self.keys(info.type, depth)
        if kind in LEAVES:
            return _Keys(0, lambda _: 0, _not_finite if kind == "FloatType" else None)
        if kind == "ListType":
            return _items(self.keys(info.item_type, depth + 1))
        if kind == "StructType":
            return self.fields(info, depth + 1)
        raise _Uncounted

    def fields(self, info: Any, depth: int) -> _Keys:
        """A Struct's fields, and those of what it holds; a tag would be one key more."""
        if info.array_like or info.tag_field is not None or hasattr(info.cls, "__post_init__"):
            raise _Uncounted
        if not all(field.required for field in info.fields):
            raise _Uncounted
        found = [(field, self.keys(field.type, depth)) for field in info.fields]
        own = len(found)
        held = _held([(one.encode_name, keys.held) for one, keys in found if keys.held])
        counts = [(one.name, keys.read) for one, keys in found if keys.fixed != 0]
        if not counts:
            return _Keys(own, lambda _: own, held)

        def read(value: Any) -> int:
            total = own
            for name, count in counts:
                total += count(getattr(value, name))
            return total

        return _Keys(None, read, held)


def _held(parts: list[tuple[str, Count]]) -> Count:
    """Count the keys of a dict that has all of a Struct's; numbers are looked at in place."""
    numbers = [name for name, count in parts if count is _not_finite]
    others = [(name, count) for name, count in parts if count is not _not_finite]

    def held(data: dict[str, Any]) -> float:
        total: float = len(data)
        for name in numbers:
            number = data[name]
            total += number - number
        for name, count in others:
            total += count(data[name])
        return total

    return held if parts else len


def _not_finite(number: float) -> float:
    """Give 0, or what is no number for an infinity and for what is none already."""
    return number - number


def _items(keys: _Keys) -> _Keys:
    fixed, read, held = keys

    def count(value: Any) -> int:
        return sum(map(read, value)) if fixed is None else fixed * len(value)

    def held_in(items: Any) -> Any:
        if type(items) is not list:
            return nan
        return 0 if held is None else sum(map(held, items))

    return _Keys(0 if fixed == 0 else None, count, held_in)
