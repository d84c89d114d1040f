"""The adapter of tinycheck: found by its entry point, loaded when a type needs it."""

from __future__ import annotations

import sys
from typing import Any

from toolhaft import schema_of

NAME = "tinycheck"
TYPES = {int: "integer", str: "string", bool: "boolean"}


def owns(tp: object) -> bool:
    """Return whether a type belongs to the library, without importing it."""
    library = sys.modules.get(NAME)
    return library is not None and isinstance(tp, library.Shape)


def adapter(tp: Any) -> Any:
    """Return the schema of a type; called once for each tool."""
    return schema_of(validate=tp.check, vendor=NAME, json_schema=written(tp))


def written(tp: Any) -> dict[str, Any]:
    """Return the JSON Schema of a shape."""
    properties = {name: {"type": TYPES[kind]} for name, kind in tp.fields.items()}
    closed = {"required": list(properties), "additionalProperties": False}
    return {"type": "object", "properties": properties, **closed}
