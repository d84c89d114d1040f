"""Times without seconds, completed: models write `09:00`, and msgspec demands `09:00:00`."""

from __future__ import annotations

import re
from typing import Any, Final

from toolhaft.schema import format_patterns
from toolhaft.schema.document.places import PlaceIndex, replace_at, scalars
from toolhaft.spec import Path

__all__ = ["Clocks"]

TEMPORAL: Final = frozenset({
    format_patterns.CLOCK, format_patterns.ZONED_CLOCK, format_patterns.LOCAL_CLOCK,
    format_patterns.LOCAL, format_patterns.PATTERNS["date-time"],
})  # fmt: skip
SHORT: Final = re.compile(r"((?:.{10}[Tt ])?[0-9]{2}:[0-9]{2})([Zz]|[+-][0-9]{2}:[0-9]{2})?")


class Clocks:
    """The times that a gate asks for, place by place."""

    def __init__(self, gate: Any) -> None:
        self.index = PlaceIndex(gate)

    def complete(self, data: Any) -> Any:
        """Give the data with seconds in each time that has none.

        >>> Clocks({"properties": {"at": {"pattern": format_patterns.CLOCK}}}).complete(
        ...     {"at": "09:00+02:00", "text": "09:00"})
        {'at': '09:00:00+02:00', 'text': '09:00'}
        """
        short = [(path, SHORT.fullmatch(text)) for path, text in scalars(data, _is_short)]
        changes = {
            path: f"{match[1]}:00{match[2] or ''}"
            for path, match in short
            if match is not None and self.is_time(path)
        }
        return replace_at(data, changes) if changes else data

    def is_time(self, path: Path) -> bool:
        return any(part.get("pattern") in TEMPORAL for part in self.index.at(path).parts)


def _is_short(value: Any) -> bool:
    return type(value) is str and SHORT.fullmatch(value) is not None
