"""Undeclared keys that a validator lets pass are found, at any depth."""

from __future__ import annotations

from typing import Any

import pytest

from toolhaft.call.ignored import watch
from toolhaft.spec import Path

POINT: dict[str, Any] = {"type": "object", "properties": {"x": {"type": "integer"}}}
CLOSED: dict[str, Any] = {**POINT, "additionalProperties": False}


def found(schema: Any, data: Any) -> list[Path]:
    look = watch(schema)
    assert look is not None
    return list(look(data))


@pytest.mark.parametrize(
    "schema",
    [
        CLOSED,
        True,
        {"type": "string"},
        {**POINT, "patternProperties": {"^y": {}}},
        {"anyOf": [CLOSED]},
    ],
)
def test_closed_and_open_objects_need_no_watch(schema: Any) -> None:
    assert watch(schema) is None


@pytest.mark.parametrize(
    ("schema", "data", "expected"),
    [
        (POINT, {"x": 1}, []),
        (POINT, {"x": 1, "y": 2, "z": 3}, [("y",), ("z",)]),
        (POINT, "no object", []),
        ({"type": "array", "items": POINT}, [{"x": 1}, {"y": 1}], [(1, "y")]),
        ({"type": "array", "items": POINT}, "no array", []),
        ({**CLOSED, "properties": {"p": POINT}}, {"p": {"y": 1}}, [("p", "y")]),
        ({**CLOSED, "properties": {"p": POINT}}, {}, []),
        ({"anyOf": [POINT, {"type": "null"}]}, {"y": 1}, [("y",)]),
        ({"$ref": "#/$defs/p", "$defs": {"p": POINT}}, {"y": 1}, [("y",)]),
        ({**POINT, "anyOf": [POINT]}, {"y": 1}, [("y",), ("y",)]),
    ],
)
def test_undeclared_keys_are_found(schema: Any, data: Any, expected: list[Path]) -> None:
    assert found(schema, data) == expected


def test_in_a_union_the_branch_that_knows_most_decides() -> None:
    other = {"type": "object", "properties": {"y": {"type": "integer"}}}
    assert found({"oneOf": [POINT, other]}, {"x": 1}) == []
    assert found({"oneOf": [POINT, other]}, {"x": 1, "z": 1}) == [("z",)]
    assert watch({"oneOf": [CLOSED, CLOSED]}) is None


def test_a_recursive_schema_is_watched_all_the_way() -> None:
    node: dict[str, Any] = {
        "type": "object",
        "properties": {"next": {"$ref": "#/$defs/node"}},
    }
    schema = {"$ref": "#/$defs/node", "$defs": {"node": node}}
    assert found(schema, {"next": {"next": {"y": 1}}}) == [("next", "next", "y")]
