"""A validator library in one file, as somebody might have written it: it knows no toolhaft."""

from __future__ import annotations

from typing import Any


class Shape:
    """An object with these fields, of these types, and no text is blank."""

    def __init__(self, **fields: type) -> None:
        self.fields = fields

    def check(self, data: dict[str, Any]) -> dict[str, Any]:
        """Return the data with text in title case, or raise ValueError."""
        for name, kind in self.fields.items():
            if kind is str and not data[name].strip():
                raise ValueError(f"{name} is blank")
        return {name: one.title() if isinstance(one, str) else one for name, one in data.items()}
