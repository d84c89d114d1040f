"""One view of a call's arguments: what is shown, approved and run is the same value.

The *admitted* value is JSON from which the handler's objects are made; on tools that ask someone
it also has the value of each default factory, read back from the object that was made. The *shown*
value has the static defaults too, as the handler gets them. Objects are read along the fields that
their adapter names: no dump of an author's is ever fed back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple, TypeAlias

from toolhaft import vendors
from toolhaft.jsonio import jsondata
from toolhaft.vendors.adapter import FieldKey

__all__ = ["Unrepeatable", "View", "has_factories", "is_same", "view_of"]

Fields: TypeAlias = Mapping[type, Sequence[FieldKey]]


class Unrepeatable(Exception):
    """The object that is made of the admitted value again is another one: the program's fault."""

    def __init__(self) -> None:
        super().__init__(
            "the arguments made of what was admitted are others; let default factories give values "
            "that their own schema takes"
        )


class View(NamedTuple):
    """The JSON from which the objects are made, and the JSON that is shown."""

    admitted: Any
    shown: Any


def has_factories(fields: Fields) -> bool:
    """Whether some field is filled by a function of the author's."""
    return any(one.default == "factory" for keys in fields.values() for one in keys)


def view_of(fields: Fields, data: Any, value: Any, *, decimals: bool = False) -> View:
    """Read back what a value was made from besides the data that were sent.

    With `decimals`, the schema says of a Decimal that it is a number; otherwise it is a text.

    Raises:
        NotJson: A factory gave what is no JSON.
        Unrepeatable: A factory gave, for a part that is not kept, what is read as another value.
    """
    admitted = _Reading(fields, with_static=False, decimals=decimals).complete(data, value)
    whole = _Reading(fields, with_static=True, decimals=decimals)
    return View(admitted, whole.complete(admitted, value))


class _Reading:
    """One walk along data and the object made of them."""

    def __init__(self, fields: Fields, *, with_static: bool, decimals: bool) -> None:
        self.fields = fields
        self.with_static = with_static
        self.decimals = decimals

    def complete(self, data: Any, value: Any) -> Any:
        keys = self.fields.get(type(value))
        if keys is not None:
            return self.members(keys, data, value)
        if type(data) is dict and isinstance(value, Mapping):
            held = _items(data, value)
            return {key: self.complete(item, held[key]) for key, item in data.items()}
        if type(data) is list and isinstance(value, list | tuple) and len(data) == len(value):
            return [self.complete(item, made) for item, made in zip(data, value, strict=True)]
        return data

    def members(self, keys: Sequence[FieldKey], data: Any, value: Any) -> Any:
        if len(keys) == 1 and not keys[0].key:  # a root model
            return self.complete(data, getattr(value, keys[0].attribute))
        if type(data) is not dict:
            return data
        made = dict(data)
        for one in keys:
            if one.key in data and one.read is not None:
                made[one.key] = self.part(one.read, data[one.key])
                continue
            if not hasattr(value, one.attribute):
                continue
            held = getattr(value, one.attribute)
            if one.key in data:
                made[one.key] = self.complete(data[one.key], held)
            elif one.default == "factory":
                made[one.key] = self.written(held)
            elif one.default == "static" and self.with_static:
                try:
                    made[one.key] = self.written(held)
                except jsondata.NotJson:
                    continue  # infinity, a marker for "not given": it is not shown
        return made

    def part(self, read: Callable[[Any], Any], data: Any) -> Any:
        """Complete what an object was given and does not keep."""
        value = read(data)
        made = self.complete(data, value)
        is_filled = not self.with_static and made != data
        if is_filled and not is_same(self.fields, value, read(made)):
            raise Unrepeatable
        return made

    def written(self, value: Any) -> Any:
        """Write a value as the JSON from which it would be made."""
        keys = self.fields.get(type(value))
        if keys is not None:
            if len(keys) == 1 and not keys[0].key:
                return self.written(getattr(value, keys[0].attribute))
            tags = {one.key: one.constant for one in keys if not one.attribute}
            held = [one for one in keys if hasattr(value, one.attribute)]
            return tags | {one.key: self.written(getattr(value, one.attribute)) for one in held}
        if isinstance(value, list | tuple | set | frozenset):
            items = [self.written(item) for item in value]
            return jsondata.ordered(items) if isinstance(value, set | frozenset) else items
        if self.decimals and isinstance(value, Decimal) and value.is_finite():
            return Decimal(value)  # its digits are those of a number
        if isinstance(value, Mapping):
            names = jsondata.to_json_data(dict.fromkeys(value), foreign=vendors.dump_foreign)
            return dict(zip(names, map(self.written, value.values()), strict=True))
        return jsondata.to_json_data(value, foreign=vendors.dump_foreign)


ABSENT = object()


def _items(data: Mapping[str, Any], value: Mapping[Any, Any]) -> Mapping[str, Any]:
    """Give the item of a mapping for each key; keys that were read as dates keep their order."""
    if len(data) == len(value) and value.keys().isdisjoint(data):
        return dict(zip(data, value.values(), strict=True))
    return {key: value.get(key, ABSENT) for key in data}


def is_same(fields: Fields, one: Any, other: Any) -> bool:
    """Whether two objects were made from the same: private and further fields do not count."""
    if type(one) is not type(other):
        return False
    keys = fields.get(type(one))
    if keys is not None:
        names = [key.attribute for key in keys if key.attribute]
        return all(
            is_same(fields, getattr(one, name, ABSENT), getattr(other, name, ABSENT))
            for name in names
        )
    if isinstance(one, Mapping):
        return one.keys() == other.keys() and all(
            is_same(fields, item, other[key]) for key, item in one.items()
        )
    if isinstance(one, list | tuple):
        pairs = zip(one, other, strict=False)
        return len(one) == len(other) and all(is_same(fields, a, b) for a, b in pairs)
    return one is other or bool(one == other)  # NaN is no other than itself
