"""Turn msgspec's error into an issue, with its path as far as msgspec gives it."""

from __future__ import annotations

import re
from typing import Any, Final

from toolhaft.schema.format_patterns import format_words
from toolhaft.spec import Code, Issue, Path

__all__ = ["issue_of"]

MAX_WORDS: Final = 300


def issue_of(error: Exception, data: Any) -> Issue:
    """Turn a `ValidationError` into an issue; the schema's own findings have better words."""
    text, _, place = str(error).partition(" - at `$")
    cause = error.__cause__  # what an author's __post_init__ raised
    code, message = _code_and_message(text) if cause is None else ("custom", str(cause)[:MAX_WORDS])
    return Issue(message or "refused", _path(place.rstrip("`"), data), code)


def _code_and_message(text: str) -> tuple[Code, str]:
    if text.startswith("Expected `int`, got `float`"):  # a whole one, too large to be exact
        return "type", "expected integer, received number"
    for start, name in _FORMAT_FAULTS.items():
        if text.startswith(start):
            return "format", f"expected {format_words(name)}"
    return "custom", "not accepted"


_FORMAT_FAULTS: Final = {
    "Invalid RFC3339 encoded datetime": "date-time",
    "Invalid RFC3339 encoded date": "date",
    "Invalid RFC3339 encoded time": "time",
    "Invalid ISO8601 duration": "duration",
    "Invalid UUID": "uuid",
    "Invalid base64": "base64",
    "Invalid decimal": "decimal",
    "Expected `datetime` with a timezone": "date-time with a zone",
    "Expected `datetime` with no timezone": "date-time without a zone",
}


def _path(place: str, data: Any) -> Path:
    """Read `.a[0]` along the data, as far as it is certain: keys of open maps are `[...]`."""
    steps: list[str | int] = []
    while place and (step := _step(place, data)) is not None:
        key, text = step
        steps.append(key)
        data, place = data[key], place[len(text) :]
    return tuple(steps)


def _step(place: str, data: Any) -> tuple[Any, str] | None:
    if isinstance(data, list):
        match = re.match(r"\[(\d+)\]", place)
        return (int(match[1]), match[0]) if match else None
    keys = [f".{key}" for key in data] if isinstance(data, dict) else []
    matching = [key for key in keys if re.match(re.escape(key) + r"(?=[.\[]|$)", place)]
    return (matching[0][1:], matching[0]) if len(matching) == 1 else None
