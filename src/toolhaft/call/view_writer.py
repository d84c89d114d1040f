"""Write the objects that a handler is given as the JSON that they were made from.

Objects are read along the fields that their adapter names, never by an author's own serializer. An
author's validators may put objects in another order, or change what was sent: an object says what
fills a field only of the data that it was made of; of others the declared default is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any, TypeAlias

from toolhaft import vendors
from toolhaft.jsonio import jsondata, jsontext
from toolhaft.schema.document.kinds import hashable
from toolhaft.spec import Path
from toolhaft.vendors.adapter import Adapter
from toolhaft.vendors.fields import FieldKey, Fields

__all__ = ["Unrepeatable", "ViewWriter", "is_same"]

FieldsByType: TypeAlias = Mapping[type, Fields]
# How many objects are looked through for the one that an item made.
MOST_PAIRED = 256
# Marks an absent value; `dump_foreign` gives the same object for a value that it does not know.
ABSENT = jsondata.UNKNOWN


class Unrepeatable(Exception):
    """Constructing from the admitted value again gives a different object."""

    def __init__(self) -> None:
        super().__init__(
            "constructing the validated arguments again gives others; let default factories return "
            "values that their own schema accepts"
        )


class ViewWriter:
    """Writes objects as JSON, and completes data by the object constructed from them.

    What is filled in are the defaults of these kinds.
    """

    def __init__(self, adapter: Adapter[Any], *kinds: str) -> None:
        self.fields = dict(adapter.fields)
        self.containers = adapter.containers
        schema = adapter.input_or_none()
        self.json_texts = None if schema is None else schema.json_texts
        self.root = adapter.root
        self.kinds = kinds

    def complete_root(self, data: Any, value: Any) -> Any:
        """Complete all of the data, inside the root key of an adapter that has one."""
        if self.root is None:
            return self.complete_data(data, value, ())
        return {self.root: self.complete_data(data[self.root], value, (self.root,))}

    def complete_data(self, data: Any, value: Any, path: Path) -> Any:
        if type(data) is str and self.json_texts is not None and self.json_texts.nodes_at(path):
            return self.complete_text(data, value, path)
        fields = self.fields.get(type(value))
        if fields is not None:
            return self.complete_object(fields, data, value, path)
        if type(data) is dict:
            default_keys = self.containers.at(path)
            if default_keys:
                return self.complete_members(Fields(default_keys), data, value, path)
            if isinstance(value, Mapping):
                return self.complete_entries(data, self.items_by_key(data, value), path)
        if type(data) is list and isinstance(value, list | tuple) and len(data) == len(value):
            return self.complete_items(data, self.pair(data, value), path)
        return data

    def complete_text(self, text: str, value: Any, path: Path) -> str:
        """Complete what stands in a text that holds JSON."""
        content = jsontext.read(text)
        completed = self.complete_data(content, value, (*path, ""))
        return text if completed == content else jsontext.write(completed)

    def complete_object(self, fields: Fields, data: Any, value: Any, path: Path) -> Any:
        """Complete the data of an object of a known class."""
        if _is_root(fields):
            return self.complete_data(data, _read_field(value, fields.keys[0]), path)
        if type(data) is dict:
            return self.complete_members(fields, data, value, path)
        if type(data) is list and fields.is_array:
            return self.complete_places(fields, data, value, path)
        return data

    def complete_entries(self, data: Any, values: Mapping[str, Any], path: Path) -> dict[str, Any]:
        return {
            key: self.complete_data(item, values[key], (*path, key)) for key, item in data.items()
        }

    def complete_items(self, data: Sequence[Any], values: Sequence[Any], path: Path) -> list[Any]:
        pairs = enumerate(zip(data, values, strict=True))
        return [self.complete_data(item, value, (*path, place)) for place, (item, value) in pairs]

    def complete_members(self, fields: Fields, data: Any, value: Any, path: Path) -> dict[str, Any]:
        extras, completed = _read_extras(fields, value), dict(data)
        is_own = self.is_made_of(data, value, fields)
        for key in data.keys() & extras.keys():
            completed[key] = self.complete_data(data[key], extras[key], (*path, str(key)))
        for field_key in fields.keys:
            key, field_value = field_key.key, _read_field(value, field_key)
            if key in data and field_key.read is not None:
                completed[key] = self.complete_unkept(field_key.read, data[key], (*path, key))
            elif key in data:
                completed[key] = self.complete_data(data[key], field_value, (*path, key))
            elif field_key.default in self.kinds:
                is_read = is_own or field_key.default == "factory" or field_key.declared is ABSENT
                default = field_value if is_read else field_key.declared
                completed[key] = self.write_default(field_key, default, fields)
        return {key: item for key, item in completed.items() if item is not ABSENT}

    def complete_unkept(self, read: Callable[[Any], Any], data: Any, path: Path) -> Any:
        """Complete what an object was given and does not keep."""
        value = read(data)
        completed = self.complete_data(data, value, path)
        is_filled = "static" not in self.kinds and completed != data
        if is_filled and not is_same(self.fields, value, read(completed)):
            raise Unrepeatable
        return completed

    def complete_places(self, fields: Fields, data: list[Any], value: Any, path: Path) -> list[Any]:
        """Complete an array of fields up to the last one that has a value: none can be left out."""
        keys = list(fields.keys)
        values = [_read_field(value, field_key) for field_key in keys[: len(data)]]
        completed = self.complete_items(data[: len(values)], values, path) + data[len(values) :]
        while keys and keys[-1].default not in self.kinds:
            keys.pop()
        for field_key in keys[len(data) :]:
            default = self.write_default(field_key, _read_field(value, field_key), fields)
            if default is ABSENT:
                break
            completed.append(default)
        return completed

    def pair(self, data: Sequence[Any], values: Sequence[Any]) -> Sequence[Any]:
        """Give the object that was made of each item; `ABSENT` where none is known."""
        pairs = zip(data, values, strict=True)
        paired = [value if self.is_made_of(item, value) else ABSENT for item, value in pairs]
        places = [place for place, value in enumerate(paired) if value is ABSENT]
        unpaired = [values[place] for place in places]
        if len(places) <= MOST_PAIRED:
            for place in places:
                paired[place] = self.take_made_of(data[place], unpaired)
            if len(unpaired) == len(places):  # none was found in another place
                return values
        if len(set(map(type, unpaired))) != 1:
            return paired
        others = iter(unpaired)
        return [next(others) if value is ABSENT else value for value in paired]

    def take_made_of(self, item: Any, unpaired: list[Any]) -> Any:
        """Take the first object that was made of an item; `ABSENT` where none was."""
        places = (at for at, value in enumerate(unpaired) if self.is_made_of(item, value))
        place = next(places, None)
        return ABSENT if place is None else unpaired.pop(place)

    def items_by_key(self, data: Mapping[str, Any], value: Mapping[Any, Any]) -> Mapping[str, Any]:
        """Give the item of a mapping for each key; keys may have been read as dates or numbers."""
        if len(data) == len(value) and value.keys().isdisjoint(data):
            paired = self.pair(list(data.values()), list(value.values()))
            return dict(zip(data, paired, strict=True))
        return {key: value.get(key, ABSENT) for key in data}

    def is_made_of(self, data: Any, value: Any, fields: Fields | None = None) -> bool:
        """Whether an object holds exactly what was sent, as far as it was."""
        fields = self.fields.get(type(value)) if fields is None else fields
        if fields is not None and _is_root(fields):
            return self.is_made_of(data, _read_field(value, fields.keys[0]))
        if type(data) is dict:
            return self.holds_members(data, value, fields)
        if type(data) is list and fields is not None:
            values = [_read_field(value, field_key) for field_key in fields.keys[: len(data)]]
            return all(map(self.is_made_of, data, values))
        if type(data) is list and isinstance(value, list | tuple):
            return len(data) == len(value) and all(map(self.is_made_of, data, value))
        try:
            return hashable(data) == hashable(self.write(value))
        except (jsondata.NotJson, TypeError):
            return False

    def holds_members(self, data: dict[str, Any], value: Any, fields: Fields | None) -> bool:
        """Whether an object or a mapping holds the members that were sent."""
        if fields is not None:
            keys = [
                known
                for known in fields.keys
                if known.key in data and known.attribute and not known.read
            ]
            return all(self.is_made_of(data[key.key], _read_field(value, key)) for key in keys)
        if not isinstance(value, Mapping):
            return False
        values = self.items_by_key(data, value)
        return all(self.is_made_of(item, values[key]) for key, item in data.items())

    def write_default(self, field_key: FieldKey, field_value: Any, fields: Fields) -> Any:
        """Write what fills a field that was not sent; `ABSENT` where that is no JSON."""
        if field_value is ABSENT:
            return ABSENT
        try:
            return self.write(field_value, fields)
        except jsondata.NotJson:
            if field_key.default == "factory":
                raise
        return ABSENT  # infinity, a marker for "not given"

    def write(self, value: Any, within: Fields | None = None) -> Any:
        """Write a value, held by an object of a known class, as the JSON that it is made from."""
        fields = self.fields_of(value)
        if fields is not None:
            return self.write_object(fields, value)
        if isinstance(value, list | tuple | set | frozenset):
            items = [self.write(item, within) for item in value]
            return jsondata.sort_items(items) if isinstance(value, set | frozenset) else items
        write = _write_scalar if within is None or within.scalar is None else within.scalar
        if isinstance(value, Mapping):
            return {_write_key(write(key)): self.write(item, within) for key, item in value.items()}
        return write(value)

    def fields_of(self, value: Any) -> Fields | None:
        """Give the fields of an object, of a class that the schema does not name too."""
        kind = type(value)
        if kind not in self.fields:
            self.fields = {**vendors.fields_of(value), **self.fields}
        return self.fields.get(kind)

    def write_object(self, fields: Fields, value: Any) -> Any:
        if _is_root(fields):
            return self.write(_read_field(value, fields.keys[0]), fields)
        if fields.is_array:
            return [self.write_member(field_key, fields, value) for field_key in fields.keys]
        members = {
            key: self.write(item, fields) for key, item in _read_extras(fields, value).items()
        }
        members |= {
            field_key.key: self.write_member(field_key, fields, value) for field_key in fields.keys
        }
        return {key: item for key, item in members.items() if item is not ABSENT}

    def write_member(self, field_key: FieldKey, fields: Fields, value: Any) -> Any:
        """Write what an object holds for one key; `ABSENT` where it holds nothing."""
        if not field_key.attribute:
            return field_key.constant
        field_value = _read_field(value, field_key)
        return field_value if field_value is ABSENT else self.write(field_value, fields)


def _is_root(fields: Fields) -> bool:
    return len(fields.keys) == 1 and not fields.keys[0].key


def _read_field(value: Any, field_key: FieldKey) -> Any:
    """Give what fills a field, or `ABSENT`."""
    if isinstance(value, dict):
        return value.get(field_key.attribute, ABSENT)
    return getattr(value, field_key.attribute, ABSENT)


def _read_extras(fields: Fields, value: Any) -> Mapping[str, Any]:
    """Give the permitted keys that are not declared."""
    extras: Any = value if fields.extras is None else getattr(value, fields.extras, None)
    return extras if isinstance(extras, dict) else {}


def _write_key(key: Any) -> str:
    """Write a key as text, as JSON has no other.

    Raises:
        NotJson: It is neither text nor a number.
    """
    if type(key) is int or type(key) is float:
        return str(key)
    [text] = jsondata.to_json_data({key: None})
    return str(text)


def _write_scalar(value: Any) -> Any:
    if isinstance(value, Decimal) and value.is_finite():
        return Decimal(value)  # keeps all digits
    return jsondata.to_json_data(value, foreign=vendors.dump_foreign)


def is_same(fields: FieldsByType, first: Any, second: Any) -> bool:
    """Whether two objects were made from the same: private and further fields do not count."""
    if type(first) is not type(second):
        return False
    known = fields.get(type(first))
    if known is not None:
        names = [key.attribute for key in known.keys if key.attribute]
        names += [known.extras] if known.extras else []
        return all(
            is_same(fields, getattr(first, name, ABSENT), getattr(second, name, ABSENT))
            for name in names
        )
    if isinstance(first, Mapping):
        return first.keys() == second.keys() and all(
            is_same(fields, item, second[key]) for key, item in first.items()
        )
    if isinstance(first, list | tuple):
        pairs = zip(first, second, strict=False)
        return len(first) == len(second) and all(is_same(fields, a, b) for a, b in pairs)
    return first is second or bool(first == second)  # NaN is no other than itself
