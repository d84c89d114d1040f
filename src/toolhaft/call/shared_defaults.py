"""Mutable defaults that a library hands to every object: each call gets copies of its own.

Libraries copy a default by its type or if it cannot be hashed, and a frozen object with a list in
it is neither: what one call appends would be there in the next.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from datetime import date, time, timedelta
from typing import Any, Final
from uuid import UUID

from toolhaft.vendors.fields import Fields

__all__ = ["SharedDefaults", "is_mutable"]

# What a deep copy would make anew, to no end; of numbers and text it makes none.
IMMUTABLE: Final = (date, time, timedelta, UUID)
CONTAINERS: Final = (list, tuple, set, frozenset)


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


class SharedDefaults:
    """The mutable defaults of the fields of classes, and their copies in constructed objects."""

    def __init__(self, fields: Mapping[type, Fields]) -> None:
        self._fields = fields
        self._defaults = {cls: dict(_mutable_defaults(cls)) for cls in fields}
        self.are_there: bool = any(self._defaults.values())

    def copy_in(self, value: Any) -> None:
        """Put copies in the place of shared defaults, in fresh objects and all inside them."""
        values, visited = [value], set()
        for item in values:  # which grows meanwhile
            if id(item) in visited:
                continue
            visited.add(id(item))
            if type(item) in self._fields:
                values += self._copy_in_object(item)
            elif isinstance(item, Mapping):
                values += item.values()
            elif isinstance(item, CONTAINERS):
                values += item

    def _copy_in_object(self, instance: Any) -> Iterator[Any]:
        """Replace the defaults of one object; give what else it holds."""
        defaults = self._defaults[type(instance)]
        keys = self._fields[type(instance)].keys
        for name in dict.fromkeys([*defaults, *(key.attribute for key in keys)]):
            value = getattr(instance, name, None) if name else None
            if name in defaults and value is defaults[name]:
                _set_attribute(instance, name, deepcopy(value))
            elif value is not None:
                yield value


def _mutable_defaults(cls: Any) -> Iterator[tuple[str, Any]]:
    """Give those that are shared: pydantic copies what cannot be hashed, the others nothing."""
    shares_all = hasattr(cls, "__attrs_attrs__") or hasattr(cls, "__struct_fields__")
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


def _static_defaults(cls: Any) -> Iterator[tuple[str, Any]]:
    """Give the defaults that a class declares, and each library's markers for none."""
    struct_defaults = getattr(cls, "__struct_defaults__", ())
    if struct_defaults:
        yield from zip(cls.__struct_fields__[-len(struct_defaults) :], struct_defaults, strict=True)
    for attribute in getattr(cls, "__attrs_attrs__", ()):
        yield attribute.name, attribute.default
    for marker in ("__dataclass_fields__", "__pydantic_fields__"):
        for name, field in getattr(cls, marker, {}).items():
            yield name, field.default


def _set_attribute(instance: Any, name: str, value: Any) -> None:
    """Set an attribute of a frozen object, too; a struct has slots, and nothing else sets them."""
    if hasattr(instance, "__struct_fields__"):
        getattr(type(instance), name).__set__(instance, value)
    else:
        object.__setattr__(instance, name, value)
