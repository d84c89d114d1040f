"""Numbers as their schema declares them: 5.0 and 5 are one number in JSON, not in Python.

A float that is a whole number is an integer (JSON Schema 2020-12 core, 4.2.3). Where it stands for
an integer it becomes an int, as long as that is exact: from 2^53 on a float does not say which
integer was meant (RFC 8259, 6).
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from toolhaft.schema.places import Place, below, named_types, parts
from toolhaft.spec import Issue, Path

__all__ = ["as_declared", "as_floats", "inexact"]

EXACT = 1 << 53
MOST = 1 << 1023  # a float holds no much larger integer

Change: TypeAlias = Callable[[Any, list[Place], Path], Any]


def as_declared(root: Any, data: Any) -> Any:
    """Give integers for the floats that stand for integers; the data itself where there are none.

    `root` is in 2020-12 terms. The data is not changed, and a float of 2^53 or more stays as it is.

    >>> as_declared({"properties": {"n": {"type": "integer"}}}, {"n": 5.0, "x": 5.0})
    {'n': 5, 'x': 5.0}
    """
    if not _holds(data, _is_whole_float):
        return data
    return _settled(root, data, [Place(root)], (), _as_integer(root, []))


def inexact(root: Any, data: Any) -> list[Issue]:
    """Say where a float stands for an integer that it does not say exactly.

    >>> list(map(str, inexact({"properties": {"n": {"type": "integer"}}}, {"n": 1e300})))
    ['n: expected integer, received number']
    """
    found: list[Path] = []
    if _holds(data, _is_whole_float):
        _settled(root, data, [Place(root)], (), _as_integer(root, found))
    message = "expected integer, received number"
    return [Issue(message, path, "type", "integer", "number") for path in found]


def as_floats(root: Any, data: Any) -> Any:
    """Give floats for the integers that stand where only numbers are declared.

    >>> as_floats({"properties": {"x": {"type": "number"}}}, {"n": 5, "x": 5})
    {'n': 5, 'x': 5.0}
    """

    def change(value: Any, here: list[Place], _: Path) -> Any:
        fits = type(value) is int and abs(value) < MOST
        return float(value) if fits and _asks(root, here, "number", "integer") else value

    if not _holds(data, lambda value: type(value) is int):
        return data
    return _settled(root, data, [Place(root)], (), change)


def _as_integer(root: Any, lost: list[Path]) -> Change:
    """Make integers of the floats that stand for them; add where that is not exact to `lost`."""

    def change(value: Any, here: list[Place], path: Path) -> Any:
        if not _is_whole_float(value) or not _asks(root, here, "integer", "number"):
            return value
        if abs(value) < EXACT:
            return int(value)
        lost.append(path)
        return value

    return change


def _is_whole_float(value: Any) -> bool:
    return type(value) is float and value.is_integer()


def _holds(data: Any, wanted: Callable[[Any], bool]) -> bool:
    queue = [data]
    while queue:
        value = queue.pop()
        if wanted(value):
            return True
        if type(value) is dict:
            queue += value.values()
        elif type(value) is list:
            queue += value
    return False


def _settled(root: Any, value: Any, here: list[Place], path: Path, change: Change) -> Any:
    if type(value) is dict:
        members = {
            key: _settled(root, item, below(root, here, key), (*path, key), change)
            for key, item in value.items()
        }
        return value if all(members[key] is value[key] for key in value) else members
    if type(value) is list:
        items = list(_items(root, value, here, path, change))
        return value if all(map(operator.is_, items, value)) else items
    return change(value, here, path)


def _items(
    root: Any, items: list[Any], here: list[Place], path: Path, change: Change
) -> Iterator[Any]:
    """The items of an array; those after a tuple's all have the same schemas."""
    each = (part for place in here for part in parts(root, place.schema))
    longest = max((len(part.get("prefixItems", ())) for part in each), default=0)
    rest = below(root, here, longest)
    for place, item in enumerate(items):
        schemas = below(root, here, place) if place < longest else rest
        yield _settled(root, item, schemas, (*path, place), change)


def _asks(root: Any, here: list[Place], wanted: str, other: str) -> bool:
    """Whether one kind of number is asked for, and no form asks for the other."""
    each = (named_types(part) for place in here for part in parts(root, place.schema))
    names = {name for types in each for name in types}
    return wanted in names and other not in names
