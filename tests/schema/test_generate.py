"""Values of schemas: accepted, at the bounds, the same for the same seed."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.laws.schemas import schema
from toolhaft.schema.checker import Checker
from toolhaft.schema.document.kinds import hashable
from toolhaft.schema.generate import NoValue, Values
from toolhaft.schema.limits import faults_of

NODE = {
    "$ref": "#/$defs/node",
    "$defs": {
        "node": {
            "type": "object",
            "properties": {"next": {"anyOf": [{"$ref": "#/$defs/node"}, {"type": "null"}]}},
            "required": ["next"],
        }
    },
}
SCHEMAS: dict[str, Any] = {
    "a recursive list": NODE,
    "exclusive bounds": {"type": "integer", "exclusiveMinimum": 1, "exclusiveMaximum": 4},
    "a small range": {"type": "number", "minimum": 0.25, "maximum": 0.5},
    "multiples": {"type": "number", "multipleOf": 0.5, "minimum": 100},
    "a pattern": {"type": "string", "pattern": "^[A-Z]{3}$", "maxLength": 3},
    "a long text": {"type": "string", "minLength": 200},
    "an odd pattern with an example": {"type": "string", "pattern": r"(a)\1", "examples": ["aa"]},
    "an odd pattern with a default": {"type": "string", "pattern": r"(b)\1", "default": "bb"},
    "a format": {"type": "string", "format": "date-time"},
    "a tuple": {"type": "array", "prefixItems": [{"type": "integer"}, {"const": "x"}],
                "items": False, "minItems": 2},
    "unique items": {"type": "array", "items": {"enum": [1, 2, 3]}, "uniqueItems": True,
                     "minItems": 2},
    "an item of a kind": {"type": "array", "contains": {"const": 7}, "minItems": 1},
    "a map with key rules": {"type": "object", "minProperties": 3, "maxProperties": 4,
                             "additionalProperties": {"type": "integer"},
                             "propertyNames": {"pattern": "^[a-z]{2,}$"}},
    "keys by pattern": {"type": "object", "patternProperties": {"^x-[a-z]+$": {"type": "null"}},
                        "additionalProperties": False, "minProperties": 1},
    "parts together": {"allOf": [{"properties": {"a": {"type": "integer"}}, "required": ["a"]},
                                 {"properties": {"b": {"type": "string"}}, "required": ["b"]}]},
    "no type": {"minLength": 3},
    "parts that take anything": {"allOf": [True, {"type": "integer"}, True]},
    "a draft 4 bound": {"type": "integer", "minimum": 3, "exclusiveMinimum": True},
}  # fmt: skip


@pytest.mark.requirement("agreement-generator")
@pytest.mark.parametrize("name", SCHEMAS)
def test_values_satisfy_their_schema(name: str) -> None:
    source, checker = Values(SCHEMAS[name], Random(1)), Checker(SCHEMAS[name])
    values = [source.valid() for _ in range(50)]
    assert [value for value in values if not checker.is_valid(value)] == []


@pytest.mark.requirement("agreement-generator")
@given(st.integers(0, 10**6))
def test_values_of_random_schemas_satisfy_them(seed: int) -> None:
    made = schema(Random(seed))
    if faults_of(made):
        return
    try:
        value = Values(made, Random(seed)).valid()
    except NoValue:
        return
    assert Checker(made).is_valid(value)


@pytest.mark.requirement("agreement-generator")
def test_the_same_seed_gives_the_same_values() -> None:
    def drawn() -> list[Any]:
        source = Values(SCHEMAS["a map with key rules"], Random(7))
        return [source.valid() for _ in range(20)]

    assert drawn() == drawn()


def test_bounds_whole_floats_and_large_integers_are_among_the_values() -> None:
    source = Values({"type": "integer"}, Random(0))
    values = [source.valid() for _ in range(300)]
    assert 2**53 + 1 in values
    assert any(isinstance(value, float) for value in values)
    bounded = Values({"type": "integer", "minimum": 3, "maximum": 5}, Random(0))
    assert {bounded.valid() for _ in range(100)} == {3, 4, 5}
    texts = Values({"type": "string", "minLength": 2, "maxLength": 4}, Random(0))
    assert {len(texts.valid()) for _ in range(100)} == {2, 3, 4}


def test_all_forms_of_a_union_and_all_members_are_met() -> None:
    union = {"oneOf": [{"const": 1}, {"enum": ["a", "b"]}, {"type": "null"}]}
    source = Values(union, Random(0))
    assert {hashable(source.valid()) for _ in range(50)} == set(map(hashable, (1, "a", "b", None)))


def test_a_pattern_that_cannot_be_read_is_named() -> None:
    source = Values({"type": "string", "pattern": r"^(a|b)\1$"}, Random(0))
    with pytest.raises(NoValue):
        source.valid()
    assert source.unreadable == {r"^(a|b)\1$"}


def test_a_schema_without_values_gives_none() -> None:
    with pytest.raises(NoValue):
        Values({"type": "object", "required": ["a"], "properties": {"a": False}}, Random(0)).valid()
