"""Translate pointers into the 2020-12 form of a schema to pointers into the original."""

from __future__ import annotations

from typing import Any

__all__ = ["to_original_pointer"]

# Keywords of 2020-12, and their names in older drafts.
_OLDER = {
    "$defs": "definitions",
    "prefixItems": "items",
    "items": "additionalItems",
    "dependentSchemas": "dependencies",
    "dependentRequired": "dependencies",
}


def to_original_pointer(pointer: str, schema: Any) -> str:
    """Return the pointer by the keywords of the original schema.

    A node that was joined from several has no place of its own: its nearest parent is named.

    >>> to_original_pointer("/$defs/n", {"definitions": {"n": {}}})
    '/definitions/n'
    """
    node, steps = schema, []
    for token in pointer.split("/")[1:]:
        step, name = token, token.replace("~1", "/").replace("~0", "~")
        if isinstance(node, dict):
            older = _OLDER.get(name)
            listed = name == "items" and isinstance(node.get("items"), list)
            if older in node and (name not in node or listed):
                step = name = str(older)
            if name not in node:
                break
            node = node[name]
        elif isinstance(node, list) and name.isdecimal() and int(name) < len(node):
            node = node[int(name)]
        else:
            break
        steps.append(step)
    return "".join(f"/{step}" for step in steps)
