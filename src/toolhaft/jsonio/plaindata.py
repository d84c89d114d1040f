"""Check or copy plain JSON data in one pass; all other data are left to `jsondata`.

Plain are dicts with text keys, lists, text without lone surrogates, finite numbers, booleans and
None, each of exactly that type.
"""

from __future__ import annotations

from gc import get_referents
from typing import Any

__all__ = [
    "FEW_REFERENTS",
    "MAX_DEPTH",
    "MAX_INTEGER",
    "MAX_SMALL_INTEGER",
    "MAX_VALUES",
    "MIN_INTEGER",
    "MIN_SMALL_INTEGER",
    "is_flat",
    "is_plain",
    "is_small",
    "is_text",
    "plain_copy",
]

MAX_DEPTH = 32
# A JSON text of 1 MiB, the most that is read, holds at most half as many values as bytes.
MAX_VALUES = 1 << 19
FEW_REFERENTS = 1 << 16

# CPython neither reads nor writes integers of more than 4,300 digits unless told to.
MAX_INTEGER = 10**4300
MIN_INTEGER = -MAX_INTEGER
# CPython compares integers of up to 30 bits in a fifth of the time.
MAX_SMALL_INTEGER = 2**30 - 1
MIN_SMALL_INTEGER = -MAX_SMALL_INTEGER


def plain_copy(
    value: dict[Any, Any], room: int = MAX_VALUES, depth: int = MAX_DEPTH
) -> dict[str, Any] | None:
    """Copy a dict of plain JSON data, or return None for data that need the exact check.

    `room` is the most values that it may have, each counted at every place.
    """
    return _copy_members(value, [room], depth)


def _copy_members(  # noqa: C901 - with the scalars in place it is 1.5 times as fast
    value: dict[Any, Any], room: list[int], depth: int
) -> dict[str, Any] | None:
    copy = value.copy()
    room[0] -= len(copy)
    if room[0] < 0 or not depth:
        return None
    for key, item in copy.items():
        if type(key) is not str or not (key.isascii() or is_text(key)):
            return None
        kind = type(item)
        if kind is str:
            if item.isascii() or is_text(item):
                continue
        elif kind is int:
            if MIN_SMALL_INTEGER < item < MAX_SMALL_INTEGER or MIN_INTEGER < item < MAX_INTEGER:
                continue
        elif kind is float:
            if item - item == 0:  # not so infinities and NaN
                continue
        elif kind is bool or item is None:
            continue
        elif kind is list or kind is dict:
            inner: Any = _copy_items if kind is list else _copy_members
            copied = inner(item, room, depth - 1)
            if copied is not None:
                copy[key] = copied
                continue
        return None
    return copy


def _copy_items(  # noqa: C901, PLR0912 - as above
    value: list[Any], room: list[int], depth: int
) -> list[Any] | None:
    copy = value.copy()
    room[0] -= len(copy)
    if room[0] < 0 or not depth:
        return None
    for index, item in enumerate(copy):
        kind = type(item)
        if kind is str:
            if item.isascii() or is_text(item):
                continue
        elif kind is dict:
            copied: Any = item.copy()
            if depth == 1 or not is_flat(copied):  # most are
                copied = _copy_members(copied, room, depth - 1)
            else:
                room[0] -= len(copied)
                if room[0] < 0:
                    return None
            if copied is not None:
                copy[index] = copied
                continue
        elif kind is int:
            if MIN_SMALL_INTEGER < item < MAX_SMALL_INTEGER or MIN_INTEGER < item < MAX_INTEGER:
                continue
        elif kind is float:
            if item - item == 0:
                continue
        elif kind is bool or item is None:
            continue
        elif kind is list:
            copied = _copy_items(item, room, depth - 1)
            if copied is not None:
                copy[index] = copied
                continue
        return None
    return copy


def is_flat(members: Any) -> bool:  # noqa: C901, PLR0911 - a call for each value costs more
    """Whether data are a dict that holds only plain scalars: most do, and it is cheap to see."""
    if type(members) is not dict:
        return False
    for key, item in members.items():
        kind = type(item)
        if kind is str:
            if not item.isascii() and not is_text(item):
                return False
        elif kind is int:
            if (
                not MIN_SMALL_INTEGER < item < MAX_SMALL_INTEGER
                and not MIN_INTEGER < item < MAX_INTEGER
            ):
                return False
        elif kind is float:
            if item - item != 0:  # infinities and NaN
                return False
        elif kind is not bool and item is not None:
            return False
        if type(key) is not str or not (key.isascii() or is_text(key)):
            return False
    return True


def is_plain(data: Any, room: int = MAX_VALUES, depth: int = MAX_DEPTH) -> bool:
    """Whether `plain_copy` would copy a dict, or a list, of plain JSON data."""
    return _is_plain(data, [room], depth)


def _is_plain(  # noqa: C901, PLR0911, PLR0912 - as above
    data: Any, room: list[int], depth: int
) -> bool:
    if type(data) is dict:
        for key in data:
            if type(key) is not str or not (key.isascii() or is_text(key)):
                return False
    elif type(data) is not list:
        return False
    room[0] -= len(data)
    if room[0] < 0 or not depth:
        return False
    for item in data.values() if type(data) is dict else data:
        kind = type(item)
        if kind is str:
            if not item.isascii() and not is_text(item):
                return False
        elif kind is int:
            if (
                not MIN_SMALL_INTEGER < item < MAX_SMALL_INTEGER
                and not MIN_INTEGER < item < MAX_INTEGER
            ):
                return False
        elif kind is float:
            if item - item != 0:  # infinities and NaN
                return False
        elif kind is list or kind is dict:
            if not _is_plain(item, room, depth - 1):
                return False
        elif kind is not bool and item is not None:
            return False
    return True


def is_text(text: str) -> bool:
    """Whether a string can be written as UTF-8: not so with a lone surrogate in it."""
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            return False
    return True


def is_small(value: object) -> bool:
    """Check whether an object refers to few others, each counted wherever it stands.

    It is quick, and counts more than a dump of the object can hold: private attributes too.
    """
    room, queue = FEW_REFERENTS, [value]
    while queue:
        parts = get_referents(queue.pop())
        room -= len(parts)
        if room < 0:
            return False
        queue += [part for part in parts if not isinstance(part, type)]
    return True
