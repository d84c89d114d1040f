"""OpenAPI's place for definitions, `components.schemas`, as `$defs`."""

from __future__ import annotations

from typing import Any

from toolhaft.schema.document.references import map_references

__all__ = ["components_to_defs"]

_PLACE = "#/components/schemas/"


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
