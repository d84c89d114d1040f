"""The verdict on a change is never contradicted by a value, and says where it was found."""

from __future__ import annotations

import copy
from random import Random
from typing import Any

import pytest

from tests.laws.schemas import schema as random_schema
from tests.share import share
from toolhaft.schema.checker import Checker
from toolhaft.schema.compare import compare_schemas
from toolhaft.schema.generate import Values
from toolhaft.schema.limits import faults_of
from toolhaft.schema.normalise import normalise

PAIRS = share(1_500)
KEPT = ("same", "widened")


def edited(schema: Any, other: Any, random: Random) -> Any:
    """The schema with some of its parts changed, dropped, or taken from another one."""
    made = copy.deepcopy(schema)
    for node in _nodes(made):
        if not node or random.random() > 0.3:
            continue
        keyword = random.choice(list(node))
        if keyword in ("$ref", "$defs"):
            continue
        act = random.randrange(4)
        if act == 0:
            del node[keyword]
        elif act == 1 and isinstance(node[keyword], int) and not isinstance(node[keyword], bool):
            node[keyword] += random.choice((-1, 1))
        elif act == 2 and isinstance(node[keyword], list) and len(node[keyword]) > 1:
            node[keyword].pop(random.randrange(len(node[keyword])))
        elif act == 3 and isinstance(other, dict) and keyword in other:
            node[keyword] = copy.deepcopy(other[keyword])
    return made


def _nodes(node: Any) -> list[dict[str, Any]]:
    if isinstance(node, list):
        return [one for item in node for one in _nodes(item)]
    if not isinstance(node, dict):
        return []
    return [node, *(one for value in node.values() for one in _nodes(value))]


def pair(number: int) -> tuple[Any, Any] | None:
    """Two schemas that have much in common."""
    random = Random(f"compare:{number}")
    old, other = random_schema(random), random_schema(random)
    new = edited(old, other, random)
    if faults_of(old) or faults_of(new):
        return None
    return (old, new) if random.random() < 0.5 else (new, old)


@pytest.mark.unmeasured
@pytest.mark.requirement("diff-sound")
def test_no_value_contradicts_a_verdict_that_none_is_lost() -> None:
    judged = kept = values = 0
    for number in range(PAIRS):
        found = pair(number)
        if found is None:
            continue
        judged += 1
        old, new = found
        if any(one.direction not in KEPT for one in compare_schemas(old, new)):
            continue
        kept += 1
        before, after = Checker(old), Checker(new)
        source = Values(normalise(old), Random(number))
        for value in (source.draw() for _ in range(12)):
            if before.is_valid(value):
                values += 1
                assert after.is_valid(value), (old, new, value)
    assert judged > PAIRS // 2
    assert kept > judged // 10
    assert values > kept


@pytest.mark.unmeasured
@pytest.mark.requirement("diff-sound")
def test_no_value_contradicts_a_verdict_that_none_is_new() -> None:
    for number in range(PAIRS):
        found = pair(number)
        if found is None:
            continue
        old, new = found
        if any(one.direction not in ("same", "narrowed") for one in compare_schemas(old, new)):
            continue
        before, after = Checker(old), Checker(new)
        source = Values(normalise(new), Random(number))
        for value in (source.draw() for _ in range(8)):
            if after.is_valid(value):
                assert before.is_valid(value), (old, new, value)


@pytest.mark.unmeasured
def test_a_schema_is_the_same_as_itself() -> None:
    for number in range(200):
        schema = random_schema(Random(number))
        if not faults_of(schema):
            assert [one for one in compare_schemas(schema, schema) if one.direction != "same"] == []


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        (
            {"enum": [1, 2, 3, "a"]},
            {"enum": [1, 2, "b"]},
            [("2 enum members are gone", "narrowed"), ("1 enum members are new", "widened")],
        ),
        (
            {"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]},
            {"anyOf": [{"type": "integer"}, {"type": "string"}]},
            [("the alternatives of anyOf changed", "narrowed")],
        ),
        (
            {"anyOf": [{"type": "string"}, {"type": "integer"}]},
            {"anyOf": [{"type": "null"}, {"type": "integer"}]},
            [("the alternatives of anyOf changed", "unknown")],
        ),
        (
            {"anyOf": [{"type": "string"}, {"type": "integer"}]},
            {"anyOf": [{"type": "null"}, {"type": "integer"}, {"type": "string"}]},
            [("the alternatives of anyOf changed", "widened")],
        ),
    ],
    ids=["members of an enum", "fewer alternatives", "other alternatives", "more alternatives"],
)
def test_a_change_is_described_with_its_direction(
    old: Any, new: Any, found: list[tuple[str, str]]
) -> None:
    assert [(one.what, one.direction) for one in compare_schemas(old, new)] == found


STRING: dict[str, Any] = {"type": "string"}
INTEGER: dict[str, Any] = {"type": "integer"}
NULL: dict[str, Any] = {"type": "null"}
ARRAY: dict[str, Any] = {"type": "array"}
OBJECT: dict[str, Any] = {"type": "object"}
CLOSED: dict[str, Any] = {"additionalProperties": False}
OTHERS = "array or boolean or integer or null or number or object"


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        (True, INTEGER, ["has a schema now: narrowed"]),
        (
            INTEGER,
            {"$ref": "#/$defs/a", "$defs": {"a": {**INTEGER, "minimum": 1}}},
            ["/minimum minimum is new: narrowed"],
        ),
        (INTEGER, True, ["takes more values: widened"]),
        (INTEGER, False, ["is closed now: narrowed"]),
        (False, INTEGER, ["is open now: widened"]),
        ({}, {"title": "x"}, ["/title title changed: same"]),
        (True, {"title": "x"}, []),
        (
            STRING,
            {**STRING, "title": "T", "description": "d"},
            ["/title title changed: same", "/description description changed: same"],
        ),
        (
            {**STRING, "default": "a", "examples": ["a"]},
            STRING,
            ["/default default changed: same", "/examples examples changed: same"],
        ),
        (
            STRING,
            INTEGER,
            ["/type type string is gone: narrowed", "/type type integer is new: widened"],
        ),
        (INTEGER, {"type": "number"}, ["/type type number is new: widened"]),
        ({"type": ["string", "null"]}, STRING, ["/type type null is gone: narrowed"]),
        (
            {},
            STRING,
            [f"/type type {OTHERS} is gone: narrowed"],
        ),
        ({"const": 1}, {"enum": [1, 2]}, ["/enum takes more than it listed: widened"]),
        ({"enum": [1, 2]}, {"const": 1}, ["/enum 1 enum members are gone: narrowed"]),
        ({"enum": ["a"]}, STRING, ["/enum takes more than it listed: widened"]),
        (
            STRING,
            {"enum": ["a"]},
            [
                f"/type type {OTHERS} is new: widened",
                "/enum is an enumeration now: narrowed",
            ],
        ),
        (
            {**STRING, "enum": ["a"]},
            INTEGER,
            [
                "/type type string is gone: narrowed",
                "/type type integer is new: widened",
                "/enum is no enumeration any more: widened",
            ],
        ),
        (
            {"enum": [1]},
            {"enum": ["b"]},
            ["/enum 1 enum members are gone: narrowed", "/enum 1 enum members are new: widened"],
        ),
        (
            {**INTEGER, "minimum": 1},
            {**INTEGER, "minimum": 2},
            ["/minimum minimum 1 became 2: narrowed"],
        ),
        (
            {**INTEGER, "minimum": 2},
            {**INTEGER, "minimum": 1},
            ["/minimum minimum 2 became 1: widened"],
        ),
        ({**INTEGER, "maximum": 9}, INTEGER, ["/maximum maximum is gone: widened"]),
        (
            INTEGER,
            {**INTEGER, "exclusiveMaximum": 9},
            ["/exclusiveMaximum exclusiveMaximum is new: narrowed"],
        ),
        (
            {**STRING, "maxLength": 3},
            {**STRING, "maxLength": 4},
            ["/maxLength maxLength 3 became 4: widened"],
        ),
        (
            {**STRING, "minLength": 3},
            {**STRING, "minLength": 2},
            ["/minLength minLength 3 became 2: widened"],
        ),
        (
            {**STRING, "pattern": "a"},
            {**STRING, "pattern": "b"},
            ["/pattern pattern a became b: unknown"],
        ),
        ({**STRING, "format": "date"}, STRING, ["/format format is gone: widened"]),
        (
            {**INTEGER, "multipleOf": 4},
            {**INTEGER, "multipleOf": 2},
            ["/multipleOf multipleOf 4 became 2: widened"],
        ),
        (
            {**INTEGER, "multipleOf": 2},
            {**INTEGER, "multipleOf": 4},
            ["/multipleOf multipleOf 2 became 4: narrowed"],
        ),
        (
            {**INTEGER, "multipleOf": 2},
            {**INTEGER, "multipleOf": 3},
            ["/multipleOf multipleOf 2 became 3: unknown"],
        ),
        (
            {"type": "number", "multipleOf": 0.5},
            {"type": "number", "multipleOf": 1},
            ["/multipleOf multipleOf 0.5 became 1: unknown"],
        ),
        (ARRAY, {**ARRAY, "uniqueItems": True}, ["/uniqueItems items must differ: narrowed"]),
        (
            {**ARRAY, "uniqueItems": True},
            {**ARRAY, "uniqueItems": False},
            ["/uniqueItems items may be equal: widened"],
        ),
        (
            {**ARRAY, "items": STRING},
            {**ARRAY, "items": INTEGER},
            [
                "/items/type type string is gone: narrowed",
                "/items/type type integer is new: widened",
            ],
        ),
        (
            {**ARRAY, "prefixItems": [STRING, STRING]},
            {**ARRAY, "prefixItems": [STRING, INTEGER]},
            [
                "/prefixItems/1/type type string is gone: narrowed",
                "/prefixItems/1/type type integer is new: widened",
            ],
        ),
        (
            {**ARRAY, "prefixItems": [STRING], "items": INTEGER},
            {**ARRAY, "prefixItems": [STRING, NULL], "items": INTEGER},
            [
                "/prefixItems/1/type type integer is gone: narrowed",
                "/prefixItems/1/type type null is new: widened",
            ],
        ),
        (
            {**ARRAY, "prefixItems": [STRING, INTEGER], "items": False},
            {**ARRAY, "prefixItems": [STRING], "items": False},
            ["/prefixItems/1 is closed now: narrowed"],
        ),
        (
            {**OBJECT, "properties": {"a": STRING}},
            {**OBJECT, "properties": {"a": INTEGER}},
            [
                "/properties/a/type type string is gone: narrowed",
                "/properties/a/type type integer is new: widened",
            ],
        ),
        (
            {**OBJECT, "properties": {"a": STRING}, "required": ["a"]},
            {**OBJECT, "properties": {"a": STRING}},
            ["/properties/a is optional now: widened"],
        ),
        (
            {**OBJECT, "properties": {"a": STRING}},
            {**OBJECT, "properties": {"a": STRING}, "required": ["a"]},
            ["/properties/a is required now: narrowed"],
        ),
        (
            {**OBJECT, "properties": {"a": STRING}, **CLOSED},
            {**OBJECT, "properties": {"a": STRING, "b": STRING}, **CLOSED},
            ["/properties/b is new: widened"],
        ),
        (
            {**OBJECT, "properties": {"a": STRING}},
            {**OBJECT, "properties": {"a": STRING, "b": STRING}},
            ["/properties/b is new; the key could hold anything before: unknown"],
        ),
        (
            {**OBJECT, "properties": {"a": STRING}},
            {**OBJECT, "properties": {"a": STRING, "b": True}},
            ["/properties/b is new: same"],
        ),
        (
            {**OBJECT, "properties": {"a": STRING, "b": STRING}, **CLOSED},
            {**OBJECT, "properties": {"a": STRING}, **CLOSED},
            ["/properties/b is gone: narrowed"],
        ),
        (
            {**OBJECT, "properties": {"a": STRING, "b": STRING}},
            {**OBJECT, "properties": {"a": STRING}},
            ["/properties/b is gone; the key is free: unknown"],
        ),
        (
            {**OBJECT, "properties": {"a": STRING}},
            {**OBJECT, "properties": {"a": STRING}, **CLOSED},
            ["/additionalProperties is closed now: narrowed"],
        ),
        (
            {**OBJECT, "properties": {"a": STRING}, **CLOSED},
            {**OBJECT, "properties": {"a": STRING}},
            ["/additionalProperties is open now: widened"],
        ),
        (
            {**OBJECT, "additionalProperties": STRING},
            {**OBJECT, "additionalProperties": INTEGER},
            [
                "/additionalProperties/type type string is gone: narrowed",
                "/additionalProperties/type type integer is new: widened",
            ],
        ),
        (
            {**OBJECT, "properties": {"a": STRING}, "patternProperties": {"^x": STRING}},
            {**OBJECT, "properties": {"a": STRING}, "patternProperties": {"^x": INTEGER}},
            ["/patternProperties patternProperties changed: unknown"],
        ),
        (
            {**OBJECT, "properties": {"a": STRING}, "patternProperties": {"^x": STRING}},
            {
                **OBJECT,
                "properties": {"a": STRING, "b": STRING},
                "patternProperties": {"^x": STRING},
            },
            ["/patternProperties applies to other keys now: unknown"],
        ),
        (
            {**OBJECT, "properties": {"a": STRING}, "patternProperties": {"^x": STRING}},
            {**OBJECT, "properties": {"a": INTEGER}, "patternProperties": {"^x": STRING}},
            [
                "/properties/a/type type string is gone: narrowed",
                "/properties/a/type type integer is new: widened",
            ],
        ),
        (
            {"anyOf": [STRING, NULL]},
            STRING,
            [
                f"/type type {OTHERS} is gone: narrowed",
                "/anyOf anyOf is gone: widened",
            ],
        ),
        (
            STRING,
            {"anyOf": [STRING, NULL]},
            [
                f"/type type {OTHERS} is new: widened",
                "/anyOf anyOf is new: narrowed",
            ],
        ),
        (
            {"oneOf": [STRING, NULL]},
            {"oneOf": [STRING, INTEGER]},
            ["/oneOf the alternatives of oneOf changed: unknown"],
        ),
        ({"oneOf": [STRING, NULL]}, {"oneOf": [STRING, NULL]}, []),
        (
            {"anyOf": [{**STRING, "maxLength": 3}, NULL]},
            {"anyOf": [{**STRING, "maxLength": 4}, NULL]},
            ["/anyOf the alternatives of anyOf changed: widened"],
        ),
        (
            {"allOf": [STRING, {"minLength": 1}]},
            {"allOf": [STRING, {"minLength": 2}]},
            ["/allOf/1/minLength minLength 1 became 2: narrowed"],
        ),
        ({"not": STRING}, {"not": INTEGER}, ["/not not changed: unknown"]),
        ({"contains": STRING}, {}, ["/contains contains changed: unknown"]),
        ({"not": STRING}, {"not": STRING}, []),
        (
            {"$ref": "#/$defs/a", "$defs": {"a": STRING}},
            {"$ref": "#/$defs/b", "$defs": {"b": STRING}},
            [],
        ),
        (
            {"$ref": "#/$defs/a", "$defs": {"a": STRING}},
            {"$ref": "#/$defs/a", "$defs": {"a": INTEGER}},
            ["/type type string is gone: narrowed", "/type type integer is new: widened"],
        ),
        (
            {"$ref": "#/$defs/a", "$defs": {"a": STRING}},
            INTEGER,
            ["/type type string is gone: narrowed", "/type type integer is new: widened"],
        ),
        (
            {"$ref": "#/$defs/a", "maxLength": 3, "$defs": {"a": STRING}},
            {"$ref": "#/$defs/a", "maxLength": 2, "$defs": {"a": STRING}},
            ["/maxLength maxLength 3 became 2: narrowed"],
        ),
        (
            {
                "$ref": "#/$defs/t",
                "$defs": {"t": {**OBJECT, "properties": {"t": {"$ref": "#/$defs/t"}, "n": STRING}}},
            },
            {
                "$ref": "#/$defs/t",
                "$defs": {
                    "t": {**OBJECT, "properties": {"t": {"$ref": "#/$defs/t"}, "n": INTEGER}}
                },
            },
            [
                "/properties/n/type type string is gone: narrowed",
                "/properties/n/type type integer is new: widened",
            ],
        ),
        (
            {"$ref": "#/$defs/a", "type": "string", "$defs": {"a": STRING}},
            {"$ref": "#/$defs/a", "type": "string", "$defs": {"a": {**STRING, "minLength": 1}}},
            ["/allOf/0/minLength minLength is new: narrowed"],
        ),
    ],
)
def test_a_change_has_its_place_its_words_and_its_direction(
    old: Any, new: Any, found: list[str]
) -> None:
    changes = compare_schemas(old, new)
    assert [f"{one.pointer} {one.what}: {one.direction}".strip() for one in changes] == found
