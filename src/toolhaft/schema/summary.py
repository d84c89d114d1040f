"""Describe the values of a schema in a few words for a person."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolhaft.jsonio import jsontext
from toolhaft.schema.document.references import followed
from toolhaft.schema.faults import SchemaRefused

__all__ = ["shape_of", "type_of"]

MOST_CHOICES = 6


def type_of(node: Any) -> str:
    """Describe a schema in a few words.

    >>> type_of({"type": "array", "items": {"enum": ["C", "F"]}})
    'array of ("C" | "F")'
    >>> type_of({"type": "integer", "minimum": 1, "maximum": 14})
    'integer from 1 to 14'
    """
    if not isinstance(node, dict):
        return "any"
    branches = node.get("anyOf") or node.get("oneOf")
    if choices := _choices(node):
        return " | ".join(choices)
    if branches:
        return " | ".join(map(type_of, branches))
    if "$ref" in node:
        return str(node["$ref"]).rpartition("/")[2]
    return _plain_type(node)


def _choices(node: dict[str, Any]) -> list[str]:
    members = node.get("enum") or ([node["const"]] if "const" in node else [])
    more = ["..."] if len(members) > MOST_CHOICES else []
    return [*map(jsontext.write, members[:MOST_CHOICES]), *more]


def _plain_type(node: dict[str, Any]) -> str:
    kind = node.get("type", "any")
    words = " | ".join(kind) if isinstance(kind, list) else str(kind)
    for keyword, word in (("minimum", "from"), ("maximum", "to")):
        if keyword in node:
            words += f" {word} {node[keyword]}"
    if kind != "array" or "items" not in node:
        return words
    items = type_of(node["items"])
    return f"array of ({items})" if " | " in items else f"array of {items}"


MOST_LEVELS = 3
_LENGTHS = (
    ("minLength", "maxLength", "character"),
    ("minItems", "maxItems", "item"),
    ("minProperties", "maxProperties", "key"),
)


def shape_of(node: Any, root: dict[str, Any], levels: int = MOST_LEVELS) -> str:
    """Describe a subschema of `root` with its fields, items, bounds and format.

    >>> circle = {"type": "object", "properties": {"radius": {"type": "number"}}}
    >>> shape_of(circle, circle)
    'object{radius?}'
    >>> shape_of({"type": "object", "additionalProperties": {"type": "integer"}}, {})
    'map of integers'
    >>> shape_of({"type": "string", "format": "date", "maxLength": 10}, {})
    'string (date), at most 10 characters'
    >>> shape_of({"type": "string", "minLength": 1, "pattern": "^[A-Z]+$"}, {})
    'string, at least 1 character, matching ^[A-Z]+$'
    """
    if not isinstance(node, dict):
        return "any"
    if "$ref" in node:
        target = _target(root, node)
        if levels <= 0 or target is None:
            return type_of(node)
        shape = shape_of(target, root, levels - 1)
        return type_of(node) + shape.removeprefix("object") if shape[:6] == "object" else shape
    branches = node.get("anyOf") or node.get("oneOf")
    if branches and not _choices(node):
        return " | ".join(shape_of(branch, root, levels) for branch in branches)
    return ", ".join([_base(node, root, levels), *_limits(node)])


def _target(root: dict[str, Any], node: dict[str, Any]) -> Any:
    try:
        return followed(root, node)
    except SchemaRefused:
        return None


def _base(node: dict[str, Any], root: dict[str, Any], levels: int) -> str:
    kind, properties, values = node.get("type"), node.get("properties"), node.get(ADDITIONAL)
    if _choices(node) or levels <= 0:
        return type_of(node)
    if kind == "array" and "items" in node:
        items = shape_of(node["items"], root, levels - 1)
        return f"array of ({items})" if " | " in items or ", " in items else f"array of {items}"
    if kind != "object":
        format_name = node.get("format")
        return f"{type_of(node)} ({format_name})" if format_name else type_of(node)
    if properties:
        return f"object{{{', '.join(_list_fields(node))}}}"
    if not isinstance(values, dict) or not values:
        return "object"
    shape = shape_of(values, root, levels - 1)
    return f"map of {shape}s" if shape.isalpha() else f"map of ({shape})"


ADDITIONAL = "additionalProperties"


def _list_fields(node: dict[str, Any]) -> list[str]:
    required = node.get("required", ())
    fields = [name if name in required else f"{name}?" for name in node["properties"]]
    return [*fields[:MOST_CHOICES], "..."] if len(fields) > MOST_CHOICES else fields


def _limits(node: dict[str, Any]) -> Iterator[str]:
    """Describe the bounds of a node that its type does not imply."""
    for keyword, word in (("exclusiveMinimum", "above"), ("exclusiveMaximum", "below")):
        if keyword in node:
            yield f"{word} {node[keyword]}"
    if "multipleOf" in node:
        yield f"a multiple of {node['multipleOf']}"
    for least, most, what in _LENGTHS:
        low, high = node.get(least), node.get(most)
        if low is not None and high is not None:
            yield _count(f"{low} to {high}" if low != high else f"{low}", high, what)
        elif low or high is not None:
            yield _count(f"at least {low}" if low else f"at most {high}", low or high, what)
    if "pattern" in node:
        yield f"matching {node['pattern']}"


def _count(words: str, last: Any, what: str) -> str:
    """Return a bound with what it counts, in the singular after a 1."""
    return f"{words} {what}" if last == 1 else f"{words} {what}s"
