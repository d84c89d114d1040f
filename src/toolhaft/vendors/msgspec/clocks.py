"""Times without seconds, completed: models write `09:00`, and msgspec demands `09:00:00`."""

from __future__ import annotations

import re
from typing import Any, Final

from toolhaft.schema import format_patterns
from toolhaft.schema.document.places import PlaceIndex, PlaceSchemas, replace_at
from toolhaft.schema.document.walk import nodes_of

__all__ = ["Clocks"]

TEMPORAL: Final = frozenset({
    format_patterns.CLOCK, format_patterns.ZONED_CLOCK, format_patterns.LOCAL_CLOCK,
    format_patterns.LOCAL, format_patterns.PATTERNS["date-time"],
})  # fmt: skip
SHORT: Final = re.compile(r"((?:.{10}[Tt ])?[0-9]{2}:[0-9]{2})([Zz]|[+-][0-9]{2}:[0-9]{2})?")


class Clocks:
    """The times that a gate asks for, place by place, as values and as keys of maps."""

    def __init__(self, gate: Any, places: PlaceIndex | None = None) -> None:
        self.places: PlaceIndex = places or PlaceIndex(gate)
        self.has_keys: bool = any(map(_has_times_as_keys, nodes_of(gate)))

    def complete(self, data: Any) -> Any:
        """Return the data with seconds in each time that has none.

        >>> Clocks({"properties": {"at": {"pattern": format_patterns.CLOCK}}}).complete(
        ...     {"at": "09:00+02:00", "text": "09:00"})
        {'at': '09:00:00+02:00', 'text': '09:00'}
        """
        changes = {
            path: _with_seconds(text)
            for path, text, place in self.places.walk(data, _is_short)
            if any(map(_is_time, place.parts))
        }
        data = replace_at(data, changes) if changes else data
        return self.complete_keys(data, self.places.whole()) if self.has_keys else data

    def complete_keys(self, value: Any, place: PlaceSchemas) -> Any:
        """Return data with seconds in each key of a map that is a time and has none."""
        if type(value) is list:
            return [self.complete_keys(item, place.step(at)) for at, item in enumerate(value)]
        if type(value) is not dict:
            return value
        place = place.fitting(value)
        items = {key: self.complete_keys(item, place.step(key)) for key, item in value.items()}
        if not any(map(_has_times_as_keys, place.parts)):
            return items
        return {_with_seconds(key): item for key, item in items.items()}


def _is_short(value: Any) -> bool:
    return type(value) is str and SHORT.fullmatch(value) is not None


def _with_seconds(text: str) -> str:
    match = SHORT.fullmatch(text)
    return text if match is None else f"{match[1]}:00{match[2] or ''}"


def _is_time(node: Any) -> bool:
    return isinstance(node, dict) and node.get("pattern") in TEMPORAL


def _has_times_as_keys(node: Any) -> bool:
    return isinstance(node, dict) and _is_time(node.get("propertyNames"))
