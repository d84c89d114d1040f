"""5.0 and 5 are one number in JSON: whole floats become what the schema declares."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given

from tests.schema.random_schemas import schemas, values
from toolhaft.schema.checker import Checker
from toolhaft.schema.faults import SchemaRefused
from toolhaft.schema.integers import Numbers

INTEGER = {"type": "integer"}
NUMBER = {"type": "number"}


def as_declared(root: Any, data: Any) -> Any:
    return Numbers(root).integers(data)[0]


def settled(schema: Any, value: Any) -> Any:
    return as_declared({"properties": {"v": schema}}, {"v": value})["v"]


@pytest.mark.requirement("coerce-whole-floats")
@pytest.mark.parametrize(
    ("schema", "value", "expected"),
    [
        (INTEGER, 5.0, 5),
        (INTEGER, -0.0, 0),
        ({"anyOf": [INTEGER, {"type": "null"}]}, 5.0, 5),
        ({"enum": [1, 2]}, 2.0, 2),
        ({"const": 7}, 7.0, 7),
        ({"items": INTEGER}, [1.0, 2, "a", 3.0], [1, 2, "a", 3]),
        ({"prefixItems": [NUMBER, INTEGER], "items": INTEGER}, [1.0, 1.0, 1.0], [1.0, 1, 1]),
        ({"additionalProperties": {"items": INTEGER}}, {"a": [1.0]}, {"a": [1]}),
        (INTEGER, float(2**53 - 1), 2**53 - 1),
    ],
)
def test_a_whole_float_that_stands_for_an_integer_becomes_one(
    schema: Any, value: Any, expected: Any
) -> None:
    assert json.dumps(settled(schema, value)) == json.dumps(expected)


@pytest.mark.requirement("coerce-whole-floats")
@pytest.mark.parametrize(
    ("schema", "value"),
    [
        (NUMBER, 5.0),
        (NUMBER, 5),
        ({"anyOf": [INTEGER, NUMBER]}, 5.0),
        ({"enum": [1, 2.5]}, 1.0),
        ({}, 5.0),
        (True, 5.0),
        (INTEGER, 5.5),
        (INTEGER, float(2**53)),
        (INTEGER, -1e300),
        (INTEGER, True),
        ({"type": "string"}, 5.0),
        ({"items": NUMBER}, [1.0, 2.0]),
    ],
)
def test_every_other_number_stays_as_it_came(schema: Any, value: Any) -> None:
    data = {"v": value, "w": [1.0, {"x": 2.0}]}
    assert as_declared({"properties": {"v": schema}}, data) is data


def test_the_data_is_not_changed() -> None:
    data: Any = {"v": [1.0, {"a": 1}]}
    made = as_declared({"properties": {"v": {"items": INTEGER}}}, data)
    assert json.dumps([made, data]) == '[{"v": [1, {"a": 1}]}, {"v": [1.0, {"a": 1}]}]'
    assert made["v"][1] is data["v"][1]


@given(schemas(), values())
def test_the_value_stays_equal_and_the_verdict_the_same(schema: Any, data: Any) -> None:
    checker = Checker(schema)
    try:
        verdict = checker.is_valid(data)
    except SchemaRefused:
        return
    made = as_declared(checker.explainer.root, data)
    assert made == data
    assert checker.is_valid(made) == verdict
    assert as_declared(checker.explainer.root, made) is made
