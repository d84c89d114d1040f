"""The keywords of JSON Schema 2020-12 by the kind of their values, and the kinds of a node."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from toolhaft.lowering.lenses.lens import kind_of
from toolhaft.schema.document import walk
from toolhaft.schema.document.kinds import names_of

__all__ = [
    "ANNOTATIONS",
    "ASSERTIONS",
    "EVALUATING",
    "FAMILIES",
    "GENERAL",
    "UNEVALUATED",
    "asserts",
    "kinds",
    "pointer",
]

_ALL = frozenset(("object", "array", "string", "number", "boolean", "null"))

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


def kinds(
    node: Mapping[str, Any] | bool,
    resolve: Callable[[Mapping[str, Any]], Any],
    seen: frozenset[str] = frozenset(),
) -> frozenset[str]:
    """Return the kinds that a value of the node can have; an integer is a number."""
    if isinstance(node, bool):
        return _ALL if node else frozenset()
    possible = _ALL
    if "type" in node:
        possible &= {"number" if name == "integer" else name for name in names_of(node)}
    if "enum" in node:
        possible &= {kind_of(member) for member in node["enum"]}
    if "const" in node:
        possible &= {kind_of(node["const"])}
    if node.get("nullable") is True:
        possible |= {"null"}
    if "$ref" in node and node["$ref"] not in seen:
        possible &= kinds(resolve(node), resolve, seen | {node["$ref"]})
    for part in node.get("allOf", ()):
        possible &= kinds(part, resolve, seen)
    for word in ("anyOf", "oneOf"):
        if word in node:
            possible &= _union(kinds(part, resolve, seen) for part in node[word])
    return possible


def _union(groups: Iterable[frozenset[str]]) -> frozenset[str]:
    return frozenset().union(*groups)
