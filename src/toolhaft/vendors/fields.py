"""The fields of classes: the key of each, its attribute, and how it is filled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, Literal, NamedTuple

from toolhaft.jsonio.jsondata import UNKNOWN
from toolhaft.schema.document.places import PlaceIndex
from toolhaft.schema.document.walk import nodes_of
from toolhaft.schema.marks import mark, marks_of
from toolhaft.spec import Path

__all__ = ["Containers", "FieldKey", "Fields", "mark_fields"]

FACT: Final = "fields"


class FieldKey(NamedTuple):
    """A field of a class: the key that it is read from, its attribute, how it is filled if absent.

    `default` is `static` or `factory`, or None where the key must be there; `declared` is a static
    one as the class has it, where that is what an object gets. A tag has no attribute: its value is
    `constant`. What the class is given and does not keep, as an `InitVar`, can be read by itself
    from the data of its key.
    """

    key: str
    attribute: str
    default: Literal["static", "factory"] | None = None
    constant: Any = None
    read: Callable[[Any], Any] | None = None
    declared: Any = UNKNOWN


class Fields(NamedTuple):
    """How an object of one class corresponds to the JSON that it is made from.

    With `is_array` the keys stand for items, in their order. `extras` is the attribute that holds
    permitted keys that are not declared. `scalar` writes what is neither a container nor an object
    of a known class, as the library reads it; `UNKNOWN` is a marker for what was not given.
    """

    keys: Sequence[FieldKey]
    is_array: bool = False
    extras: str | None = None
    scalar: Callable[[Any], Any] | None = None


def mark_fields(node: dict[str, Any], keys: Sequence[FieldKey]) -> None:
    """Mark a schema with the fields of an object that is constructed as a plain dict.

    Nothing is written of one whose keys are all sent and kept by their names.
    """
    if any(field_key.default or field_key.key != field_key.attribute for field_key in keys):
        mark(
            node,
            **{
                FACT: [
                    [field_key.key, field_key.attribute, field_key.default] for field_key in keys
                ]
            },
        )


class Containers:
    """The fields of objects constructed as plain dicts, by the place in the data.

    In a union those of all forms are given: a form that was not meant has filled nothing.
    """

    def __init__(self, schema: Any) -> None:
        self._index = PlaceIndex(schema)
        self.keys: list[FieldKey] = _keys_of(nodes_of(schema))

    def at(self, path: Path) -> list[FieldKey]:
        """Give the fields of the dict at a place; none where there is no such dict."""
        return _keys_of(self._index.at(path).parts) if self.keys else []


def _keys_of(parts: Sequence[Any]) -> list[FieldKey]:
    return [FieldKey(*key) for part in parts for key in marks_of(part).get(FACT, ())]
