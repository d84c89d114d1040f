"""Schemas in a few words: what lists and pages show of the values of a tool."""

from __future__ import annotations

from typing import Any

import pytest

from toolhaft.schema.summary import shape_of, type_of


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        (True, "any"),
        ({}, "any"),
        ({"type": "string"}, "string"),
        ({"type": ["string", "null"]}, "string | null"),
        ({"type": "number", "minimum": 0}, "number from 0"),
        ({"type": "number", "maximum": 1.5}, "number to 1.5"),
        ({"const": "a"}, '"a"'),
        ({"enum": ["a", 1, None]}, '"a" | 1 | null'),
        ({"enum": [1, 2, 3, 4, 5, 6]}, "1 | 2 | 3 | 4 | 5 | 6"),
        ({"enum": [1, 2, 3, 4, 5, 6, 7]}, "1 | 2 | 3 | 4 | 5 | 6 | ..."),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, "string | null"),
        ({"oneOf": [{"type": "string"}, {"type": "integer"}]}, "string | integer"),
        ({"$ref": "#/$defs/Circle"}, "Circle"),
        ({"type": "array"}, "array"),
        ({"type": "array", "items": {"type": "string"}}, "array of string"),
        ({"type": "array", "items": {"type": ["string", "null"]}}, "array of (string | null)"),
        ({"type": "object", "items": {"type": "string"}}, "object"),
    ],
)
def test_a_type_is_named(schema: Any, words: str) -> None:
    assert type_of(schema) == words
    assert shape_of(schema, {}) == words


POINT: dict[str, Any] = {
    "type": "object",
    "properties": {"x": {}, "y": {}},
    "required": ["x"],
}
ROOT: dict[str, Any] = {
    "$defs": {
        "Point": POINT,
        "Name": {"type": "string", "maxLength": 9},
        "Tree": {"type": "array", "items": {"$ref": "#/$defs/Tree"}},
    }
}
TEXT: dict[str, Any] = {"type": "string"}
LIST: dict[str, Any] = {"type": "array"}
MAP: dict[str, Any] = {"type": "object"}
MANY: dict[str, Any] = {key: {} for key in "abcdefg"}


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        (POINT, "object{x, y?}"),
        ({**MAP, "properties": MANY}, "object{a?, b?, c?, d?, e?, f?, ...}"),
        (MAP, "object"),
        ({**MAP, "additionalProperties": {}}, "object"),
        ({**MAP, "additionalProperties": False}, "object"),
        ({**MAP, "additionalProperties": TEXT}, "map of strings"),
        ({**MAP, "additionalProperties": POINT}, "map of (object{x, y?})"),
        ({"$ref": "#/$defs/Point"}, "Point{x, y?}"),
        ({"$ref": "#/$defs/Name"}, "string, at most 9 characters"),
        ({"$ref": "#/$defs/None"}, "None"),
        ({"$ref": "#/$defs/Tree"}, "array of array of Tree"),
        ({**LIST, "items": POINT}, "array of (object{x, y?})"),
        ({**LIST, "items": {"$ref": "#/$defs/Name"}}, "array of (string, at most 9 characters)"),
        ({"anyOf": [POINT, {"type": "null"}]}, "object{x, y?} | null"),
        ({"oneOf": [POINT, {"type": "null"}]}, "object{x, y?} | null"),
        ({**TEXT, "format": "date"}, "string (date)"),
        ({**TEXT, "pattern": "^a"}, "string, matching ^a"),
        ({**TEXT, "minLength": 0}, "string"),
        ({**TEXT, "minLength": 1}, "string, at least 1 character"),
        ({**TEXT, "maxLength": 2}, "string, at most 2 characters"),
        ({**TEXT, "minLength": 1, "maxLength": 1}, "string, 1 character"),
        ({**TEXT, "minLength": 0, "maxLength": 2}, "string, 0 to 2 characters"),
        ({**LIST, "minItems": 2, "maxItems": 3}, "array, 2 to 3 items"),
        ({**LIST, "maxItems": 0}, "array, at most 0 items"),
        ({**MAP, "minProperties": 1, "maxProperties": 2}, "object, 1 to 2 keys"),
        ({"type": "number", "exclusiveMinimum": 0}, "number, above 0"),
        ({"type": "number", "exclusiveMaximum": 1}, "number, below 1"),
        ({"type": "integer", "multipleOf": 5}, "integer, a multiple of 5"),
    ],
)
def test_a_shape_has_fields_items_bounds_and_formats(schema: Any, words: str) -> None:
    assert shape_of(schema, ROOT) == words
