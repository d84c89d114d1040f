"""Schemas that describe every part of their data, and how deep they go."""

from __future__ import annotations

from typing import Any, Final

from toolhaft.jsonio.plaindata import MAX_DEPTH
from toolhaft.schema.document.kinds import names_of

__all__ = ["is_closed"]

SCALARS: Final = frozenset({"null", "boolean", "integer", "number", "string"})
# Keywords that admit other values than the keywords examined here.
COMBINED: Final = frozenset({
    "$ref", "allOf", "oneOf", "not", "if", "dependentSchemas", "patternProperties",
    "unevaluatedItems", "unevaluatedProperties",
})  # fmt: skip


def is_closed(schema: Any, depth: int = MAX_DEPTH) -> bool:
    """Whether data that the schema accepts hold nothing that it does not describe.

    >>> is_closed({"type": "object", "properties": {}, "additionalProperties": False})
    True
    >>> is_closed({"type": "array"}), is_closed({"type": "object", "properties": {}})
    (False, False)
    """
    if not isinstance(schema, dict) or depth < 0 or not COMBINED.isdisjoint(schema):
        return schema is False
    if "anyOf" in schema:
        return all(is_closed(form, depth) for form in schema["anyOf"])
    names = names_of(schema)
    if not names or not {"object", "array", *SCALARS}.issuperset(names):
        return False
    if "object" in names and not all(is_closed(inner, depth - 1) for inner in _members(schema)):
        return False
    return "array" not in names or all(is_closed(item, depth - 1) for item in _items(schema))


def _members(schema: dict[str, Any]) -> list[Any]:
    return [*schema.get("properties", {}).values(), schema.get("additionalProperties", True)]


def _items(schema: dict[str, Any]) -> list[Any]:
    least, most = len(schema.get("prefixItems", ())), schema.get("maxItems")
    rest = [] if least and most == least else [schema.get("items", True)]
    return [*schema.get("prefixItems", ()), *rest]
