"""The forms of OpenAPI and of older drafts: definitions read from there, and pointers back."""

from __future__ import annotations

from typing import Any

from toolhaft.schema.document.references import map_references

__all__ = ["components_to_defs", "to_original_pointer"]

_PLACE = "#/components/schemas/"


# Keywords of 2020-12, and their names in older drafts.
_OLDER = {
    "$defs": "definitions",
    "prefixItems": "items",
    "items": "additionalItems",
    "dependentSchemas": "dependencies",
    "dependentRequired": "dependencies",
}


def components_to_defs(schema: Any) -> Any:
    """Move `components.schemas` to `$defs`; a schema without components is returned as it is.

    >>> components_to_defs({"$ref": "#/components/schemas/N", "components": {"schemas": {"N": {}}}})
    {'$ref': '#/$defs/N', '$defs': {'N': {}}}
    """
    components = schema.get("components") if isinstance(schema, dict) else None
    schemas = components.get("schemas") if isinstance(components, dict) else None
    if not isinstance(schemas, dict) or "$defs" in schema:
        return schema
    siblings = {key: value for key, value in schema.items() if key != "components"}
    return map_references({**siblings, "$defs": schemas}, _to_defs)


def _to_defs(ref: str) -> str:
    return "#/$defs/" + ref.removeprefix(_PLACE) if ref.startswith(_PLACE) else ref


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
