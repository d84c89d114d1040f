"""Write a part of a schema as a schema of its own, for a text that nothing stands beside."""

from __future__ import annotations

import re
from typing import Any

from toolhaft.definition.names import free_name
from toolhaft.schema.document.reference_graph import DEFINITIONS
from toolhaft.schema.document.references import map_references, resolve, target_pointer

__all__ = ["standalone"]


def standalone(root: Any, node: Any) -> Any:
    """Return a part of the root with all that it refers to; a reference to the part itself is `#`.

    >>> root = {"$defs": {"tree": {"properties": {"left": {"$ref": "#/$defs/tree"}}}}}
    >>> standalone(root, root["$defs"]["tree"])
    {'properties': {'left': {'$ref': '#'}}}
    """
    names: dict[str, str] = {}
    waiting: list[tuple[str, Any]] = []

    def move(ref: str) -> str:
        target, key = resolve(root, ref), target_pointer(ref)
        if target is node:
            return "#"
        if key not in names:
            names[key] = _definition_name(key, names)
            waiting.append((names[key], target))
        return f"#/$defs/{names[key]}"

    schema = map_references(_without_definitions(node), move)
    definitions: dict[str, Any] = {}
    while waiting:
        name, target = waiting.pop(0)
        definitions[name] = map_references(_without_definitions(target), move)
    return {**schema, "$defs": definitions} if definitions else schema


def _without_definitions(node: Any) -> Any:
    if not isinstance(node, dict):
        return node
    return {keyword: value for keyword, value in node.items() if keyword not in DEFINITIONS}


def _definition_name(key: str, names: dict[str, str]) -> str:
    """Return a name that needs no escapes and that no other definition has."""
    base = re.sub(r"[^A-Za-z0-9_.-]", "_", key.rpartition("/")[2]) or "whole"
    return free_name(base, names.values())
