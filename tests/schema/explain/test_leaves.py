"""Objects and arrays of scalars are tested by the engine: where, and with the same findings."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.laws.schemas import schema as drawn_schema
from tests.schema.random_schemas import schemas
from tests.schema.random_schemas import values as drawn_values
from toolhaft.schema.checker import Checker
from toolhaft.schema.explain import keywords
from toolhaft.schema.explain.explainer import Explainer
from toolhaft.schema.explain.kind_checks import never
from toolhaft.schema.explain.leaves import leaf_test, visits_once
from toolhaft.schema.explain.node import NodeIssue
from toolhaft.schema.generate import NoValue, Values
from toolhaft.schema.limits import faults_of
from toolhaft.schema.mutate import mutations

POINT = {"type": "object", "properties": {"x": {"type": "integer"}, "y": {"type": "integer"}}}
OPTIONAL = {"anyOf": [{"type": "string", "minLength": 1}, {"type": "null"}]}


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object"},
        {"items": {"enum": ["a", "b"]}},
        {"properties": {"a": OPTIONAL, "b": True}, "additionalProperties": {"type": "string"}},
        {"anyOf": [POINT, {"type": "null"}]},
    ],
)
def test_what_holds_scalars_is_a_leaf(schema: Any) -> None:
    assert leaf_test(schema) is not never


@pytest.mark.parametrize(
    "schema",
    [
        {"items": POINT},
        {"properties": {"a": {"type": "object", "additionalProperties": {"type": "string"}}}},
        {"properties": {"a": {"anyOf": [{"items": {"type": "string"}}, {"type": "null"}]}}},
        {"properties": {"a": {"$ref": "#/$defs/a"}}},
        {"$id": "https://example.org/", "type": "object"},
        {"items": {"maximum": 0.5}},
    ],
)
def test_what_holds_more_or_leads_elsewhere_is_none(schema: Any) -> None:
    assert leaf_test(schema) is never


def test_a_leaf_is_tested_by_the_engine() -> None:
    values: list[Any] = [{"x": 1}, {"x": "1"}, []]
    assert list(map(leaf_test(POINT), values)) == [True, False, False]


@pytest.mark.parametrize(
    ("schema", "once"),
    [
        ({"properties": {"a": {"items": POINT}}, "additionalProperties": POINT}, True),
        ({"$defs": {"p": POINT}, "items": {"$ref": "#/$defs/p"}}, True),
        ({"anyOf": [POINT, {"type": "null"}], "default": None}, True),
        ({"allOf": [{"type": "string"}, {"minLength": 1}], "type": "string"}, True),
        ({"allOf": [{"maxLength": 9}, {"minLength": 1}]}, False),
        ({"anyOf": [{"type": "string"}, {"type": "integer"}]}, True),
        ({"oneOf": [POINT, {"type": "object"}]}, False),
        ({"allOf": [POINT], "properties": {"z": True}}, False),
        ({"$defs": {"p": POINT}, "$ref": "#/$defs/p", "properties": {"z": True}}, False),
        ({"items": {"not": {"type": "null"}}}, False),
        ({"contains": POINT, "items": POINT}, False),
        ({"patternProperties": {"^x": POINT}, "properties": {"x": POINT}}, False),
        ({"dependentSchemas": {"a": POINT}}, False),
    ],
)
def test_values_are_visited_once_where_one_schema_speaks_of_them(schema: Any, once: bool) -> None:
    assert visits_once(schema) is once


def by_walking(schema: Any, data: Any, limit: int) -> list[NodeIssue]:
    """The findings of a walk that leaves no leaf to the engine."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(keywords, "part_test", lambda *_: never)
        return Explainer(Checker(schema).normalised).node_issues(data, limit=limit)


@given(schemas(), st.lists(drawn_values(), min_size=3, max_size=6), st.sampled_from([1, 3, 64]))
def test_a_walk_of_everything_finds_the_same(schema: Any, data: list[Any], limit: int) -> None:
    if faults_of(schema):
        return
    checker = Checker(schema)
    for value in data:
        found = checker.node_issues(value, limit=limit)
        assert found == by_walking(schema, value, limit)
        assert (found == []) is checker.is_valid(value)


@pytest.mark.unmeasured
@pytest.mark.parametrize("seed", range(60))
def test_it_finds_the_same_in_what_is_nearly_right(seed: int) -> None:
    random = Random(f"leaves/{seed}")
    schema = drawn_schema(random, 0.1)
    try:
        right = Values(schema, random).valid()
    except NoValue:
        return
    checker = Checker(schema)
    assert checker.node_issues(right) == by_walking(schema, right, 64) == []
    for mutation, _ in zip(mutations(checker, right, random), range(20), strict=False):
        found = checker.node_issues(mutation.value)
        assert found == by_walking(schema, mutation.value, 64)
        assert (found == []) is checker.is_valid(mutation.value)


def test_the_node_of_a_finding_inside_a_leaf_is_that_of_the_schema() -> None:
    schema = {"type": "object", "properties": {"at": POINT, "to": POINT}, "required": ["to"]}
    checker = Checker(schema)
    at, to = checker.node_issues({"at": {"x": "1"}, "to": {"y": None}})
    assert at.node is POINT["properties"]["x"]  # type: ignore[index]
    assert (at.issue.path, at.required) == (("at", "x"), False)
    assert (to.issue.path, to.required) == (("to", "y"), False)


def test_a_long_array_of_right_leaves_takes_few_steps() -> None:
    data = [{"x": 1, "y": 2}] * 100_001
    assert [str(f.issue) for f in Checker({"items": POINT}).node_issues([*data, {"x": ""}])] == [
        "100001.x: expected integer, received string"
    ]
