"""Mutable defaults that a library passes to every object: each call gets its own copies.

Libraries copy a default by its type or if it cannot be hashed, and a frozen object with a list in
it is neither: items that one call appends would be there in the next.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from datetime import date, time, timedelta
from functools import partial
from typing import Any, Final
from uuid import UUID

from toolhaft.vendors.fields import Fields

__all__ = ["SharedDefaults", "copy_of", "is_mutable"]

# Immutable types that a deep copy would still copy, without end; it copies no numbers and text.
IMMUTABLE: Final = (date, time, timedelta, UUID)
# A list of these is copied by itself.
ATOMIC: Final = frozenset({str, int, float, bool, type(None)})
CONTAINERS: Final = (list, tuple, set, frozenset)
# Attributes of classes for which some library returns each default as it is, even a list.
SHARING: Final = ("__attrs_attrs__", "__struct_fields__", "_field_defaults")


def is_mutable(default: Any) -> bool:
    """Whether a value, or a part of it, can be changed in place and be copied.

    A sentinel has neither an equal copy nor a state: it is meant to be one object.

    >>> is_mutable(([],)), is_mutable(("a", 1)), is_mutable(object())
    (True, False, False)
    """
    if isinstance(default, IMMUTABLE):
        return False
    try:
        duplicate = deepcopy(default)
        if duplicate is default:
            return False
        return bool(duplicate == default) or default.__getstate__() is not None
    except Exception:  # noqa: BLE001 - a lock or a client cannot be copied, and is shared
        return False


def copy_of(default: Any) -> Any:
    """Return a deep copy of a default; most are empty lists, or lists of text."""
    kind = type(default)
    if kind is dict:
        return deepcopy(default) if default else {}
    is_flat = (kind is list or kind is set) and ATOMIC.issuperset(map(type, default))
    return default.copy() if is_flat else deepcopy(default)


class SharedDefaults:
    """The mutable defaults of the fields of classes, and their copies in constructed objects."""

    def __init__(self, fields: Mapping[type, Fields]) -> None:
        self._fields = fields
        self._defaults: Mapping[type, dict[Any, Any]] = {
            cls: dict(_mutable_defaults(cls)) for cls in fields
        }
        self.are_there: bool = any(self._defaults.values())

    def with_copies(self, value: Any) -> Any:
        """Replace shared defaults by copies, in fresh objects and all objects inside them.

        An immutable container, such as a tuple, is made anew if it has any.
        """
        return self._copy_in(value, {})

    def _copy_in(self, value: Any, visited: dict[int, tuple[Any, Any]]) -> Any:
        if id(value) not in visited:
            visited[id(value)] = value, value  # an object may hold itself
            defaults = self._defaults.get(type(value), {})
            changes = {}
            for step, item in self._steps(value):
                is_default = step in defaults and item is defaults[step]
                fresh = copy_of(item) if is_default else self._copy_in(item, visited)
                if fresh is not item:
                    changes[step] = fresh
            if changes:
                visited[id(value)] = value, _with_changes(value, changes)
        return visited[id(value)][1]

    def _steps(self, value: Any) -> Iterable[tuple[Any, Any]]:
        """Return the parts of an object, with their attribute, key or place."""
        cls = type(value)
        if cls in self._fields and not isinstance(value, tuple):
            attributes = (key.attribute for key in self._fields[cls].keys)
            names = dict.fromkeys([*self._defaults[cls], *filter(None, attributes)])
            return [(name, getattr(value, name, None)) for name in names]
        if isinstance(value, Mapping):
            return value.items()
        return enumerate(value) if isinstance(value, CONTAINERS) else ()


def _mutable_defaults(cls: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the shared defaults of a class: pydantic copies values that cannot be hashed."""
    shares_all = any(map(partial(hasattr, cls), SHARING))
    for name, default in _static_defaults(cls):
        is_shared = shares_all or _is_hashable(default)
        if is_shared and not hasattr(default, "factory") and is_mutable(default):
            yield name, default


def _is_hashable(default: Any) -> bool:
    try:
        hash(default)
    except Exception:  # noqa: BLE001 - an author's `__hash__` runs here
        return False
    return True


def _static_defaults(cls: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the defaults that a class declares, and each library's markers for none."""
    for name, default in getattr(cls, "_field_defaults", {}).items():  # of a named tuple
        yield cls._fields.index(name), default
    struct_defaults = getattr(cls, "__struct_defaults__", ())
    if struct_defaults:
        yield from zip(cls.__struct_fields__[-len(struct_defaults) :], struct_defaults, strict=True)
    for attribute in getattr(cls, "__attrs_attrs__", ()):
        yield attribute.name, attribute.default
    for marker in ("__dataclass_fields__", "__pydantic_fields__"):
        for name, field in getattr(cls, marker, {}).items():
            yield name, field.default


def _with_changes(value: Any, changes: Mapping[Any, Any]) -> Any:
    """Change what an object holds, in place if it can be."""
    cls = type(value)
    if isinstance(value, dict | list):
        for step, item in changes.items():
            value[step] = item
        return value
    if isinstance(value, Mapping):
        return cls({**value, **changes})
    if isinstance(value, CONTAINERS):
        items = [changes.get(place, item) for place, item in enumerate(value)]
        return getattr(cls, "_make", cls)(items)
    for name, item in changes.items():
        _set_attribute(value, name, item)
    return value


def _set_attribute(instance: Any, name: str, value: Any) -> None:
    """Set an attribute of a frozen object, too; a struct has slots, and nothing else sets them."""
    if hasattr(instance, "__struct_fields__"):
        getattr(type(instance), name).__set__(instance, value)
    else:
        object.__setattr__(instance, name, value)
