"""Check or copy plain JSON data in one pass; all other data are left to `jsondata`.

Plain are dicts with text keys, lists, text without lone surrogates, finite numbers, booleans and
None, each of exactly that type.
"""

from __future__ import annotations

import re
from marshal import dumps
from typing import Any, Final

__all__ = [
    "MAX_DEPTH",
    "MAX_INTEGER",
    "MAX_SMALL_INTEGER",
    "MAX_VALUES",
    "MIN_INTEGER",
    "MIN_SMALL_INTEGER",
    "is_exact",
    "is_flat",
    "is_text",
    "plain_copy",
]

MAX_DEPTH = 32
# A JSON text of 1 MiB, the most that is read, holds at most half as many values as bytes.
MAX_VALUES = 1 << 19

# CPython neither reads nor writes integers of more than 4,300 digits unless told to.
MAX_INTEGER = 10**4300
MIN_INTEGER = -MAX_INTEGER
# Of integers, CPython compares those of up to 30 bits in a fifth of the time.
MAX_SMALL_INTEGER = 2**30 - 1
MIN_SMALL_INTEGER = -MAX_SMALL_INTEGER


def plain_copy(  # noqa: C901 - with the scalars in place it is 1.5 times as fast
    value: dict[Any, Any], room: int = MAX_VALUES, depth: int = MAX_DEPTH
) -> dict[str, Any] | None:
    """Copy a dict of plain JSON data; give None for data that need the exact check.

    `room` is shared out among the parts, so that some data are refused that are not too large.
    """
    copy = value.copy()
    room -= len(copy)
    if room < 0 or not depth:
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
            inner: Any = _plain_items if kind is list else plain_copy
            copied = inner(item, room // len(copy), depth - 1)
            if copied is not None:
                copy[key] = copied
                continue
        return None
    return copy


def _plain_items(  # noqa: C901, PLR0912 - as above
    value: list[Any], room: int, depth: int
) -> list[Any] | None:
    copy = value.copy()
    room -= len(copy)
    if room < 0 or not depth:
        return None
    share = room // (len(copy) or 1)
    for index, item in enumerate(copy):
        kind = type(item)
        if kind is str:
            if item.isascii() or is_text(item):
                continue
        elif kind is dict:
            copied: Any = item.copy()
            if depth == 1 or len(copied) > share or not is_flat(copied):  # most are
                copied = plain_copy(copied, share, depth - 1)
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
            copied = _plain_items(item, share, depth - 1)
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


# What can hold no integer of more than 4,300 digits, as `marshal` writes it.
_MOST_WRITTEN: Final = 1_900
# The format in which parts are written as often as they stand in data, and tuples all alike.
_WHOLE: Final = 2
_TUPLE: Final = b"("
# How the newest format writes tuples, and lists and dicts to which something else refers: what
# these stand for may be many times what is written. Text and numbers may hold such bytes too.
_ODD: Final = re.compile(b"[()\xa8\xa9\xdb\xfb]")
_SHARED: Final = re.compile(b"[\xdb\xfb]")
# The first byte of a surrogate in UTF-8, which may also stand in other parts.
_SURROGATE_START: Final = 0xED
_SURROGATE: Final = re.compile(b"\xed[\xa0-\xbf]")


def is_exact(data: Any) -> bool:
    """Whether small data are built of exact types, and its text has no lone surrogates.

    For a caller whose schema bounds the depth and refuses whatever else is not JSON; no may be
    said of data that are right. Nothing in CPython sees as fast that no subclass is among them as
    the writer of `marshal`, which knows none; what it writes is never read. Its newest format
    writes shared parts once, so that data that hold themselves are seen in no time.
    """
    try:
        written = dumps(data)
        if len(written) > _MOST_WRITTEN:
            return False
        # The first byte is the whole's, to which its caller refers.
        if _ODD.search(written, 1) is not None and (
            _SHARED.search(written, 1) is not None or _TUPLE in dumps(data, _WHOLE)
        ):
            return False
    except ValueError:
        return False
    return _SURROGATE_START not in written or _SURROGATE.search(written) is None


def is_text(text: str) -> bool:
    """Whether a string can be written as UTF-8: not so with a lone surrogate in it."""
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            return False
    return True
