"""A kept result: its facts, and its units, which are the items of an array or lines of text."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from itertools import chain, islice
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from toolhaft.jsonio import jsontext

__all__ = [
    "EACH",
    "Facts",
    "Kept",
    "KeptInMemory",
    "has_room_for",
    "units_of",
    "units_of_text",
]

# The place of every so many units is known.
EACH: Final = 128
Unit: TypeAlias = Literal["items", "lines"]
# A longer line is several units, so that each fits in what a model reads at once.
MOST_LINE: Final = 400


class Facts(NamedTuple):
    """The facts about a result: its tool, its owner, its size, and until when it is kept."""

    tool: str
    owner: str
    until: float
    unit: Unit
    total: int
    characters: int


class Kept:
    """A kept result; `read` yields its units from one of them on."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts

    def read(self, offset: int) -> Iterator[str]:
        """Yield the units from an offset on."""
        raise NotImplementedError


class KeptInMemory(Kept):
    """A result in memory: the data itself, which nobody changes, and the places of lines."""

    def __init__(self, data: Any, tool: str, owner: str, until: float) -> None:
        unit, units = units_of(data)
        if unit == "lines" and not isinstance(data, str):
            data = "".join(units)
            units = units_of_text(data)
        self._data, self._places = data, array("Q")
        count = characters = 0
        for written in units:
            if count % EACH == 0:
                self._places.append(characters)
            count, characters = count + 1, characters + len(written)
        super().__init__(Facts(tool, owner, until, unit, count, characters))

    def read(self, offset: int) -> Iterator[str]:
        """Yield the units from an offset on."""
        if self.facts.unit == "items":
            yield from (jsontext.write(self._data[at]) for at in range(offset, self.facts.total))
            return
        for block in range(offset // EACH, len(self._places)):
            begin, end = self._places[block], self._end(block)
            skipped = offset % EACH if block == offset // EACH else 0
            yield from islice(units_of_text(self._data[begin:end]), skipped, None)

    def _end(self, block: int) -> int:
        last = block + 1 == len(self._places)
        return self.facts.characters if last else self._places[block + 1]


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
