"""Keywords that a target lacks become sentences, and schemas in texts are complete."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from toolhaft.lowering import lower
from toolhaft.lowering.nodes.sentences import sentence
from toolhaft.schema.checker import Checker

pytestmark = pytest.mark.requirement("texts-hints")

NEEDS_PORT = {"if": {"required": ["host"]}, "then": {"required": ["port"]}}


@pytest.mark.parametrize(
    ("node", "keyword", "expected"),
    [
        ({"minimum": 1}, "minimum", "at least 1"),
        ({"if": {"required": ["a"]}}, "if", ""),
        ({"default": "x" * 398}, "default", f'default "{"x" * 398}"'),
        ({"default": "x" * 399}, "default", f'default "{"x" * 399}...'),
        ({"then": False}, "then", ""),
        ({"maxLength": 1}, "maxLength", "at most 1 character"),
        ({"minItems": 2}, "minItems", "at least 2 items"),
        ({"maxProperties": 1}, "maxProperties", "at most 1 key"),
        ({"title": "T"}, "title", "title T"),
        ({"example": "a"}, "example", 'such as "a"'),
        ({"readOnly": True}, "readOnly", "read only"),
        ({"writeOnly": True}, "writeOnly", "write only"),
        ({"maxContains": 3}, "maxContains", "at most 3 such items"),
        ({"unevaluatedItems": {"type": "integer"}}, "unevaluatedItems", "further items: integer"),
        (
            {"unevaluatedProperties": {"type": "integer"}},
            "unevaluatedProperties",
            "further keys: integer",
        ),
        ({"propertyNames": {"pattern": "^x"}}, "propertyNames", "each key: string, matches ^x"),
        ({"maximum": 2.5}, "maximum", "at most 2.5"),
        ({"exclusiveMinimum": 0}, "exclusiveMinimum", "more than 0"),
        ({"exclusiveMaximum": 9}, "exclusiveMaximum", "less than 9"),
        ({"multipleOf": 3}, "multipleOf", "a multiple of 3"),
        ({"minLength": 0}, "minLength", ""),
        ({"minLength": 1}, "minLength", "at least 1 character"),
        ({"maxItems": 3}, "maxItems", "at most 3 items"),
        ({"minProperties": 2}, "minProperties", "at least 2 keys"),
        ({"uniqueItems": True}, "uniqueItems", "no duplicate items"),
        ({"uniqueItems": False}, "uniqueItems", ""),
        ({"pattern": "^[a-z]+$"}, "pattern", "matches ^[a-z]+$"),
        ({"format": "date-time"}, "format", "format date-time"),
        ({"default": ""}, "default", 'default ""'),
        ({"const": "a"}, "const", 'always "a"'),
        ({"examples": ["a", 1]}, "examples", 'such as "a", 1'),
        ({"deprecated": True}, "deprecated", "deprecated"),
        ({"contains": {"type": "string"}}, "contains", "at least one item is string"),
        ({"minContains": 2}, "minContains", "at least 2 such items"),
        (
            {"propertyNames": {"maxLength": 12}},
            "propertyNames",
            "each key: string, at most 12 characters",
        ),
        (
            {"patternProperties": {"^x-": {"type": "integer"}}},
            "patternProperties",
            "keys that match ^x-: integer",
        ),
        ({"additionalProperties": False}, "additionalProperties", "no further keys"),
        ({"dependentRequired": {"a": ["b", "c"]}}, "dependentRequired", "with a also give b, c"),
        (
            {"dependentSchemas": {"a": {"required": ["b"]}}},
            "dependentSchemas",
            "with a, give b",
        ),
        ({"not": {"required": ["a", "b"]}}, "not", "give only one of a, b"),
        ({"not": {"type": "null"}}, "not", "not null"),
        (
            {"anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
            "anyOf",
            "give at least one of a, b",
        ),
        (
            {"oneOf": [{"type": "object", "required": ["a"]}, {"required": ["b", "c"]}]},
            "oneOf",
            "give exactly one of a, b and c",
        ),
        (
            {"oneOf": [{"type": "string"}, {"const": 1}]},
            "oneOf",
            "exactly one of these: string or 1",
        ),
        (
            {"allOf": [{"type": "integer", "minimum": 1}]},
            "allOf",
            "all of this: integer, at least 1",
        ),
        (NEEDS_PORT, "if", "if host is given, give port"),
        (
            {**NEEDS_PORT, "else": {"required": ["name"]}},
            "if",
            "if host is given, give port, else give name",
        ),
        (NEEDS_PORT, "then", ""),
        (
            {
                "if": {"properties": {"n": {"minimum": 5}}},
                "then": {"not": {"required": ["a", "b"]}},
            },
            "if",
            'if it matches {"properties":{"n":{"minimum":5}}}, give only one of a, b',
        ),
    ],
)
def test_a_keyword_is_described_in_words(node: Any, keyword: str, expected: str) -> None:
    assert sentence(node, node, keyword, node[keyword]) == expected


TREE: dict[str, Any] = {
    "type": "object",
    "properties": {"root": {"$ref": "#/$defs/node"}},
    "required": ["root"],
    "$defs": {
        "node": {
            "type": "object",
            "properties": {
                "name": {"type": "string"},
                "tag": {"$ref": "#/$defs/tag"},
                "children": {"type": "array", "items": {"$ref": "#/$defs/node"}},
                **{
                    f"field_{n}": {"type": "string", "description": "Long. " * 18}
                    for n in range(20)
                },
            },
            "required": ["name"],
            "additionalProperties": False,
        },
        "tag": {"enum": ["a", "b"]},
    },
}
EXPRESSION: dict[str, Any] = {
    "type": "object",
    "properties": {"of": {"$ref": "#/$defs/both"}},
    "$defs": {
        "both": {
            "type": "object",
            "properties": {"args": {"type": "array", "items": {"$ref": "#/$defs/one"}}},
        },
        "one": {"anyOf": [{"$ref": "#/$defs/both"}, {"type": "string"}]},
    },
}
# Three schemas whose names in a text would be the same.
ALIKE: dict[str, Any] = {
    "type": "object",
    "properties": {"node": {"$ref": "#/$defs/node"}, "port": {"type": "integer"}},
    "$defs": {
        "node": {
            "type": "object",
            "properties": {
                "port": {"$ref": "#/$defs/port"},
                "backup": {"$ref": "#/$defs/port_2"},
                "public": {"$ref": "#/properties/port"},
                "next": {"$ref": "#/$defs/node"},
            },
        },
        "port": {"type": "string"},
        "port_2": {"type": "boolean"},
    },
}
TEXT = "JSON text of a value of this schema: "


def descriptions(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        if isinstance(schema.get("description"), str):
            yield schema["description"]
        for value in schema.values():
            yield from descriptions(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from descriptions(value)


@pytest.mark.parametrize(
    "target", ["anthropic", "bedrock", "cohere", "gemini-openapi", "ollama", "xai"]
)
@pytest.mark.parametrize(
    ("schema", "right", "wrong"),
    [
        (
            TREE,
            {"name": "a", "tag": "b", "children": [{"name": "c"}]},
            {"children": [{"tag": "c"}]},
        ),
        (EXPRESSION, {"args": ["a", {"args": []}]}, {"args": [{"args": [1]}]}),
        (ALIKE, {"port": "a", "backup": True, "public": 1}, {"public": "a"}),
    ],
    ids=["tree", "expression", "alike"],
)
def test_recursion_that_a_target_refuses_is_a_text_that_is_complete(
    target: str, schema: Any, right: Any, wrong: Any
) -> None:
    lowered = lower(schema, target, "prefer")
    texts = [text for text in descriptions(lowered.schema) if text.startswith(TEXT)]
    assert texts or not lowered.strict  # too long for a strict schema, it goes out as it is
    for text in texts:
        checker = Checker(json.loads(text.removeprefix(TEXT)))
        assert (checker.is_valid(right), checker.is_valid(wrong)) == (True, False)
