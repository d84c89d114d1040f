"""Numbers as their schema declares them: 5.0 and 5 are one number in JSON, not in Python.

A float that is a whole number is an integer (JSON Schema 2020-12 core, 4.2.3). Where it stands for
an integer it becomes an int, as long as that is exact: from 2^53 on a float does not say which
integer was meant (RFC 8259, 6).
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeAlias

from toolhaft.schema.floats import Look, floats_for_integers
from toolhaft.schema.places import Place, below, named_types, parts
from toolhaft.spec import Issue, Path

__all__ = ["Numbers"]

EXACT = 1 << 53
MOST = 1 << 1023  # a float holds no much larger integer

# How many places are remembered: an open map has as many as a caller thinks of keys.
MOST_PLACES = 1024

Wanted: TypeAlias = Callable[[Any], bool]


class Numbers:
    """The numbers that a schema asks for, place by place; what was found out is remembered.

    `root` is in 2020-12 terms. No data is changed.
    """

    def __init__(self, root: Any) -> None:
        self.root = root
        self.may_hold_floats: Look = floats_for_integers(root)
        self._known: dict[Path, _Asked] = {}

    def integers(self, data: Any) -> tuple[Any, list[Issue]]:
        """Give integers for the floats that stand for integers, else the data itself.

        A float of 2^53 or more stays as it is, and is an issue: it does not say which integer was
        meant.

        >>> numbers = Numbers({"properties": {"n": {"type": "integer"}}})
        >>> numbers.integers({"n": 5.0, "x": 5.0})
        ({'n': 5, 'x': 5.0}, [])
        >>> list(map(str, numbers.integers({"n": 1e300})[1]))
        ['n: expected integer, received number']
        """
        if not self.may_hold_floats((data,)):
            return data, []
        asked = list(self._asked(data, _is_whole_float, "integer", "number"))
        changes = {path: int(value) for path, value in asked if abs(value) < EXACT}
        message = "expected integer, received number"
        lost = [
            Issue(message, path, "type", "integer", "number")
            for path, _ in asked
            if path not in changes
        ]
        return _changed(data, changes, ()) if changes else data, lost

    def floats(self, data: Any) -> Any:
        """Give floats for the integers that stand where only numbers are declared.

        >>> Numbers({"properties": {"x": {"type": "number"}}}).floats({"n": 5, "x": 5})
        {'n': 5, 'x': 5.0}
        """
        changes = {
            path: float(value)
            for path, value in self._asked(data, _is_integer, "number", "integer")
            if abs(value) < MOST
        }
        return _changed(data, changes, ()) if changes else data

    def _asked(
        self, data: Any, wanted: Wanted, name: str, other: str
    ) -> Iterator[tuple[Path, Any]]:
        """The values that stand where one kind of number is asked for, and the other is not."""
        for path, value in _found(data, wanted, ()):
            names = self._at(path).names
            if name in names and other not in names:
                yield path, value

    def _at(self, path: Path) -> _Asked:
        """What is asked for at a path; items past those of a tuple all have the same schemas."""
        here = self._place(())
        known: Path = ()
        for step in path:
            known = (*known, min(step, here.longest) if isinstance(step, int) else step)
            here = self._place(known, here)
        return here

    def _place(self, path: Path, outer: _Asked | None = None) -> _Asked:
        found = self._known.get(path)
        if found is None:
            above = [] if outer is None else below(self.root, outer.places, path[-1])
            places = [Place(self.root)] if outer is None else above
            each = [part for place in places for part in parts(self.root, place.schema)]
            names = frozenset(name for part in each for name in named_types(part))
            longest = max((len(part.get("prefixItems", ())) for part in each), default=0)
            if len(self._known) >= MOST_PLACES:
                self._known.clear()
            found = self._known[path] = _Asked(places, names, longest)
        return found


class _Asked(NamedTuple):
    """The schemas of a place, the types that they name, and how long a tuple they speak of."""

    places: list[Place]
    names: frozenset[str]
    longest: int


def _is_whole_float(value: Any) -> bool:
    return type(value) is float and value.is_integer()


def _is_integer(value: Any) -> bool:
    return type(value) is int


def _found(value: Any, wanted: Wanted, path: Path) -> Iterator[tuple[Path, Any]]:
    """Every scalar that is wanted, and where it stands."""
    if type(value) is dict or type(value) is list:
        for step, item in value.items() if type(value) is dict else enumerate(value):
            if type(item) is dict or type(item) is list or wanted(item):
                yield from _found(item, wanted, (*path, step))
    elif wanted(value):
        yield path, value


def _changed(value: Any, changes: dict[Path, Any], path: Path) -> Any:
    """The data with changes in some places; a part without any is the same object."""
    if type(value) is dict:
        members = {key: _changed(item, changes, (*path, key)) for key, item in value.items()}
        return value if all(members[key] is value[key] for key in value) else members
    if type(value) is list:
        items = [_changed(item, changes, (*path, place)) for place, item in enumerate(value)]
        return value if all(map(operator.is_, items, value)) else items
    return changes.get(path, value)
