"""Python values at the boundary: exact copies of plain JSON data, and results as JSON data.

`snapshot` takes what a caller hands in, `dumped` what a handler gives back. Both copy once, from
exact base types, within a depth and a number of values, so that nothing that happens to the
original later, and no method of it, can change what was checked.
"""

from __future__ import annotations

import re
from collections import OrderedDict, UserDict
from collections.abc import Callable, Iterable
from gc import get_referents
from marshal import dumps
from types import MappingProxyType
from typing import Any, Final

from toolhaft.conversions import DataFault, conversion, name_of, table
from toolhaft.spec import Issue

__all__ = [
    "MAX_DEPTH",
    "MAX_VALUES",
    "UNKNOWN",
    "NotJson",
    "NotPlain",
    "dumped",
    "exact",
    "is_exact",
    "ordered",
    "plain_copy",
    "snapshot",
]

MAX_DEPTH = 32
# The serialisers in use refuse at about 255 levels.
_MAX_RESULT_DEPTH = 200
# A JSON text of 1 MiB, the most that is read, holds at most half as many values as bytes.
MAX_VALUES = 1 << 19

# CPython neither reads nor writes integers of more than 4,300 digits unless told to.
_MOST = 10**4300
_LEAST = -_MOST
# Of integers, CPython compares those of up to 30 bits in a fifth of the time.
_MANY = 2**30 - 1
_FEW = -_MANY
_INFINITY = float("inf")

UNKNOWN: Final = object()
"""What a `foreign` callback returns for an object that it does not know."""


class NotPlain(ValueError):
    """Data that a caller handed in is not plain JSON; `issues` says where and why."""

    def __init__(self, issues: Iterable[Issue]) -> None:
        self.issues = list(issues)
        super().__init__("; ".join(map(str, self.issues)))


class NotJson(NotPlain):
    """A result cannot be JSON data; `issues` says where and why."""


def snapshot(value: Any, *, max_depth: int = MAX_DEPTH, max_values: int = MAX_VALUES) -> Any:
    """Copy plain JSON data: text keys, finite numbers, no tuples, no other objects.

    Subclasses of the plain types are read as those, by the methods of the plain types. A dict or
    list that answers for itself (it overrides how it is read) is refused, since what it holds need
    not be what it says. Read-only views of dicts and `UserDict` are read as the dict behind them.

    Raises:
        NotPlain: also for lone surrogates, integers over 4,300 digits, cycles, depth and size.

    >>> snapshot({"city": "Paris", "days": (1, 2)})
    Traceback (most recent call last):
        ...
    toolhaft.jsondata.NotPlain: days: expected plain JSON data, received tuple
    """
    if type(value) is dict:
        copy = plain_copy(value, max_values, max_depth)
        if copy is not None:
            return copy
    try:
        return _Copier(max_depth, max_values).value(value, 0)
    except DataFault as fault:
        issue = fault.issue()
    raise NotPlain([issue])


def plain_copy(  # noqa: C901 - with the scalars in place it is 1.5 times as fast
    value: dict[Any, Any], room: int = MAX_VALUES, depth: int = MAX_DEPTH
) -> dict[str, Any] | None:
    """Copy a dict that is plain JSON data throughout; give None for all that has to be looked at.

    `room` is shared out among the parts, so that some data are refused that are not too large.
    """
    copy = value.copy()
    room -= len(copy)
    if room < 0 or not depth:
        return None
    for key, item in copy.items():
        if type(key) is not str or not (key.isascii() or _is_text(key)):
            return None
        kind = type(item)
        if kind is str:
            if item.isascii() or _is_text(item):
                continue
        elif kind is int:
            if _FEW < item < _MANY or _LEAST < item < _MOST:
                continue
        elif kind is float:
            if item - item == 0:  # not so infinities and NaN
                continue
        elif kind is bool or item is None:
            continue
        elif kind is list or kind is dict:
            inner: Any = _plain_items if kind is list else plain_copy
            made = inner(item, room // len(copy), depth - 1)
            if made is not None:
                copy[key] = made
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
    for place, item in enumerate(copy):
        kind = type(item)
        if kind is str:
            if item.isascii() or _is_text(item):
                continue
        elif kind is dict:
            made: Any = item.copy()
            if depth == 1 or len(made) > share or not is_flat(made):  # most are
                made = plain_copy(made, share, depth - 1)
            if made is not None:
                copy[place] = made
                continue
        elif kind is int:
            if _FEW < item < _MANY or _LEAST < item < _MOST:
                continue
        elif kind is float:
            if item - item == 0:
                continue
        elif kind is bool or item is None:
            continue
        elif kind is list:
            made = _plain_items(item, share, depth - 1)
            if made is not None:
                copy[place] = made
                continue
        return None
    return copy


def is_flat(members: dict[Any, Any]) -> bool:
    """Whether a dict holds only plain scalars: most do, and it is cheap to see."""
    for key, item in members.items():
        kind = type(item)
        if kind is str:
            if not item.isascii() and not _is_text(item):
                return False
        elif kind is int:
            if not _FEW < item < _MANY and not _LEAST < item < _MOST:
                return False
        elif kind is float:
            if item - item != 0:  # infinities and NaN
                return False
        elif kind is not bool and item is not None:
            return False
        if type(key) is not str or not (key.isascii() or _is_text(key)):
            return False
    return True


_MOST_WRITTEN: Final = 4096


def is_exact(data: dict[str, Any], most_written: int = _MOST_WRITTEN) -> bool:
    """Whether a small dict is built of exact types, and its text has no lone surrogates.

    For a caller whose validator bounds the depth and refuses whatever else is not JSON; no may be
    said of data that are right. Nothing in CPython sees as fast that no subclass is among them as
    the writer of `marshal`, which knows none; what it writes is never read. It writes parts that
    are shared only once: 4,096 bytes stand for at most 200,000 values two lists deep.
    """
    try:
        written = dumps(data)
    except ValueError:
        return False
    if len(written) > most_written:
        return False
    return _SURROGATE_START not in written or _SURROGATE.search(written) is None


# How a surrogate would be written in UTF-8; its first byte may also be Hangul, or in a number.
_SURROGATE_START: Final = 0xED
_SURROGATE: Final = re.compile(b"\xed[\xa0-\xbf]")


def dumped(
    value: Any,
    *,
    foreign: Callable[[Any], Any] | None = None,
    max_depth: int = _MAX_RESULT_DEPTH,
) -> Any:
    """Give the JSON data of a handler's result.

    | Python | JSON |
    |---|---|
    | None, bool, int, float, str | themselves; numbers finite, integers up to 4,300 digits |
    | list, tuple, named tuple | array |
    | dict, read-only views of dicts, `UserDict` | object; keys are text or written as text |
    | set, frozenset | array: numbers, then text, then the rest, each in order |
    | Enum | its value |
    | datetime, date, time | ISO 8601, UTC as Z |
    | timedelta | ISO 8601 duration in days, hours, minutes and seconds: P1DT2H30M |
    | Decimal, UUID, pathlib paths | their text; a Decimal is finite |
    | bytes | text, where it is UTF-8 |
    | a dataclass's instance | object, field by field |

    `foreign` decides about everything that is not exactly one of these types, and returns
    `UNKNOWN` for what it does not know. Subclasses count as their base type.

    Raises:
        NotJson: for everything else, with the path and the type's name.

    >>> dumped({"tags": {"b", "a"}, "at": (1, 2.5)})
    {'tags': ['a', 'b'], 'at': [1, 2.5]}
    """
    kind = type(value)
    if kind is str and value.isascii():
        return value
    if kind is dict:
        copy = plain_copy(value, MAX_VALUES, max_depth)
        if copy is not None:
            return copy
    try:
        return _Dumper(max_depth, foreign).value(value, 0)
    except DataFault as fault:
        issue = fault.issue()
    raise NotJson([issue])


def _is_text(text: str) -> bool:
    """Whether a string can be written as UTF-8: not so with a lone surrogate in it."""
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            return False
    return True


class _Copier:
    """One copy in the making, with the room that is left for it."""

    __slots__ = ("max_depth", "max_values", "room")

    def __init__(self, max_depth: int, max_values: int = MAX_VALUES) -> None:
        self.max_depth = max_depth
        self.max_values = self.room = max_values

    def value(self, value: Any, depth: int) -> Any:
        kind = type(value)
        if kind is dict:
            return self.members(value.copy(), depth)
        if kind is list:
            return self.items(value.copy(), depth)
        if kind is str:
            if not _is_text(value):
                raise DataFault("lone surrogate in a text")
        elif kind is int:
            if not _LEAST < value < _MOST:
                raise DataFault("number too large")
        elif kind is float:
            if not -_INFINITY < value < _INFINITY:
                raise DataFault("not a finite number")
        elif kind is not bool and value is not None:
            return self.unusual(value, depth)
        return value

    def members(  # noqa: C901 - one loop with the scalars in place is 1.5 times as fast
        self, copy: dict[Any, Any], depth: int
    ) -> dict[str, Any]:
        """Check a fresh copy of an exact dict, and put copies of its parts in their place."""
        self.room -= len(copy)
        if depth >= self.max_depth or self.room < 0:
            raise self.too_much()
        key: Any = None
        try:
            for key, item in copy.items():
                if type(key) is not str or not (key.isascii() or _is_text(key)):
                    break
                kind = type(item)
                # The commonest cases of `value`, in place: most of the speed lies here.
                if kind is str:
                    if item.isascii():
                        continue
                elif kind is int:
                    if _FEW < item < _MANY:
                        continue
                elif kind is float:
                    if item - item == 0:
                        continue
                elif kind is bool or item is None:
                    continue
                copy[key] = self.value(item, depth + 1)
            else:
                return copy
        except DataFault as fault:
            fault.steps.append(key)
            raise
        return self.members(self.with_text_keys(copy.items()), depth)

    def items(self, copy: list[Any], depth: int) -> list[Any]:
        """Do the same for a fresh copy of an exact list."""
        self.room -= len(copy)
        if depth >= self.max_depth or self.room < 0:
            raise self.too_much()
        index = 0
        try:
            for index, item in enumerate(copy):
                kind = type(item)
                if kind is dict:
                    if depth + 1 < self.max_depth and is_flat(item):
                        self.room -= len(item)
                        copy[index] = item.copy()
                    else:
                        copy[index] = self.members(item.copy(), depth + 1)
                elif kind is not str or not item.isascii():
                    copy[index] = self.value(item, depth + 1)
        except DataFault as fault:
            fault.steps.append(index)
            raise
        return copy

    def too_much(self) -> DataFault:
        """Say which limit ended it: depth also ends cycles, size also parts that multiply."""
        if self.room < 0:
            return DataFault(f"more than {self.max_values} values")
        return DataFault(f"nested deeper than {self.max_depth} levels")

    def with_text_keys(self, members: Iterable[tuple[Any, Any]]) -> dict[str, Any]:
        """Make every key exact text, before anything asks it for its hash."""
        made: dict[str, Any] = {}
        for key, item in members:
            text = self.key(key)
            if type(text) is not str or not _is_text(text):
                raise DataFault("keys must be text")
            if text in made:
                raise DataFault("key written twice")
            made[text] = item
        return made

    def key(self, key: Any) -> Any:
        """Read a key as exact text; give anything else where it is none."""
        return str.__str__(key) if issubclass(type(key), str) else None

    def unusual(self, value: Any, depth: int) -> Any:
        """Read a subclass of a plain type as that, by that type's own methods."""
        kind = type(value)
        for base, read in _SCALARS.items():
            if issubclass(kind, base):
                return self.value(read(value), depth)
        if issubclass(kind, list) and _reads_as(kind, list):
            return self.items(list.copy(value), depth)
        if issubclass(kind, dict) and (_reads_as(kind, dict) or _reads_as(kind, OrderedDict)):
            return self.members(self.with_text_keys(dict.items(value)), depth)
        if kind is MappingProxyType:
            return self.value(get_referents(value)[0], depth)  # asks no method of what it shows
        if kind is UserDict:
            return self.value(value.data, depth)
        name = name_of(kind)
        raise DataFault(f"expected plain JSON data, received {name}", name)


class _Dumper(_Copier):
    """A copy that also takes what the table of `dumped` lists."""

    __slots__ = ("foreign",)

    def __init__(self, max_depth: int, foreign: Callable[[Any], Any] | None) -> None:
        super().__init__(max_depth)
        self.foreign = foreign

    def key(self, key: Any) -> Any:
        convert = conversion(type(key))
        return super().key(key) if convert is None else convert(key)

    def unusual(self, value: Any, depth: int) -> Any:
        """Ask the table, then `foreign`, then the table again for what the value inherits from."""
        kind = type(value)
        convert = table().get(kind)
        if convert is None and self.foreign is not None:
            data = self._foreign(value, self.foreign)
            if data is not UNKNOWN:
                if depth >= self.max_depth:  # it may give back the same object for ever
                    raise self.too_much()
                return self.value(data, depth + 1)
        if issubclass(kind, set | frozenset):
            return ordered(self.value(item, depth + 1) for item in value)
        convert = convert or conversion(kind)
        return (
            super().unusual(value, depth) if convert is None else self.value(convert(value), depth)
        )

    def _foreign(self, value: Any, write: Callable[[Any], Any]) -> Any:
        """Ask `foreign`; what is wrong inside the object is wrong inside what holds it."""
        try:
            return write(value)
        except NotJson as error:
            fault = error.issues[0]
        raise DataFault(fault.message, fault.received, fault.path)


# How a subclass of a plain type is read: by these, whatever methods it has of its own.
_SCALARS: dict[type, Callable[[Any], Any]] = {
    str: str.__str__,
    int: int.__int__,
    float: float.__float__,
}
_LIST_READS = ("__getitem__", "__iter__")
_DICT_READS = ("__getitem__", "__iter__", "get", "items", "keys", "values")


def exact(value: Any) -> Any:
    """Give a subclass of text or of a number as its base, and anything else as it is."""
    kind = type(value)
    if kind is not bool and kind not in _SCALARS:
        for base, read in _SCALARS.items():
            if issubclass(kind, base):
                return read(value)
    return value


def _reads_as(kind: type, base: type) -> bool:
    """Whether a subclass is read exactly as its base is."""
    names = _LIST_READS if base is list else _DICT_READS
    return all(getattr(kind, name) is getattr(base, name) for name in names)


def ordered(data: Iterable[Any]) -> list[Any]:
    """Give the JSON data of a set's items in an order that is the same in every process."""
    return sorted(data, key=_rank)


def _rank(data: Any) -> tuple[int, float, str]:
    if isinstance(data, int | float):
        return 0, data, ""
    return (1, 0, data) if isinstance(data, str) else (2, 0, repr(data))
