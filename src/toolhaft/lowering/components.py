"""OpenAPI's place for definitions, `components.schemas`, as `$defs`."""

from __future__ import annotations

from typing import Any

from toolhaft.schema.document.walk import child_nodes, replace_children

__all__ = ["with_defs"]

_PLACE = "#/components/schemas/"


def with_defs(schema: Any) -> Any:
    """The same schema with its definitions under `$defs`; itself where it has no components.

    >>> with_defs({"$ref": "#/components/schemas/N", "components": {"schemas": {"N": {}}}})
    {'$ref': '#/$defs/N', '$defs': {'N': {}}}
    """
    components = schema.get("components") if isinstance(schema, dict) else None
    schemas = components.get("schemas") if isinstance(components, dict) else None
    if not isinstance(schemas, dict) or "$defs" in schema:
        return schema
    moved = {key: value for key, value in schema.items() if key != "components"}
    return _moved({**moved, "$defs": schemas})


def _moved(node: Any) -> Any:
    if not isinstance(node, dict):
        return node
    changes = {steps: _moved(sub) for steps, sub in child_nodes(node)}
    new = replace_children(node, changes) if changes else dict(node)
    if isinstance(new.get("$ref"), str) and new["$ref"].startswith(_PLACE):
        new["$ref"] = "#/$defs/" + new["$ref"].removeprefix(_PLACE)
    return new
