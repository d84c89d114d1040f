"""Put a schema under a new root: for values that are no object, where an object must be."""

from __future__ import annotations

from typing import Any

from toolhaft.schema.document.walk import child_nodes, replace_children

__all__ = ["wrap_as_property"]

# Definitions stay at the root, and references to them as they are.
DEFINITIONS = ("$defs", "definitions")
KEPT = tuple(f"#/{word}/" for word in DEFINITIONS)


def wrap_as_property(schema: dict[str, Any], name: str) -> dict[str, Any]:
    """Give the schema of an object whose one property is what the schema describes.

    >>> wrap_as_property({"type": "array", "items": {"$ref": "#"}}, "value")["properties"]
    {'value': {'type': 'array', 'items': {'$ref': '#/properties/value'}}}
    """
    root = _moved(schema, f"#/properties/{name}")
    definitions = {word: root.pop(word) for word in DEFINITIONS if word in root}
    return {"type": "object", "properties": {name: root}, "required": [name], **definitions}


def _moved(node: Any, to: str) -> Any:
    """A copy whose references to the root, or to places in it, lead to where it now is."""
    if not isinstance(node, dict):
        return node
    copy = replace_children(node, {steps: _moved(inner, to) for steps, inner in child_nodes(node)})
    ref = copy.get("$ref")
    if isinstance(ref, str) and ref.startswith("#") and not ref.startswith(KEPT):
        copy["$ref"] = to + ref[1:]
    return copy
