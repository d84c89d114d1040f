"""Rare constructs, one at a time: the laws on each of them for every target."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from tests.laws.__main__ import modes
from tests.laws.laws import Tally, check
from tests.share import share
from toolhaft.lowering import Strict

NOTHING: dict[str, Any] = {"allOf": [{"type": "string"}, {"enum": [1]}]}
LIST_OF_ITSELF: dict[str, Any] = {
    "type": "object",
    "additionalProperties": {
        "minProperties": 1,
        "anyOf": [{"type": "string"}, {"$ref": "#/$defs/list"}],
    },
}
PAIR = [{"type": "string"}, {"type": ["integer", "null"]}]

NODES: dict[str, Any] = {
    "items that admit nothing": {"type": "array", "items": NOTHING},
    "items that are false": {"type": "array", "items": False},
    "a list with contains": {"type": "array", "contains": {"type": "string"}, "uniqueItems": True},
    "a list of maps with contains": {
        "type": "array",
        "items": {"type": "object", "additionalProperties": {"type": "integer"}},
        "contains": {"required": ["a"]},
        "uniqueItems": True,
    },
    "a list without anything": {"type": "array"},
    "a tuple that may stop early": {"type": "array", "prefixItems": PAIR, "minItems": 1},
    "a tuple that ends": {"type": "array", "prefixItems": PAIR, "items": False},
    "a tuple that goes on": {
        "type": "array",
        "prefixItems": PAIR,
        "items": {"type": "object", "additionalProperties": {"type": "integer"}},
        "minItems": 3,
        "maxItems": 5,
    },
    "a tuple with unique items": {
        "type": "array",
        "prefixItems": PAIR,
        "items": {"type": "integer"},
        "uniqueItems": True,
    },
    "an enum with a list": {"enum": [[1], {"a": 1}, "x"]},
    "an enum of numbers": {"enum": [1, 2.5, 3]},
    "an enum with limits": {"enum": ["a", "bbb"], "maxLength": 2},
    "an enum of types": {"type": ["string", "null"], "enum": ["a", None, 1]},
    "an enum beside a union": {"enum": [1, "a"], "anyOf": [{"type": "integer"}, {"maxLength": 3}]},
    "nothing beside a condition": {
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
        "if": {"required": ["a"]},
        "then": {"required": ["b"]},
        "else": True,
    },
    "no further keys than were evaluated": {
        "type": "object",
        "properties": {"a": {"type": "integer"}},
        "unevaluatedProperties": False,
    },
    "dependent schemas": {
        "type": "object",
        "properties": {"a": {"type": "integer"}},
        "dependentSchemas": {"a": {"required": ["b"]}, "c": True},
        "propertyNames": {"pattern": "^[a-z]$"},
    },
    "keys by pattern beside closed": {
        "type": "object",
        "properties": {"a": {"type": "integer"}},
        "patternProperties": {"^x": {"type": "string"}},
        "additionalProperties": False,
        "required": ["a", "x1"],
    },
    "keys by pattern alone": {"type": "object", "patternProperties": {"^x": {"type": "string"}}},
    "keys of which some are missing": {"type": "object", "required": ["a"], "properties": {}},
    "a key that must be absent": {
        "type": "object",
        "properties": {"a": False, "b": {"type": "string"}, "c": NOTHING},
    },
    "a list of types for one kind": {"type": ["integer", "number"]},
    "objects and text": {"type": ["object", "string"], "properties": {"a": {"type": "integer"}}},
    "no type but properties": {"properties": {"a": {"type": "integer"}}},
    "a union of one": {"anyOf": [{"type": "string"}]},
    "a union of nothing and text": {"anyOf": [NOTHING, {"type": "string"}]},
    "a union of nothings": {"anyOf": [NOTHING, False]},
    "a union with anything": {"anyOf": [{}, {"type": "string"}]},
    "one form of two that overlap": {"oneOf": [{"type": "integer"}, {"type": "number"}]},
    "one form, null in two": {"oneOf": [{"type": ["string", "null"]}, {"type": "null"}]},
    "nulls alone": {"anyOf": [{"type": "null"}, {"const": None}]},
    "a union beside limits": {"anyOf": [{"type": "string"}, {"type": "integer"}], "minLength": 2},
    "a union beside two patterns": {
        "type": "string",
        "pattern": "^a",
        "anyOf": [{"pattern": "b$"}, {"maxLength": 1}],
    },
    "a union of maps and lists": {
        "anyOf": [
            {"type": "object", "additionalProperties": {"type": "string"}},
            {"type": "object", "properties": {"key": {"type": "string"}}},
            {"type": "array", "items": {"type": "object", "properties": {"key": {}}}},
        ]
    },
    "all of two references": {"allOf": [{"$ref": "#/$defs/node"}, {"$ref": "#/$defs/other"}]},
    "a reference with siblings": {"$ref": "#/$defs/other", "maxProperties": 3, "title": "Other"},
    "a reference that recurs, with siblings": {"$ref": "#/$defs/node", "description": "A node."},
    "a reference that recurs with further requirements": {"$ref": "#/$defs/chain"},
    "requirements beside a reference that recurs with them": {
        "$ref": "#/$defs/chain",
        "required": ["v"],
    },
    "a list of itself by a union": {"$ref": "#/$defs/list"},
    "a definition that admits nothing": {
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/nothing"}, "b": {"type": "string"}},
    },
    "a default in a map": {
        "type": "object",
        "additionalProperties": {"type": "integer"},
        "default": {"a": 1},
    },
    "hints": {
        "type": "string",
        "examples": ["a"],
        "deprecated": True,
        "readOnly": True,
        "x-own": 1,
        "$comment": "not for models",
    },
}
DEFS: dict[str, Any] = {
    "node": {
        "type": "object",
        "properties": {"next": {"$ref": "#/$defs/node"}, "m": {"additionalProperties": {}}},
    },
    "chain": {
        "type": "object",
        "properties": {
            "v": {"type": "integer"},
            "next": {"$ref": "#/$defs/chain", "required": ["v"]},
        },
        "additionalProperties": False,
    },
    "other": {"type": "object", "properties": {"o": {"type": "string"}}},
    "list": LIST_OF_ITSELF,
    "nothing": {
        "type": "object",
        "required": ["n", "x"],
        "properties": {"n": NOTHING, "x": {"$ref": "#/$defs/nothing"}},
    },
}
ROOTS: dict[str, Any] = {
    "an untyped root": {"properties": {"a": {"type": "integer"}}, "required": ["a"]},
    "an empty root": {},
    "a root of types": {"type": ["object", "null"], "properties": {"a": {"type": "integer"}}},
    "an enum at the root": {"enum": [{"a": 1}, {"a": 2}]},
    "a root with requirements": {
        "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
        "oneOf": [{"required": ["a"]}, {"required": ["b"]}],
    },
    "a root in parts": {
        "type": "object",
        "properties": {"a": {"type": "integer"}},
        "allOf": [{"properties": {"a": {"minimum": 3}}}, {"required": ["a"]}],
        "not": {"required": ["z"]},
    },
    "a map at the root": {"type": "object", "additionalProperties": {"type": "integer"}},
    "a root that refers to the whole with further requirements": {
        "type": "object",
        "properties": {"inner": {"$ref": "#", "required": ["n"]}, "n": {"type": "null"}},
    },
    "a root that refers to the whole": {
        "type": "object",
        "properties": {
            "inner": {"$ref": "#"},
            "of": {"$ref": "#/properties/n"},
            "n": {"type": "null"},
        },
    },
    "a draft-07 schema": {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "properties": {"t": {"type": "array", "items": [{"$ref": "#/definitions/a"}, {}]}},
        "definitions": {"a": {"type": "integer"}},
        "dependencies": {"t": ["u"], "v": {"required": ["w"]}},
    },
    "a draft-04 schema": {
        "$schema": "http://json-schema.org/draft-04/schema#",
        "type": "object",
        "properties": {"n": {"type": "number", "minimum": 1, "exclusiveMinimum": True}},
    },
}
SCHEMAS = {
    **{
        name: {"type": "object", "properties": {"x": node}, "required": ["x"], "$defs": DEFS}
        for name, node in NODES.items()
    },
    **ROOTS,
}


@pytest.mark.unmeasured
@pytest.mark.requirement("lowering-laws")
@pytest.mark.parametrize("name", SCHEMAS)
def test_the_laws_hold_for_a_rare_construct(name: str) -> None:
    for target, strict in modes():
        tally = Tally()
        wish: Strict = strict and "prefer"
        check(SCHEMAS[name], target, wish, Random(name), tally, share(12))
        assert (target, tally.samples) == (target, {})
        assert tally.reached == tally.values
