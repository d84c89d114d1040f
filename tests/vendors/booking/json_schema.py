"""The booking tool's arguments as a JSON Schema."""

from __future__ import annotations

from typing import Any

__all__ = ["INPUT", "LACKS", "POLICY"]

PLACE: dict[str, Any] = {
    "type": "object",
    "properties": {
        "lat": {"type": "number"},
        "name": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
    },
    "required": ["lat"],
    "additionalProperties": False,
}
CAT: dict[str, Any] = {
    "type": "object",
    "properties": {"kind": {"const": "cat", "type": "string"},
                   "lives": {"type": "integer", "minimum": 0}},
    "required": ["kind", "lives"],
    "additionalProperties": False,
}  # fmt: skip
DOG: dict[str, Any] = {
    "type": "object",
    "properties": {"kind": {"const": "dog", "type": "string"}, "name": {"type": "string"}},
    "required": ["kind", "name"],
    "additionalProperties": False,
}


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [schema, {"type": "null"}], "default": None}


INPUT: dict[str, Any] = {
    "type": "object",
    "properties": {
        "id": {"type": "integer"},
        "text": {"type": "string"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "place": PLACE,
        "n": {"type": "integer", "minimum": 1, "maximum": 9, "default": 3},
        "ratio": {
            "type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1, "default": 0.5,
        },
        "maybe": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": 3},
        "flag": {"type": "boolean", "default": False},
        "kind": {"type": "string", "enum": ["old", "new"], "default": "old"},
        "size": {"type": "string", "enum": ["small", "large"], "default": "small"},
        "code": {"type": "string", "pattern": r"^[A-Z]{2}\d{2}$", "default": "AA00"},
        "label": {"type": "string", "minLength": 2, "maxLength": 5, "default": "ab"},
        "day": _or_null({"type": "string", "format": "date"}),
        "when": _or_null({"type": "string", "format": "date-time"}),
        "either": {"anyOf": [{"type": "integer"}, {"type": "string"}], "default": 1},
        "scores": {"type": "object", "additionalProperties": {"type": "number"}, "default": {}},
        "stops": {"type": "array", "items": PLACE, "maxItems": 2, "default": []},
        "grid": {
            "type": "array", "items": {"type": "array", "items": {"type": "integer"}},
            "default": [],
        },
        "pet": _or_null({"oneOf": [CAT, DOG]}),
        "größe": {"type": "number", "default": 1.0},
        "fromCity": {"type": "string", "default": ""},
    },
    "required": ["id", "text", "tags", "place"],
    "additionalProperties": False,
}  # fmt: skip
POLICY = "forbid"
LACKS = {"format": "format is asserted by the vendor only, and a JSON Schema asserts none"}
