"""The keywords of JSON Schema 2020-12, by the kind of value that they apply to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolhaft.schema.document import walk

__all__ = [
    "ANNOTATIONS",
    "ASSERTIONS",
    "EVALUATING",
    "FAMILIES",
    "GENERAL",
    "KINDS",
    "UNEVALUATED",
    "asserts",
    "pointer",
]

KINDS = ("object", "array", "string", "number", "boolean", "null")

FAMILIES: dict[str, frozenset[str]] = {
    "object": frozenset(
        (
            "properties",
            "required",
            "additionalProperties",
            "patternProperties",
            "propertyNames",
            "minProperties",
            "maxProperties",
            "dependentRequired",
            "dependentSchemas",
            "unevaluatedProperties",
        )
    ),
    "array": frozenset(
        (
            "items",
            "prefixItems",
            "contains",
            "minContains",
            "maxContains",
            "minItems",
            "maxItems",
            "uniqueItems",
            "unevaluatedItems",
        )
    ),
    "string": frozenset(
        (
            "minLength",
            "maxLength",
            "pattern",
            "format",
            "contentEncoding",
            "contentMediaType",
            "contentSchema",
        )
    ),
    "number": frozenset(
        ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
    ),
    "boolean": frozenset(),
    "null": frozenset(),
}
GENERAL = frozenset(("not", "if", "then", "else"))
# Keywords that may declare properties and items for the `unevaluated` keywords beside them.
EVALUATING = frozenset(
    ("allOf", "anyOf", "oneOf", "if", "then", "else", "dependentSchemas", "$ref")
)
UNEVALUATED = ("unevaluatedProperties", "unevaluatedItems")
ASSERTIONS = GENERAL.union(
    *FAMILIES.values(), ("type", "enum", "const", "$ref"), ("anyOf", "oneOf", "allOf")
) - {"format", "contentEncoding", "contentMediaType", "contentSchema"}
ANNOTATIONS = (
    "title",
    "description",
    "default",
    "examples",
    "example",
    "deprecated",
    "readOnly",
    "writeOnly",
    "discriminator",
    "$comment",
    "$schema",
    "$id",
    "$defs",
    "definitions",
    "components",
)


def asserts(node: Mapping[str, Any] | bool) -> bool:
    """Return whether a node restricts values at all."""
    if isinstance(node, bool):
        return not node
    return any(key in ASSERTIONS for key in node)


def pointer(at: str, *steps: str | int) -> str:
    """Extend a JSON pointer (RFC 6901) by further steps."""
    return at + walk.pointer(steps)
