"""Which keys and items count as looked at; the official suite has hundreds of cases more."""

from __future__ import annotations

from typing import Any

import pytest

from toolhaft.schema.explain.explainer import explain


def unknown(schema: Any, value: Any) -> list[str | int]:
    return [f.issue.path[-1] for f in explain({**schema, "unevaluatedProperties": False}, value)]


A: dict[str, Any] = {"properties": {"a": {}}}
B: dict[str, Any] = {"properties": {"b": {}}}
C: dict[str, Any] = {"properties": {"c": {}}}


@pytest.mark.parametrize(
    ("schema", "value", "left"),
    [
        (A, {"a": 1, "b": 1}, ["b"]),
        ({"patternProperties": {"^b": {}}}, {"b1": 1, "a": 1}, ["a"]),
        ({"allOf": [A, B]}, {"a": 1, "b": 1, "c": 1}, ["c"]),
        ({"anyOf": [{**A, "required": ["a"]}, {**B, "required": ["b"]}]}, {"b": 1}, []),
        ({"anyOf": [{**A, "required": ["x"]}, B]}, {"a": 1, "b": 1}, ["a"]),
        ({"oneOf": [A, {"not": {}}]}, {"a": 1, "b": 1}, ["b"]),
        ({"if": {**A, "required": ["a"]}, "then": B, "else": C}, {"a": 1, "b": 1, "c": 1}, ["c"]),
        ({"if": {**A, "required": ["a"]}, "then": B, "else": C}, {"b": 1, "c": 1}, ["b"]),
        ({"if": A}, {"a": 1}, []),
        ({"dependentSchemas": {"x": A, "b": B}}, {"a": 1, "b": 1}, ["a"]),
        ({"$ref": "#/$defs/a", "$defs": {"a": A}}, {"a": 1, "b": 1}, ["b"]),
        ({"not": {"not": A}}, {"a": 1}, ["a"]),
        ({"allOf": [{"additionalProperties": {}}]}, {"a": 1}, []),
        ({"allOf": [{"unevaluatedProperties": {}}]}, {"a": 1}, []),
        ({"allOf": [True]}, {"a": 1}, ["a"]),
    ],
)
def test_keys_count_as_known_where_an_accepting_schema_looks_at_them(
    schema: Any, value: Any, left: list[str]
) -> None:
    assert unknown(schema, value) == left


@pytest.mark.parametrize(
    ("schema", "value", "left"),
    [
        ({"prefixItems": [{}, {}]}, [1, 2, 3], [2]),
        ({"allOf": [{"items": {}}]}, [1, 2], []),
        ({"contains": {"type": "string"}}, [1, "x"], [0]),
        ({"allOf": [{"unevaluatedItems": {}}]}, [1], []),
    ],
)
def test_items_count_by_place(schema: Any, value: Any, left: list[int]) -> None:
    found = explain({**schema, "unevaluatedItems": False}, value)
    assert [f.issue.path[-1] for f in found] == left
