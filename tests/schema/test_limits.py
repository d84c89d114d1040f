from __future__ import annotations

import math
from enum import StrEnum
from typing import Any

import pytest

from toolhaft.schema.bounds import DefinitionLimits
from toolhaft.schema.checker import Checker
from toolhaft.schema.faults import SchemaFault
from toolhaft.schema.limits import faults_of


def nested(levels: int, *steps: str) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "integer"}
    for _ in range(levels):
        for step in reversed(steps):
            schema = {step: schema}
    return schema


@pytest.mark.requirement("schema-bounds")
@pytest.mark.parametrize(
    ("schema", "pointer", "reason"),
    [
        (nested(2_000, "properties", "a"), "/properties/a" * 50 + "/properties",
         "more than 100 levels of JSON"),
        (nested(20_000, "not"), "/not" * 101, "more than 100 levels of JSON"),
        ({"properties": {f"p{n}": {} for n in range(50_000)}}, "/properties",
         "more than 1000 keys in one object"),
        ({"items": {"enum": list(range(100_000))}}, "/items/enum",
         "more than 5000 items in one list"),
        ({"$defs": {f"d{n}": {f"k{m}": 1 for m in range(30)} for n in range(900)}}, "",
         "more than 20000 JSON values"),
        ({"default": "x" * (1 << 20), "title": "x"}, "", "more than 1048576 characters of text"),
        ({"x" * (1 << 21): 1}, "", "more than 1048576 characters of text"),
        ({"description": "x" * 16_385}, "/description",
         "description longer than 16384 characters"),
    ],
)  # fmt: skip
def test_a_schema_that_is_too_large_is_refused_with_pointer_and_limit(
    schema: Any, pointer: str, reason: str
) -> None:
    [fault] = faults_of(schema)
    assert fault.reason == reason
    assert fault.pointer.startswith(pointer)


def test_a_description_may_be_as_long_as_the_limit() -> None:
    assert faults_of({"description": "x" * 16_384}) == []


def test_a_schema_that_contains_itself_is_too_deep() -> None:
    schema: dict[str, Any] = {}
    schema["items"] = schema
    [fault] = faults_of(schema)
    assert fault.reason == "more than 100 levels of JSON"


def test_parts_that_are_shared_count_each_time() -> None:
    schema: dict[str, Any] = {}
    for _ in range(40):
        schema = {"properties": {"a": schema, "b": schema}}
    [fault] = faults_of(schema)
    assert fault.reason == "more than 20000 JSON values"


@pytest.mark.requirement("schema-bounds")
def test_the_limits_can_be_changed() -> None:
    schema: dict[str, Any] = {"properties": {"a": {}, "b": {}}}
    assert faults_of(schema) == []
    [fault] = faults_of(schema, DefinitionLimits(max_properties=1))
    assert fault == SchemaFault(
        "/properties", "more than 1 keys in one object", "write a smaller schema of plain JSON data"
    )
    deep = nested(60, "properties", "a")
    assert faults_of(deep) != []
    assert faults_of(deep, DefinitionLimits(max_depth=200)) == []
    assert Checker(deep).is_valid({"a": 1})


def test_no_limit_lets_a_schema_pass_that_would_end_the_stack() -> None:
    [fault] = faults_of(nested(5_000, "not"), DefinitionLimits(max_depth=1_000_000))
    assert fault.reason == "more than 100 schemas inside each other"


class Colour(StrEnum):
    RED = "red"


@pytest.mark.parametrize(
    ("schema", "pointer", "reason"),
    [
        ({"enum": {1}}, "/enum", "set is not JSON"),
        ({"required": ("a",)}, "/required", "tuple is not JSON"),
        ({"const": Colour.RED}, "/const", "Colour is not JSON"),
        ({"default": object()}, "/default", "object is not JSON"),
        ({"minimum": math.nan}, "/minimum", "a number that is not finite"),
        ({"maximum": -math.inf}, "/maximum", "a number that is not finite"),
        ({"maximum": 10**4_301}, "/maximum", "a number too large"),
        ({"title": "\ud800"}, "/title", "text with a lone surrogate"),
        ({"properties": {"\udfff": {}}}, "/properties", "text with a lone surrogate"),
        ({"properties": {1: {}}}, "/properties", "a key that is not text"),
    ],
)
def test_what_is_not_json_is_refused(schema: Any, pointer: str, reason: str) -> None:
    [fault] = faults_of(schema)
    assert (fault.pointer, fault.reason) == (pointer, reason)


@pytest.mark.parametrize("name", ["__class__", "__init__", "__proto__", "____"])
def test_a_property_named_like_a_dunder_is_refused(name: str) -> None:
    assert faults_of({"items": {"properties": {name: {}}}}) == [
        SchemaFault(f"/items/properties/{name}", "property named like a Python dunder", "rename it")
    ]


@pytest.mark.parametrize("name", ["self", "args", "ctx", "_private", "__half", "model_config"])
def test_a_property_may_have_any_other_name(name: str) -> None:
    assert faults_of({"properties": {name: {}}}) == []


@pytest.mark.parametrize(
    "pattern", ["(", "(" * 500 + "a" + ")" * 500, "(((a{1,1000}){1,1000}){1,1000})", "a" * 4_097]
)
def test_a_pattern_that_no_engine_can_run_is_refused(pattern: str) -> None:
    for schema in ({"pattern": pattern}, {"patternProperties": {pattern: True}}):
        [fault] = faults_of({"items": schema})
        assert (fault.pointer, fault.reason) == ("/items", "pattern that no engine can run")


@pytest.mark.parametrize("pattern", ["^(a|a)*$", "^(a+)+$", r"^(?=.*\d)\w+$", r"\p{Letter}"])
def test_a_pattern_that_the_engine_bounds_may_stand(pattern: str) -> None:
    assert faults_of({"pattern": pattern}) == []


def test_more_patterns_than_can_be_tried_are_refused() -> None:
    schema = {"properties": {f"p{n}": {"pattern": f"^{n}$"} for n in range(65)}}
    assert faults_of(schema) == [
        SchemaFault(
            "", "more than 64 different patterns", "write a smaller schema of plain JSON data"
        )
    ]
    assert faults_of(schema, DefinitionLimits(max_patterns=65)) == []
    assert faults_of({"properties": {f"p{n}": {"pattern": "^x$"} for n in range(65)}}) == []


def test_all_faults_are_listed_but_no_more_than_twenty() -> None:
    schema = {"properties": {f"p{n}": {"type": "text"} for n in range(50)}, "required": "p"}
    faults = faults_of(schema)
    assert len(faults) == 20
    assert [fault.pointer for fault in faults[:2]] == ["/required", "/properties/p0/type"]


@pytest.mark.requirement("schema-refs-local")
def test_a_remote_reference_is_refused_where_nothing_uses_it_too() -> None:
    [fault] = faults_of({"$defs": {"a": {"$ref": "http://127.0.0.1:9/y.json"}}})
    assert fault.pointer == "/$defs/a"


def test_references_are_looked_at_when_everything_else_is_right() -> None:
    wrong = {"$ref": "#/$defs/gone", "type": "text"}
    assert [fault.pointer for fault in faults_of(wrong)] == ["/type"]
