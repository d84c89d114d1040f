"""Python values at the boundary: exact copies of plain JSON data, and results as JSON data.

`snapshot` copies a caller's data, `read_plain` an author's data in a definition, and `to_json_data`
a handler's result. Each copies once, within a depth and a number of values, so no later change to
the original can change the checked data.
"""

from __future__ import annotations

from collections import OrderedDict, UserDict, UserString
from collections.abc import Callable, Iterable, Mapping, Sequence
from gc import get_referents
from operator import attrgetter, is_
from types import MappingProxyType
from typing import Any, Final

from toolhaft.jsonio.conversions import NotConvertible, conversion, name_of, table
from toolhaft.jsonio.plaindata import (
    MAX_DEPTH,
    MAX_INTEGER,
    MAX_SMALL_INTEGER,
    MAX_VALUES,
    MIN_INTEGER,
    MIN_SMALL_INTEGER,
    is_flat,
    is_text,
)
from toolhaft.jsonio.primitives import plain_copy
from toolhaft.spec import Issue

__all__ = [
    "UNKNOWN",
    "NotJson",
    "NotPlain",
    "read_plain",
    "snapshot",
    "sort_items",
    "to_exact",
    "to_json_data",
]

# The serialisers in use refuse at about 255 levels.
_MAX_RESULT_DEPTH = 200
# Deeper than any limit that a definition is held to.
_MAX_DEFINITION_DEPTH = 200
# Sequences that are no lists.
_TEXTS = (UserString, bytes, bytearray, memoryview)
_INFINITY = float("inf")

UNKNOWN: Final = object()
"""The result of a `foreign` callback for an object that it does not know."""


class NotPlain(ValueError):
    """Data that a caller handed in is not plain JSON; `issues` says where and why."""

    def __init__(self, issues: Iterable[Issue]) -> None:
        self.issues = list(issues)
        super().__init__("; ".join(map(str, self.issues)))


class NotJson(NotPlain):
    """A result cannot be JSON data; `issues` says where and why."""


def snapshot(
    value: Any,
    *,
    max_depth: int = MAX_DEPTH,
    max_values: int = MAX_VALUES,
    decimals: bool = False,
) -> Any:
    """Copy plain JSON data: text keys, finite numbers, no tuples, no other objects.

    With `decimals`, a finite Decimal is a number too.

    Subclasses of the plain types are read as those, by the methods of the plain types. A dict or
    list that answers for itself (it overrides how it is read) is refused, since what it holds need
    not be what it says. Read-only views of dicts and `UserDict` are read as the dict behind them.

    Raises:
        NotPlain: also for lone surrogates, integers over 4,300 digits, cycles, depth and size.

    >>> snapshot({"city": "Paris", "days": (1, 2)})
    Traceback (most recent call last):
        ...
    toolhaft.jsonio.jsondata.NotPlain: days: expected plain JSON data, received tuple
    """
    if type(value) is dict:
        copy = plain_copy(value, max_values, max_depth)
        if copy is not None:
            return copy
    try:
        return _Copier(max_depth, max_values, decimals=decimals).copy_value(value, 0)
    except NotConvertible as fault:
        issue = fault.issue()
    raise NotPlain([issue])


def read_plain(value: Any) -> Any:
    """Copy plain JSON data in containers of any kind, as authors write them in a definition.

    Every Mapping becomes a dict and every Sequence a list, read by their own methods; subclasses of
    text and numbers become those.

    Raises:
        NotPlain: It holds anything else, or is nested deeper than a definition may be.

    >>> from collections import ChainMap, deque
    >>> read_plain(ChainMap({"enum": deque(["a", "b"])}, {"type": "string"}))
    {'type': 'string', 'enum': ['a', 'b']}
    """
    if type(value) is dict:
        copy = plain_copy(value, MAX_VALUES, _MAX_DEFINITION_DEPTH)
        if copy is not None:
            return copy
    try:
        return _Reader(_MAX_DEFINITION_DEPTH).copy_value(value, 0)
    except NotConvertible as fault:
        issue = fault.issue()
    except RecursionError:  # from far down the stack there is less room than that
        issue = Issue("nested too deep", (), "json")
    raise NotPlain([issue])


def to_json_data(
    value: Any,
    *,
    foreign: Callable[[Any], Any] | None = None,
    max_depth: int = _MAX_RESULT_DEPTH,
) -> Any:
    """Return the JSON data of a handler's result.

    | Python | JSON | |---|---| | None, bool, int, float, str | themselves; numbers finite, integers
    up to 4,300 digits | | list, tuple, named tuple | array | | dict, read-only views of dicts,
    `UserDict` | object; keys are text or written as text | | set, frozenset | array: numbers, then
    text, then the rest, each in order | | Enum | its value | | datetime, date, time | ISO 8601, UTC
    as Z | | timedelta | ISO 8601 duration in days, hours, minutes and seconds: P1DT2H30M | |
    Decimal, UUID, pathlib paths | their text; a Decimal is finite | | bytes | text, if it is UTF-8
    | | a dataclass's instance | object, field by field |

    `foreign` decides about everything that is not exactly one of these types, and returns `UNKNOWN`
    for a value that it does not know. Subclasses count as their base type.

    Raises:
        NotJson: for everything else, with the path and the type's name.

    >>> to_json_data({"tags": {"b", "a"}, "at": (1, 2.5)})
    {'tags': ['a', 'b'], 'at': [1, 2.5]}
    """
    kind = type(value)
    if value is None or kind is bool or (kind is str and value.isascii()):
        return value
    if kind is int and MIN_SMALL_INTEGER < value < MAX_SMALL_INTEGER:
        return value
    if kind is dict or kind is list:  # most are plain
        copy = plain_copy({"": value}, MAX_VALUES, max_depth + 1)
        if copy is not None:
            return copy[""]
    try:
        return _Dumper(max_depth, foreign).copy_value(value, 0)
    except NotConvertible as fault:
        issue = fault.issue()
    raise NotJson([issue])


class _Copier:
    """Copies one value, and counts the values that it may still hold."""

    __slots__ = ("decimals", "max_depth", "max_values", "room")

    def __init__(
        self, max_depth: int, max_values: int = MAX_VALUES, *, decimals: bool = False
    ) -> None:
        self.decimals = decimals
        self.max_depth = max_depth
        self.max_values = self.room = max_values

    def copy_value(self, value: Any, depth: int) -> Any:
        kind = type(value)
        if kind is dict:
            return self.copy_members(value.copy(), depth)
        if kind is list:
            return self.copy_items(value.copy(), depth)
        if kind is str:
            if not is_text(value):
                raise NotConvertible("lone surrogate in a text")
        elif kind is int:
            if not MIN_INTEGER < value < MAX_INTEGER:
                raise NotConvertible("number too large")
        elif kind is float:
            if not -_INFINITY < value < _INFINITY:
                raise NotConvertible("not a finite number")
        elif kind is not bool and value is not None:
            return self.copy_unusual(value, depth)
        return value

    def copy_members(  # noqa: C901 - one loop with the scalars in place is 1.5 times as fast
        self, copy: dict[Any, Any], depth: int
    ) -> dict[str, Any]:
        """Check a fresh copy of an exact dict, and put copies of its parts in their place."""
        self.room -= len(copy)
        if depth >= self.max_depth or self.room < 0:
            raise self.limit_error()
        key: Any = None
        try:
            for key, item in copy.items():
                if type(key) is not str or not (key.isascii() or is_text(key)):
                    break
                kind = type(item)
                # The commonest cases of `value`, in place: most of the speed lies here.
                if kind is str:
                    if item.isascii():
                        continue
                elif kind is int:
                    if MIN_SMALL_INTEGER < item < MAX_SMALL_INTEGER:
                        continue
                elif kind is float:
                    if item - item == 0:
                        continue
                elif kind is bool or item is None:
                    continue
                copy[key] = self.copy_value(item, depth + 1)
            else:
                return copy
        except NotConvertible as fault:
            fault.steps.append(key)
            raise
        return self.copy_members(self.with_text_keys(copy.items()), depth)

    def copy_items(self, copy: list[Any], depth: int) -> list[Any]:
        """Check a fresh copy of an exact list, and put copies of its parts in their place."""
        self.room -= len(copy)
        if depth >= self.max_depth or self.room < 0:
            raise self.limit_error()
        index = 0
        try:
            for index, item in enumerate(copy):
                kind = type(item)
                if kind is dict:
                    if depth + 1 < self.max_depth and len(item) <= self.room and is_flat(item):
                        self.room -= len(item)
                        copy[index] = item.copy()
                    else:
                        copy[index] = self.copy_members(item.copy(), depth + 1)
                elif kind is not str or not item.isascii():
                    copy[index] = self.copy_value(item, depth + 1)
        except NotConvertible as fault:
            fault.steps.append(index)
            raise
        return copy

    def limit_error(self) -> NotConvertible:
        """Make the error of the limit: depth also ends cycles, size also shared parts."""
        if self.room < 0:
            return NotConvertible(f"more than {self.max_values} values")
        return NotConvertible(f"nested deeper than {self.max_depth} levels")

    def with_text_keys(self, members: Iterable[tuple[Any, Any]]) -> dict[str, Any]:
        """Make every key exact text, before anything asks it for its hash."""
        copy: dict[str, Any] = {}
        for key, item in members:
            text = self.read_key(key)
            if type(text) is not str:
                raise NotConvertible("keys must be text")
            if not is_text(text):
                raise NotConvertible("lone surrogate in a key")
            if text in copy:
                raise NotConvertible("key written twice")
            copy[text] = item
        return copy

    def read_key(self, key: Any) -> Any:
        """Read a key as exact text, or return None if it is not text."""
        return str.__str__(key) if issubclass(type(key), str) else None

    def copy_unusual(self, value: Any, depth: int) -> Any:
        """Read a subclass of a plain type as that, by that type's own methods."""
        kind = type(value)
        if self.decimals and _is_decimal(value):
            return value
        for base, read in _SCALARS.items():
            if issubclass(kind, base):
                return self.copy_value(read(value), depth)
        if issubclass(kind, list) and _reads_as(kind, list):
            return self.copy_items(list.copy(value), depth)
        if issubclass(kind, dict) and (_reads_as(kind, dict) or _reads_as(kind, OrderedDict)):
            return self.copy_members(self.with_text_keys(dict.items(value)), depth)
        if kind is MappingProxyType:
            return self.copy_value(
                get_referents(value)[0], depth
            )  # asks no method of what it shows
        if kind is UserDict:
            return self.copy_value(value.data, depth)
        name = name_of(kind)
        raise NotConvertible(f"expected plain JSON data, received {name}", name)


class _Reader(_Copier):
    """A copy that reads containers of any kind, by their own methods."""

    __slots__ = ()

    def copy_unusual(self, value: Any, depth: int) -> Any:
        if isinstance(value, Mapping):
            return self.copy_members(self.with_text_keys(value.items()), depth)
        if isinstance(value, Sequence) and not isinstance(value, (str, *_TEXTS)):
            return self.copy_items(list(value), depth)
        return super().copy_unusual(value, depth)


class _Dumper(_Copier):
    """A copy that also takes what the table of `to_json_data` lists."""

    __slots__ = ("foreign",)

    def __init__(self, max_depth: int, foreign: Callable[[Any], Any] | None) -> None:
        super().__init__(max_depth)
        self.foreign = foreign

    def read_key(self, key: Any) -> Any:
        convert = conversion(type(key))
        return super().read_key(key) if convert is None else convert(key)

    def copy_unusual(self, value: Any, depth: int) -> Any:
        """Ask the table, then `foreign`, then the table again for what the value inherits from."""
        kind = type(value)
        convert = table().get(kind)
        if convert is None and self.foreign is not None:
            data = self._foreign(value, self.foreign)
            if data is not UNKNOWN:
                if depth >= self.max_depth:  # it may return the same object for ever
                    raise self.limit_error()
                return self.copy_value(data, depth + 1)
        if issubclass(kind, set | frozenset):
            return sort_items(self.copy_value(item, depth + 1) for item in value)
        convert = convert or conversion(kind)
        return (
            super().copy_unusual(value, depth)
            if convert is None
            else self.copy_value(convert(value), depth)
        )

    def _foreign(self, value: Any, write: Callable[[Any], Any]) -> Any:
        """Call `foreign`; an issue inside the object becomes one of the value around it."""
        try:
            return write(value)
        except NotJson as error:
            fault = error.issues[0]
        raise NotConvertible(fault.message, fault.received, fault.path)


# How a subclass of a plain type is read: by these, whatever methods it has of its own.
_SCALARS: dict[type, Callable[[Any], Any]] = {
    str: str.__str__,
    int: int.__int__,
    float: float.__float__,
}
_LIST_READS = attrgetter("__getitem__", "__iter__")
_DICT_READS = attrgetter("__getitem__", "__iter__", "get", "items", "keys", "values")


def to_exact(value: Any) -> Any:
    """Return a subclass of text or of a number as its base, and anything else as it is."""
    kind = type(value)
    if kind is not bool and kind not in _SCALARS:
        for base, read in _SCALARS.items():
            if issubclass(kind, base):
                return read(value)
    return value


def _is_decimal(value: object) -> bool:
    """Whether a value is a finite Decimal, whose module is imported where one is looked for."""
    from decimal import Decimal

    return type(value) is Decimal and value.is_finite()


def _reads_as(kind: type, base: type) -> bool:
    """Whether a subclass is read exactly as its base is."""
    reads = _LIST_READS if base is list else _DICT_READS
    return all(map(is_, reads(kind), reads(base)))


def sort_items(data: Iterable[Any]) -> list[Any]:
    """Return the JSON data of a set's items in an order that is the same in every process."""
    return sorted(data, key=_rank)


def _rank(data: Any) -> tuple[int, float, str]:
    if isinstance(data, int | float):
        return 0, data, ""
    return (1, 0, data) if isinstance(data, str) else (2, 0, repr(data))
