"""Write objects as the JSON that they are made from.

Objects are read along the fields that their adapter names, never by an author's own serializer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from toolhaft import vendors
from toolhaft.jsonio import jsondata
from toolhaft.spec import Issue
from toolhaft.vendors.adapter import Adapter
from toolhaft.vendors.fields import FieldKey, Fields

__all__ = ["ABSENT", "ObjectWriter", "attribute_of", "is_root"]

# Marks an absent value; `dump_foreign` gives the same object for a value that it does not know.
ABSENT = jsondata.UNKNOWN
SCALARS = (str, int, float, bool)


class ObjectWriter:
    """Writes the objects of one adapter's classes, and the objects inside them."""

    def __init__(self, adapter: Adapter[Any]) -> None:
        self.fields: dict[type, Fields | None] = dict(adapter.fields)

    def write(self, value: Any, within: Fields | None = None) -> Any:
        """Write a value, held by an object of a known class.

        Raises:
            NotJson: Some part of it has no JSON form.
        """
        kind = type(value)
        if kind is bool or (kind is str and value.isascii()):  # is JSON as it is
            return value
        write = _write_scalar if within is None or within.scalar is None else within.scalar
        if kind in SCALARS:
            return write(value)
        fields = self.fields_of(value)
        if fields is not None:
            return self.write_object(fields, value)
        if isinstance(value, list | tuple | set | frozenset):
            items = [self.write(item, within) for item in value]
            return jsondata.sort_items(items) if isinstance(value, set | frozenset) else items
        if isinstance(value, Mapping):
            return {_write_key(write(key)): self.write(item, within) for key, item in value.items()}
        return write(value)

    def fields_of(self, value: Any) -> Fields | None:
        """Return the fields of an object, even of a class that the schema does not name."""
        kind = type(value)
        if kind not in self.fields:
            self.fields = {kind: None, **vendors.fields_of(value), **self.fields}
        return self.fields[kind]

    def write_object(self, fields: Fields, value: Any) -> Any:
        if is_root(fields):
            return self.write(attribute_of(value, fields.keys[0]), fields)
        if fields.is_array:
            return [self.write_member(field_key, fields, value) for field_key in fields.keys]
        members: dict[str, Any] = {}
        extras: Any = getattr(value, fields.extras, None) if fields.extras else None
        for key, item in (extras or {}).items():
            members[key] = self.write(item, fields)
        for field_key in fields.keys:
            members[field_key.key] = self.write_member(field_key, fields, value)
        for key in [key for key, item in members.items() if item is ABSENT]:
            del members[key]
        return members

    def write_member(self, field_key: FieldKey, fields: Fields, value: Any) -> Any:
        """Write what an object holds for one key; `ABSENT` where it holds nothing."""
        if not field_key.attribute:
            return field_key.constant
        if not field_key.is_kept:
            issue = Issue("an object that does not keep what it was given", (), "json")
            raise jsondata.NotJson([issue])
        held = attribute_of(value, field_key)
        return held if held is ABSENT else self.write(held, fields)

    def write_default(self, field_key: FieldKey, fields: Fields, value: Any) -> Any:
        """Write what fills a field that was not sent."""
        write: Callable[[Any], Any] | None = field_key.write
        return self.write(value, fields) if write is None else self.write(write(value))


def is_root(fields: Fields) -> bool:
    """Whether an object stands for the one value that it holds."""
    return len(fields.keys) == 1 and not fields.keys[0].key


def attribute_of(value: Any, field_key: FieldKey) -> Any:
    """Return the value that fills a field of an object, or `ABSENT`."""
    if isinstance(value, dict):
        return value.get(field_key.attribute, ABSENT)
    return getattr(value, field_key.attribute, ABSENT)


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
