"""What a schema takes, in a few words for a person."""

from __future__ import annotations

from typing import Any

from toolhaft.jsonio import jsontext

__all__ = ["type_of"]

MOST_CHOICES = 6


def type_of(node: Any) -> str:
    """Say a schema in a few words.

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
