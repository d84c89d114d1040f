"""What a schema takes, in a few words of a refusal."""

from __future__ import annotations

from typing import Any

import pytest

from toolhaft.schema.explain.phrases import phrase_of

STRING: dict[str, Any] = {"type": "string"}
INTEGER: dict[str, Any] = {"type": "integer"}
NULL: dict[str, Any] = {"type": "null"}
CITY: dict[str, Any] = {"$ref": "#/$defs/City"}
ROOT: dict[str, Any] = {
    "$defs": {
        "City": {"type": "object", "properties": {"name": STRING}, "required": ["name"]},
        "Row": {"type": "array", "items": CITY},
    }
}


def array(items: Any = True, **more: Any) -> dict[str, Any]:
    return {"type": "array", "items": items, **more}


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        (True, "any value"),
        ({}, "a value"),
        ({"not": STRING}, "a value"),
        (STRING, "string"),
        ({"type": ["string", "null"]}, "string or null"),
        ({"anyOf": [STRING, INTEGER]}, "string or integer"),
        ({"anyOf": [CITY, NULL]}, "object {name} or null"),
        ({"oneOf": [{"const": "a"}, {"const": "b"}]}, '"a" or "b"'),
        ({"enum": ["a", 1, None]}, '"a", 1 or null'),
        ({"enum": [*range(16)]}, "0, 1, 2, 3, 4 or 11 more values"),
        ({"type": "integer", "minimum": 1}, "integer from 1"),
        ({"type": "integer", "minimum": 1, "maximum": 5}, "integer from 1 to 5"),
        ({"type": "number", "exclusiveMinimum": 0}, "number above 0"),
        ({"type": "number", "exclusiveMaximum": 0}, "number below 0"),
        ({"type": "string", "pattern": "^a"}, "string that matches ^a"),
        ({"type": "object"}, "object"),
        ({"type": "object", "additionalProperties": INTEGER}, "object of integers"),
        (CITY, "object {name}"),
        (
            {
                "type": "object",
                "properties": {"kind": {"const": "x"}, "b": STRING, "c": STRING},
                "required": ["kind", "b"],
            },
            'object {kind: "x", b}',
        ),
        (
            {"type": "object", "properties": dict.fromkeys("abcdefghijk", STRING)},
            "object {a, b, c, d, e, f, g, h, i, j, …}",
        ),
    ],
)
def test_a_value_is_named(schema: Any, words: str) -> None:
    assert phrase_of(ROOT, schema) == words


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        (array(), "array"),
        (array(STRING), "array of strings"),
        (array(CITY), "array of objects {name}"),
        (array({"anyOf": [STRING, NULL]}), "array of strings or nulls"),
        (array({"oneOf": [CITY, INTEGER]}), "array of objects {name} or integers"),
        (array({"anyOf": [STRING, True]}), "array"),
        (array({"enum": ["a", "b"]}), 'array of "a" or "b"'),
        (array(array(array(INTEGER))), "array of arrays of arrays of integers"),
        (array({"$ref": "#/$defs/Row"}), "array of arrays"),
        (array(prefixItems=[STRING, INTEGER]), "array [string, integer, …]"),
        (array(False, prefixItems=[STRING, INTEGER]), "array [string, integer]"),
        (array(prefixItems=[STRING, INTEGER], maxItems=2), "array [string, integer]"),
        (array(False, prefixItems=[NULL] * 11), f"array [{'null, ' * 10}…]"),
    ],
)
def test_an_array_is_named_with_its_items(schema: Any, words: str) -> None:
    assert phrase_of(ROOT, schema) == words
