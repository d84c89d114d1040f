"""Defaults that a schema declares, filled into data."""

from __future__ import annotations

from typing import Any

import pytest

from toolhaft.schema.defaults import filled

INNER = {"type": "object", "properties": {"unit": {"default": "C"}, "n": {}}}
LOOP = {"$ref": "#/$defs/loop"}

CASES: list[tuple[Any, Any, Any]] = [
    ({}, {"a": 1}, {"a": 1}),
    (True, {"a": 1}, {"a": 1}),
    ({"properties": {"a": {"default": 1}, "b": True}}, {}, {"a": 1}),
    ({"properties": {"a": {"default": None}}}, {}, {"a": None}),
    ({"properties": {"a": {"default": 1}}}, {"a": 2}, {"a": 2}),
    ({"properties": {"at": INNER}}, {"at": {}}, {"at": {"unit": "C"}}),
    ({"properties": {"at": INNER}}, {"at": 5}, {"at": 5}),
    ({"properties": {"at": INNER}}, {}, {}),
    ({"properties": {"l": {"items": INNER}}}, {"l": [{}, 1]}, {"l": [{"unit": "C"}, 1]}),
    ({"properties": {"l": {"type": "array"}}}, {"l": [{}]}, {"l": [{}]}),
    ({"$ref": "#/$defs/i", "$defs": {"i": INNER}}, {}, {"unit": "C"}),
    ({"properties": {"u": {"anyOf": [INNER, {}]}}}, {"u": {}}, {"u": {}}),
    ({**LOOP, "$defs": {"loop": LOOP}}, {"a": 1}, {"a": 1}),
]


@pytest.mark.requirement("approval-defaults")
@pytest.mark.parametrize(("schema", "data", "expected"), CASES)
def test_what_is_absent_takes_its_default(schema: Any, data: Any, expected: Any) -> None:
    assert filled(schema, data) == expected


def test_a_default_is_a_copy_and_the_data_stays() -> None:
    schema: Any = {"properties": {"tags": {"default": ["a"]}}}
    data: dict[str, Any] = {}
    filled(schema, data)["tags"].append("b")
    assert (data, filled(schema, data)) == ({}, {"tags": ["a"]})
