"""The fields of classes: the key of each, its attribute, and how it is filled."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, Literal, NamedTuple, Self

from toolhaft.jsonio.jsondata import UNKNOWN
from toolhaft.schema.document.walk import child_nodes, nodes_of, replace_children
from toolhaft.schema.marks import MARK, mark, marks_of

__all__ = [
    "FieldKey",
    "Fields",
    "factory_default",
    "field_keys",
    "fields_at",
    "is_constant_factory",
    "mark_fields",
    "without_fields",
]

FACT: Final = "fields"
# Factories whose value is the same each time.
CONSTANT: Final = (list, dict, set, frozenset, tuple, bytearray)


class FieldKey(NamedTuple):
    """A field of a class: the key that it is read from, its attribute, and how it is filled.

    `default` is `static`, with the value `declared`, or `factory`, with the function `make`; None
    if the key is required. `unfit` is why a default is not known before the object is made, and
    `is_read` whether the library reads a default as it reads arguments. `convert` returns the
    handler's value of a static default, if that differs. A tag has no attribute: its value is
    `constant`. A field that is not `is_kept`, such as an `InitVar`, is passed to the class and is
    in no object; `write` writes a value in the form that the field reads.
    """

    key: str
    attribute: str
    default: Literal["static", "factory"] | None = None
    constant: Any = None
    declared: Any = UNKNOWN
    make: Callable[[], Any] | None = None
    unfit: str | None = None
    is_read: bool = False
    convert: Callable[[], Any] | None = None
    is_kept: bool = True
    write: Callable[[Any], Any] | None = None


class Fields:
    """How an object of one class corresponds to the JSON that it is made from.

    With `is_array` the keys are items, in their order. `extras` is the attribute that holds
    permitted keys that are not declared. `scalar` writes a value that is neither a container nor an
    object of a known class, as the library reads it; `UNKNOWN` marks a value that was not given.
    `cls` is None for a plain dict. It is a fact about a node: copies of the node share it.
    """

    __slots__ = ("cls", "extras", "is_array", "keys", "scalar")

    def __init__(
        self,
        keys: Sequence[FieldKey],
        *,
        cls: type | None = None,
        is_array: bool = False,
        extras: str | None = None,
        scalar: Callable[[Any], Any] | None = None,
    ) -> None:
        self.keys: Sequence[FieldKey] = keys
        self.cls: type | None = cls
        self.is_array: bool = is_array
        self.extras: str | None = extras
        self.scalar: Callable[[Any], Any] | None = scalar

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


def mark_fields(node: dict[str, Any], fields: Fields) -> None:
    """Mark a schema with the fields of the objects that are made from what it accepts."""
    mark(node, **{FACT: fields})


def fields_at(node: Any) -> Fields | None:
    """Return the fields that a schema is marked with, or None."""
    fields: Fields | None = marks_of(node).get(FACT)
    return fields


def field_keys(schema: Any) -> Iterator[FieldKey]:
    """Yield the fields of all objects that a schema describes."""
    for node in nodes_of(schema):
        fields = fields_at(node)
        yield from () if fields is None else fields.keys


def without_fields(schema: Any) -> Any:
    """Return a marked schema as JSON: without the fields, and with all other facts."""
    if not isinstance(schema, dict):
        return schema
    changes = {steps: without_fields(node) for steps, node in child_nodes(schema)}
    bare = replace_children(schema, changes)
    if FACT in marks_of(bare):
        bare[MARK] = {fact: value for fact, value in marks_of(bare).items() if fact != FACT}
    return bare


def is_constant_factory(factory: Any) -> bool:
    """Return whether a factory always returns the same value, which is then a static default."""
    return any(factory is constant for constant in CONSTANT)


def factory_default(factory: Any, unfit: str | None = None) -> dict[str, Any]:
    """Return how a field with a default factory is filled."""
    if is_constant_factory(factory) and unfit is None:
        return {"default": "static", "declared": factory()}
    return {"default": "factory", "make": factory, "unfit": unfit}
