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
from toolhaft.spec import Path
from toolhaft.vendors.adapter import Adapter
from toolhaft.vendors.fields import FieldKey, Fields

__all__ = ["Unrepeatable", "View", "has_factories", "is_same", "view_of", "written"]

FieldsOf: TypeAlias = Mapping[type, Fields]
# What stands for no value; a scalar that says so is not there either.
ABSENT = jsondata.UNKNOWN


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


def has_factories(adapter: Adapter[Any]) -> bool:
    """Whether some field is filled by a function of the author's."""
    keys = [one for fields in adapter.fields.values() for one in fields.keys]
    return any(one.default == "factory" for one in (*keys, *adapter.containers.keys))


def view_of(adapter: Adapter[Any], data: Any, value: Any) -> View:
    """Read back what a value was made from besides the data that were sent.

    Raises:
        NotJson: A factory gave what is no JSON.
        Unrepeatable: A factory gave, for a part that is not kept, what is read as another value.
    """
    admitted = _Reading(adapter, with_static=False).whole(data, value)
    return View(admitted, _Reading(adapter, with_static=True).whole(admitted, value))


def written(adapter: Adapter[Any], value: Any) -> Any:
    """Write an object as the JSON that it would be made from.

    Raises:
        NotJson: Some part of it has no JSON form.
    """
    return _Reading(adapter, with_static=True).written(value)


class _Reading:
    """One walk along data and the object made of them."""

    def __init__(self, adapter: Adapter[Any], *, with_static: bool) -> None:
        self.fields = dict(adapter.fields)
        self.containers = adapter.containers
        self.root = adapter.root
        self.with_static = with_static

    def whole(self, data: Any, value: Any) -> Any:
        """Complete all of the data."""
        if self.root is None:
            return self.complete(data, value, ())
        return {self.root: self.complete(data[self.root], value, (self.root,))}

    def complete(self, data: Any, value: Any, path: Path) -> Any:
        fields = self.fields.get(type(value))
        if fields is not None:
            return self.completed(fields, data, value, path)
        if type(data) is dict:
            filled = self.containers.at(path)
            if filled:
                return self.members(Fields(filled), data, value, path)
            if isinstance(value, Mapping):
                return self.entries(data, _items(data, value), path)
        if type(data) is list and isinstance(value, list | tuple) and len(data) == len(value):
            return self.items(data, value, path)
        return data

    def completed(self, fields: Fields, data: Any, value: Any, path: Path) -> Any:
        """Complete the data of an object of a known class."""
        if _is_root(fields):
            return self.complete(data, _held(value, fields.keys[0]), path)
        if type(data) is dict:
            return self.members(fields, data, value, path)
        if type(data) is list and fields.is_array:
            return self.places(fields, data, value, path)
        return data

    def entries(self, data: Any, held: Mapping[str, Any], path: Path) -> dict[str, Any]:
        return {key: self.complete(item, held[key], (*path, key)) for key, item in data.items()}

    def items(self, data: Sequence[Any], held: Sequence[Any], path: Path) -> list[Any]:
        pairs = enumerate(zip(data, held, strict=True))
        return [self.complete(item, made, (*path, place)) for place, (item, made) in pairs]

    def members(self, fields: Fields, data: Any, value: Any, path: Path) -> dict[str, Any]:
        kept, made = _extras(fields, value), dict(data)
        for key in data.keys() & kept.keys():
            made[key] = self.complete(data[key], kept[key], (*path, str(key)))
        for one in fields.keys:
            held = _held(value, one)
            if one.key in data and one.read is not None:
                made[one.key] = self.part(one.read, data[one.key], (*path, one.key))
            elif one.key in data:
                made[one.key] = self.complete(data[one.key], held, (*path, one.key))
            elif one.default == "factory" or (one.default == "static" and self.with_static):
                made[one.key] = self.filled(one, held, fields)
        return {key: item for key, item in made.items() if item is not ABSENT}

    def part(self, read: Callable[[Any], Any], data: Any, path: Path) -> Any:
        """Complete what an object was given and does not keep."""
        value = read(data)
        made = self.complete(data, value, path)
        is_filled = not self.with_static and made != data
        if is_filled and not is_same(self.fields, value, read(made)):
            raise Unrepeatable
        return made

    def places(self, fields: Fields, data: list[Any], value: Any, path: Path) -> list[Any]:
        """Complete items, as far as there is something to read back: none can be left out."""
        keys = list(fields.keys)
        held = [_held(value, one) for one in keys[: len(data)]]
        made = self.items(data[: len(held)], held, path) + data[len(held) :]
        while not self.with_static and keys and keys[-1].default != "factory":
            keys.pop()
        for one in keys[len(data) :]:
            filled = self.filled(one, _held(value, one), fields)
            if filled is ABSENT:
                break
            made.append(filled)
        return made

    def filled(self, one: FieldKey, held: Any, fields: Fields) -> Any:
        """Write what fills a field that was not sent; `ABSENT` where that is no JSON."""
        if held is ABSENT:
            return ABSENT
        try:
            return self.written(held, fields)
        except jsondata.NotJson:
            if one.default == "factory":
                raise
        return ABSENT  # infinity, a marker for "not given"

    def written(self, value: Any, within: Fields | None = None) -> Any:
        """Write a value, held by an object of a known class, as the JSON that it is made from."""
        fields = self.known(value)
        if fields is not None:
            return self.object(fields, value)
        if isinstance(value, list | tuple | set | frozenset):
            items = [self.written(item, within) for item in value]
            return jsondata.sort_items(items) if isinstance(value, set | frozenset) else items
        write = _scalar if within is None or within.scalar is None else within.scalar
        if isinstance(value, Mapping):
            return {_key(write(key)): self.written(item, within) for key, item in value.items()}
        return write(value)

    def known(self, value: Any) -> Fields | None:
        """Give the fields of an object, of a class that the schema does not name too."""
        kind = type(value)
        if kind not in self.fields:
            self.fields = {**vendors.fields_of(value), **self.fields}
        return self.fields.get(kind)

    def object(self, fields: Fields, value: Any) -> Any:
        if _is_root(fields):
            return self.written(_held(value, fields.keys[0]), fields)
        if fields.is_array:
            return [self.member(one, fields, value) for one in fields.keys]
        made = {key: self.written(item, fields) for key, item in _extras(fields, value).items()}
        made |= {one.key: self.member(one, fields, value) for one in fields.keys}
        return {key: item for key, item in made.items() if item is not ABSENT}

    def member(self, one: FieldKey, fields: Fields, value: Any) -> Any:
        """Write what an object holds for one key; `ABSENT` where it holds nothing."""
        if not one.attribute:
            return one.constant
        held = _held(value, one)
        return held if held is ABSENT else self.written(held, fields)


def _is_root(fields: Fields) -> bool:
    return len(fields.keys) == 1 and not fields.keys[0].key


def _held(value: Any, one: FieldKey) -> Any:
    """Give what fills a field, or `ABSENT`."""
    if isinstance(value, dict):
        return value.get(one.attribute, ABSENT)
    return getattr(value, one.attribute, ABSENT)


def _extras(fields: Fields, value: Any) -> Mapping[str, Any]:
    """Give the permitted keys that are not declared."""
    held: Any = value if fields.extras is None else getattr(value, fields.extras, None)
    return held if isinstance(held, dict) else {}


def _key(key: Any) -> str:
    """Write a key as text, as JSON has no other.

    Raises:
        NotJson: It is neither text nor a number.
    """
    if type(key) is int or type(key) is float:
        return str(key)
    [text] = jsondata.to_json_data({key: None})
    return str(text)


def _scalar(value: Any) -> Any:
    if isinstance(value, Decimal) and value.is_finite():
        return Decimal(value)  # its digits are those of a number
    return jsondata.to_json_data(value, foreign=vendors.dump_foreign)


def _items(data: Mapping[str, Any], value: Mapping[Any, Any]) -> Mapping[str, Any]:
    """Give the item of a mapping for each key; keys that were read as dates keep their order."""
    if len(data) == len(value) and value.keys().isdisjoint(data):
        return dict(zip(data, value.values(), strict=True))
    return {key: value.get(key, ABSENT) for key in data}


def is_same(fields: FieldsOf, one: Any, other: Any) -> bool:
    """Whether two objects were made from the same: private and further fields do not count."""
    if type(one) is not type(other):
        return False
    known = fields.get(type(one))
    if known is not None:
        names = [key.attribute for key in known.keys if key.attribute]
        names += [known.extras] if known.extras else []
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
