"""Gemini's own schema language, in which `parameters` may be written, as JSON Schema.

It is a part of OpenAPI 3.0's with types in capitals, `nullable`, and counts that are int64 and so
come as text in JSON. Read on 2026-11-23 from the `Schema` of google-genai 2.34.0 and of the REST
reference. A schema that is JSON Schema already stays as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

__all__ = ["to_json_schema"]

TYPES: Final = frozenset({"STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL"})
COUNTS: Final = frozenset(
    {"minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"}
)
MAX_DEPTH: Final = 200  # deeper schemas are refused by the limits of definitions


def to_json_schema(schema: Any, depth: int = 0) -> Any:
    """Return the same schema in JSON Schema's words.

    >>> to_json_schema({"type": "ARRAY", "items": {"type": "STRING"}, "minItems": "1"})
    {'type': 'array', 'items': {'type': 'string'}, 'minItems': 1}
    >>> to_json_schema({"type": "STRING", "enum": ["a"], "nullable": True})
    {'type': ['string', 'null'], 'enum': ['a', None]}
    """
    if not isinstance(schema, Mapping) or depth > MAX_DEPTH:
        return schema
    written = {
        key: _to_member(key, value, depth) for key, value in schema.items() if key != "nullable"
    }
    return _with_null(written) if schema.get("nullable") is True else written


def _to_member(key: str, value: Any, depth: int) -> Any:
    if key == "type":
        return value.lower() if value in TYPES else value
    if key in COUNTS:
        return int(value) if isinstance(value, str) and value.isdecimal() else value
    if key in ("properties", "$defs") and isinstance(value, Mapping):
        return {name: to_json_schema(inner, depth + 1) for name, inner in value.items()}
    if key in ("anyOf", "prefixItems") and isinstance(value, list):
        return [to_json_schema(inner, depth + 1) for inner in value]
    return to_json_schema(value, depth + 1) if key in ("items", "additionalProperties") else value


def _with_null(schema: dict[str, Any]) -> dict[str, Any]:
    """Let a schema take null as well."""
    if isinstance(schema.get("type"), str):
        schema["type"] = [schema["type"], "null"]
    if isinstance(schema.get("enum"), list):
        schema["enum"] = [*schema["enum"], None]
    if isinstance(schema.get("anyOf"), list):
        schema["anyOf"] = [*schema["anyOf"], {"type": "null"}]
    return schema
