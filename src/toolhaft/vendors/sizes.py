"""How many values a dump of an object would hold, before its library makes it.

A part that stands in many places is written in each: twenty lists, each twice in the next one, are
a million values of twenty objects.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Any, Final

from toolhaft.jsonio.plaindata import MAX_VALUES
from toolhaft.jsonio.primitives import is_small
from toolhaft.spec import Issue

__all__ = ["count_values", "too_large"]

_SEQUENCES: Final = (list, tuple, set, frozenset, deque)
# Where the classes of libraries list their fields, and whatever else their objects are dumped with.
_FIELDS: Final = ("__dataclass_fields__", "__struct_fields__", "__pydantic_fields__")
_MORE: Final = "__pydantic_extra__"


def too_large(value: object) -> list[Issue]:
    """Return an issue if the dump of an object would hold too many values, otherwise none."""
    if is_small(value) or count_values(value) <= MAX_VALUES:
        return []
    return [Issue(f"more than {MAX_VALUES} values", code="json")]


def count_values(value: object) -> int:
    """Count the values of a dump, each wherever it stands; a cycle counts once.

    Every object is looked at once, however often it stands in others.

    >>> twice = [1, 2]
    >>> count_values([twice, twice])
    6
    """
    # The objects are kept, or another one could have the place of one in memory.
    sizes: dict[int, tuple[int, object]] = {}
    stack: list[tuple[object, list[Any] | None]] = [(value, None)]
    while stack:
        item, parts = stack.pop()
        if parts is not None:
            held = sum(sizes[id(part)][0] for part in parts if id(part) in sizes)
            sizes[id(item)] = len(parts) + held, item
        elif id(item) not in sizes:
            parts = list(_parts(item))
            sizes[id(item)] = 0, item
            if parts:
                stack.append((item, parts))
                stack += [(part, None) for part in parts if not isinstance(part, str | int | float)]
    return sizes[id(value)][0]


def _parts(value: Any) -> Iterable[Any]:
    """Return what an object of a container or of a library's class is dumped with."""
    if isinstance(value, dict):
        return dict.values(value)
    if isinstance(value, _SEQUENCES):
        return value
    parts = [getattr(value, name, None) for name in _names(type(value))]
    return parts + list((getattr(value, _MORE, None) or {}).values())


def _names(kind: Any) -> Iterable[str]:
    for listed in _FIELDS:
        fields: Any = getattr(kind, listed, None)
        if isinstance(fields, dict):
            return [name for name, field in fields.items() if not getattr(field, "exclude", None)]
        if fields is not None:
            return [str(name) for name in fields]
    return [field.name for field in getattr(kind, "__attrs_attrs__", ())]
