"""Whole numbers as their schema declares them: 5.0 and 5 are one number in JSON, not in Python.

A float that is a whole number is an integer (JSON Schema 2020-12 core, 4.2.3). Where it stands for
an integer it becomes an int, as long as that is exact: from 2^53 on a float does not say which
integer was meant (RFC 8259, 6).
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

from toolhaft.schema.places import Place, below, named_types, parts
from toolhaft.spec import Path

__all__ = ["as_declared", "inexact"]

EXACT = 1 << 53


def as_declared(root: Any, data: Any) -> Any:
    """Give integers for the floats that stand for integers; the data itself where there are none.

    `root` is in 2020-12 terms. The data is not changed, and a float of 2^53 or more stays as it is.

    >>> as_declared({"properties": {"n": {"type": "integer"}}}, {"n": 5.0, "x": 5.0})
    {'n': 5, 'x': 5.0}
    """
    return _settled(root, data, [Place(root)], (), []) if _has_whole_float(data) else data


def inexact(root: Any, data: Any) -> list[Path]:
    """Where a float stands for an integer that it does not say exactly.

    >>> inexact({"properties": {"n": {"type": "integer"}}}, {"n": 1e300})
    [('n',)]
    """
    found: list[Path] = []
    if _has_whole_float(data):
        _settled(root, data, [Place(root)], (), found)
    return found


def _has_whole_float(data: Any) -> bool:
    queue = [data]
    while queue:
        value = queue.pop()
        if type(value) is float and value.is_integer():
            return True
        if type(value) is dict:
            queue += value.values()
        elif type(value) is list:
            queue += value
    return False


def _settled(root: Any, value: Any, here: list[Place], path: Path, lost: list[Path]) -> Any:
    if type(value) is float:
        if not value.is_integer() or not _is_integer(root, here):
            return value
        if abs(value) < EXACT:
            return int(value)
        lost.append(path)
    if type(value) is dict:
        members = {
            key: _settled(root, item, below(root, here, key), (*path, key), lost)
            for key, item in value.items()
        }
        return value if all(members[key] is value[key] for key in value) else members
    if type(value) is list:
        items = list(_items(root, value, here, path, lost))
        return value if all(map(operator.is_, items, value)) else items
    return value


def _items(
    root: Any, items: list[Any], here: list[Place], path: Path, lost: list[Path]
) -> Iterator[Any]:
    """The items of an array; those after a tuple's all have the same schemas."""
    each = (part for place in here for part in parts(root, place.schema))
    longest = max((len(part.get("prefixItems", ())) for part in each), default=0)
    rest = below(root, here, longest)
    for place, item in enumerate(items):
        schemas = below(root, here, place) if place < longest else rest
        yield _settled(root, item, schemas, (*path, place), lost)


def _is_integer(root: Any, here: list[Place]) -> bool:
    """Whether integers are asked for, and no form asks for other numbers."""
    each = (named_types(part) for place in here for part in parts(root, place.schema))
    names = {name for types in each for name in types}
    return "integer" in names and "number" not in names
