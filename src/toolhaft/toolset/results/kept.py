"""The facts about a kept result, and how it is read again."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from itertools import islice
from typing import Any, Final, NamedTuple

from toolhaft.jsonio import jsontext
from toolhaft.toolset.results.units import Unit, units_of, units_of_text

__all__ = ["EACH", "Facts", "Kept", "KeptInMemory"]

# The place of every so many units is known.
EACH: Final = 128


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
