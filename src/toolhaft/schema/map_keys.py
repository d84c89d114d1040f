"""Find maps with two equal keys: `0` and `-0`, or one instant in two zones.

A key in JSON is text. If an adapter marks that the keys of a map are read as another type
(`schema.marks`), their `propertyNames` names the type, and different texts may be equal there: a
person would see two entries, and one would run. Keys are read by the standard library, and so alike
for all validators; a library's own types are read by the library.
"""

from __future__ import annotations

from binascii import a2b_base64
from collections.abc import Callable, Hashable, Iterable, Mapping
from contextlib import suppress
from datetime import datetime, time
from decimal import Decimal
from functools import partial
from re import findall
from typing import Any, Final, TypeAlias
from uuid import UUID

from toolhaft.schema import format_patterns as patterns
from toolhaft.schema.document.places import PlaceIndex, PlaceSchemas
from toolhaft.schema.document.references import followed
from toolhaft.schema.document.walk import nodes_of
from toolhaft.schema.formats import format_of
from toolhaft.schema.marks import marks_of
from toolhaft.spec import Issue

__all__ = ["KEY_CHANGES", "MapKeys", "key_reader"]

# Gives what a key is read as, or raises `ValueError` for one of another type.
ReadKey: TypeAlias = Callable[[str], Hashable]


def _read_instant(text: str) -> Hashable:
    return datetime.fromisoformat(text.upper())


def _read_clock(text: str) -> Hashable:
    return time.fromisoformat(text.upper())


_DAYS: Final = {"Y": 365 * 86_400, "M": 30 * 86_400, "W": 7 * 86_400, "D": 86_400}
_HOURS: Final = {"H": 3_600, "M": 60, "S": 1}


def _read_duration(text: str) -> Hashable:
    """Count the microseconds of a duration; years and months have no calendar.

    >>> _read_duration("P1DT0.5S") == _read_duration("PT24H0.500S") == 86_400_500_000
    True
    """
    days, _, clock = text.partition("T")
    parts = [(days, _DAYS), (clock, _HOURS)]
    seconds = sum(
        Decimal(count) * units[unit]
        for part, units in parts
        for count, unit in findall(r"([0-9.]+)([A-Z])", part)
    )
    return round(seconds * 1_000_000) * (-1 if text.startswith("-") else 1)


def _read_interface(text: str) -> Hashable:
    from ipaddress import ip_interface  # few maps have such keys, and it costs a millisecond

    return ip_interface(text)


def _read_network(text: str) -> Hashable:
    from ipaddress import ip_network

    return ip_network(text)


def _read_path(text: str) -> Hashable:
    from pathlib import PurePath

    return PurePath(text)


# By the format of the keys, or by their pattern if they have no format. An adapter adds the formats
# that its library alone has.
READERS: Final[dict[str, ReadKey]] = {
    patterns.BOOLEAN_KEY: ("false", "true").index,
    patterns.INTEGER_KEY: int,
    patterns.NUMBER_KEY: float,
    patterns.DECIMAL: Decimal,
    "date-time": _read_instant,
    patterns.LOCAL: _read_instant,
    **dict.fromkeys((patterns.CLOCK, patterns.ZONED_CLOCK, patterns.LOCAL_CLOCK), _read_clock),
    "duration": _read_duration,
    "uuid": UUID,
    "byte": a2b_base64,
    **dict.fromkeys(("ipv6", "ipv4interface", "ipv6interface"), _read_interface),
    **dict.fromkeys(("ipv4network", "ipv6network"), _read_network),
    **dict.fromkeys(("path", "file-path", "directory-path"), _read_path),
}


# How a library may change a key that is text.
KEY_CHANGES: Final[Mapping[str, Callable[[str], str]]] = {
    "strip_whitespace": str.strip,
    "to_lower": str.lower,
    "to_upper": str.upper,
}


# The marks of maps whose keys are read otherwise.
KEYED: Final = frozenset({"key_changes", "typed_keys"})


def _change(changes: Iterable[str], text: str) -> str:
    for change in changes:
        text = KEY_CHANGES[change](text)
    return text


def key_reader(root: Any, node: Any) -> ReadKey | None:
    """Return the reader of a map's keys, or None if different texts are different keys."""
    facts = marks_of(node)
    if "key_changes" in facts:
        return partial(_change, facts["key_changes"])
    if not facts.get("typed_keys"):
        return None
    return _reader_of(root, node.get("propertyNames"))


def _reader_of(root: Any, names: Any) -> ReadKey | None:
    names = followed(root, names)
    if not isinstance(names, dict):
        return None
    readers = [_reader_of(root, form) for form in names.get("anyOf", ())]
    if any(readers):
        return partial(_read_first, tuple(filter(None, readers)))
    return READERS.get(format_of(names)) or READERS.get(names.get("pattern", ""))


def _read_first(readers: Iterable[ReadKey], text: str) -> Hashable:
    """Read a key as the first form of a union that it is; else it is text."""
    for read in readers:
        with suppress(ValueError, ArithmeticError):
            return read(text)
    return text


class MapKeys:
    """The maps of one schema whose keys are read as another type than text.

    A schema without `marks` about keys has none.
    """

    def __init__(
        self, root: Any, marks: frozenset[str] = KEYED, places: PlaceIndex | None = None
    ) -> None:
        self._root = root
        self._places = places or PlaceIndex(root)
        nodes = () if KEYED.isdisjoint(marks) else nodes_of(root)
        self._has_readers = any(key_reader(root, node) for node in nodes)

    def issues(self, data: Any) -> list[Issue]:
        """List the maps with two keys that are one."""
        maps = self._places.walk(data, _is_map) if self._has_readers else ()
        found = ((path, self._equal_entries(value, place)) for path, value, place in maps)
        return [
            Issue(f"entries {at[0]} and {at[1]} have the same key, keep one of them", path, "value")
            for path, at in found
            if at is not None
        ]

    def _equal_entries(self, value: Any, place: PlaceSchemas) -> tuple[int, int] | None:
        readers = {key_reader(self._root, part) for part in place.parts}
        pairs = (_equal_entries(read, value) for read in readers if read is not None)
        return next(filter(None, pairs), None)


def _is_map(value: Any) -> bool:
    return type(value) is dict


def _equal_entries(read: ReadKey, entries: Mapping[str, Any]) -> tuple[int, int] | None:
    """Return the places, counted from one, of the first two entries whose keys are equal."""
    places: dict[Hashable, int] = {}
    for place, key in enumerate(entries, 1):
        try:
            first = places.setdefault(read(key), place)
        except (ValueError, ArithmeticError):
            continue  # a key of another branch of a union
        if first != place:
            return first, place
    return None
