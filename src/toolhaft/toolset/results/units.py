"""The units in which a kept result is read: the items of a JSON array, or lines of text."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any, Final, Literal, TypeAlias

from toolhaft.jsonio import jsontext

__all__ = ["Unit", "has_room_for", "units_of", "units_of_text"]

Unit: TypeAlias = Literal["items", "lines"]
# A longer line is several units, so that each fits in what a model reads at once.
MOST_LINE: Final = 400


def units_of(data: Any) -> tuple[Unit, Iterator[str]]:
    r"""Return the units of a text or of JSON data, written one after the other.

    >>> kind, units = units_of([{"id": 1}, {"id": 2}])
    >>> kind, [*units]
    ('items', ['{"id":1}', '{"id":2}'])
    >>> [*units_of({"rows": [1, 2], "ok": True})[1]]
    ['{\n', '"rows":[\n', '1,\n', '2\n', '],\n', '"ok":true\n', '}\n']
    """
    if isinstance(data, list):
        return "items", map(jsontext.write, data)
    if isinstance(data, str):
        return "lines", units_of_text(data)
    parts = _lines(data) if isinstance(data, dict) else iter([jsontext.write(data)])
    return "lines", chain.from_iterable(map(units_of_text, parts))


def units_of_text(text: str) -> Iterator[str]:
    r"""Yield the lines of a text with their ends; a long one in pieces.

    >>> [*units_of_text("a\nb")], [len(unit) for unit in units_of_text("a" * 500)]
    (['a\n', 'b'], [400, 100])
    """
    start, size = 0, len(text)
    while start < size:
        end = text.find("\n", start, start + MOST_LINE) + 1 or min(start + MOST_LINE, size)
        yield text[start:end]
        start = end


def _lines(data: dict[str, Any]) -> Iterator[str]:
    """Write an object as lines: one for each member, and for each item of a list in it."""
    yield "{\n"
    for place, (key, value) in enumerate(data.items(), 1):
        head, comma = f"{jsontext.write(key)}:", "," if place < len(data) else ""
        if isinstance(value, list):
            yield f"{head}[\n"
            for index, item in enumerate(value, 1):
                yield f"{jsontext.write(item)}{',' if index < len(value) else ''}\n"
            yield f"]{comma}\n"
        else:
            yield f"{head}{jsontext.write(value)}{comma}\n"
    yield "}\n"


def has_room_for(data: Any, limit: int) -> bool:
    """Check whether a text or JSON data has at most so many characters, without writing more.

    >>> has_room_for([1] * 1_000_000, 100), has_room_for("short", 5)
    (False, True)
    """
    if isinstance(data, str):
        return len(data) <= limit
    unit, units = units_of(data)
    left = limit - 1 if unit == "items" else limit
    for written in units:  # compact JSON has a comma after an item, and no line ends
        left -= len(written) + 1 if unit == "items" else len(written.rstrip("\n"))
        if left < 0:
            return False
    return True
