"""Put a schema under a new root: for values that are no object, where an object must be."""

from __future__ import annotations

from typing import Any

from toolhaft.schema.document.reference_graph import DEFINITIONS
from toolhaft.schema.document.references import map_references

__all__ = ["wrap_as_property"]

# Definitions stay at the root, and references to them as they are.
KEPT = tuple(f"#/{word}/" for word in DEFINITIONS)
# Keywords about how the whole document is read.
OF_THE_DOCUMENT = ("$schema", "$id", "id")


def wrap_as_property(schema: dict[str, Any], name: str) -> dict[str, Any]:
    """Return the schema of an object whose one property has the given schema.

    >>> wrap_as_property({"type": "array", "items": {"$ref": "#"}}, "value")["properties"]
    {'value': {'type': 'array', 'items': {'$ref': '#/properties/value'}}}
    """
    place = f"#/properties/{name}"
    root: dict[str, Any] = map_references(
        schema, lambda ref: ref if ref.startswith(KEPT) else ref.replace("#", place, 1)
    )
    document = {word: root.pop(word) for word in OF_THE_DOCUMENT if word in root}
    definitions = {word: root.pop(word) for word in DEFINITIONS if word in root}
    wrapped = {"type": "object", "properties": {name: root}, "required": [name]}
    return {**document, **wrapped, **definitions}
