"""Ten shapes as JSON Schemas: they go out as they stand here."""

from __future__ import annotations

from typing import Any

__all__ = ["SHAPES"]

CITY: dict[str, Any] = {
    "type": "object",
    "description": "A place on the map.",
    "properties": {"name": {"type": "string", "title": "Name"}, "people": {"type": "integer"}},
    "required": ["name", "people"],
}
SHAPES: dict[str, Any] = {
    "flat": CITY,
    "nested": {"properties": {"start": CITY}, "type": "object", "required": ["start"]},
    "list of objects": {"type": "object", "properties": {"stops": {"items": CITY}}},
    "map": {"type": "object", "additionalProperties": {"type": "number"}},
    "discriminated union": {
        "oneOf": [
            {"type": "object", "properties": {"kind": {"const": "cat"}}},
            {"type": "object", "properties": {"kind": {"const": "dog"}}},
        ]
    },
    "recursive tree": {
        "$ref": "#/$defs/Tree",
        "$defs": {"Tree": {"type": "object", "properties": {"below": {"$ref": "#/$defs/Tree"}}}},
    },
    "bounds": {"type": "object", "properties": {"n": {"type": "integer", "exclusiveMinimum": 0}}},
    "formats": {"type": "object", "properties": {"day": {"type": "string", "format": "date"}}},
    "words": {"type": "object", "properties": {"mode": {"enum": ["slow", 1, None]}}},
    "defaults": {
        "type": "object",
        "properties": {"n": {"default": 3, "type": "integer"}, "open": {}},
        "additionalProperties": False,
    },
}
