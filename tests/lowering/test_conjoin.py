"""Two schemas as one that demands both."""

from __future__ import annotations

from typing import Any

import pytest

from toolhaft.lowering.conjoin import Conjunction, Node

DEFS: dict[str, Any] = {"a": {"type": "object", "properties": {"x": {"type": "string"}}}, "n": True}


def _resolve(node: Any) -> Node:
    found: Node = DEFS[node["$ref"]]
    return found


@pytest.mark.parametrize(
    ("one", "other", "both"),
    [
        (True, {"type": "string"}, {"type": "string"}),
        (
            {"properties": {"a": True, "b": {"type": "string"}, "c": False}},
            {"properties": {"a": {"type": "string"}, "b": True, "c": True}},
            {"properties": {"a": {"type": "string"}, "b": {"type": "string"}, "c": False}},
        ),
        ({"type": "string"}, False, False),
        (False, {"type": "string"}, False),
        ({"type": ["integer", "string"]}, {"type": "number"}, {"type": "integer"}),
        ({"type": "number"}, {"type": ["integer", "null"]}, {"type": "integer"}),
        ({"type": "string"}, {"type": "null"}, False),
        ({"minimum": 1, "maximum": 9}, {"minimum": 3, "maximum": 5}, {"minimum": 3, "maximum": 5}),
        ({"enum": [1, 2, 3]}, {"enum": [2, 3, "a"]}, {"enum": [2, 3]}),
        ({"enum": [1, 2]}, {"const": 2}, {"const": 2}),
        ({"const": 1}, {"const": True}, False),
        ({"required": ["a"]}, {"required": ["b", "a"]}, {"required": ["a", "b"]}),
        ({"uniqueItems": False}, {"uniqueItems": True}, {"uniqueItems": True}),
        (
            {"dependentRequired": {"a": ["b"]}},
            {"dependentRequired": {"a": ["c"], "d": ["e"]}},
            {"dependentRequired": {"a": ["b", "c"], "d": ["e"]}},
        ),
        (
            {"properties": {"a": {"type": "string"}}, "additionalProperties": False},
            {"properties": {"b": {"type": "string"}}},
            {
                "properties": {"a": {"type": "string"}, "b": False},
                "additionalProperties": False,
            },
        ),
        (
            {"properties": {"a": {"minLength": 1}}},
            {"properties": {"a": {"maxLength": 2}}},
            {"properties": {"a": {"allOf": [{"minLength": 1}, {"maxLength": 2}]}}},
        ),
        (
            {"prefixItems": [{"type": "string"}], "items": False},
            {"prefixItems": [True, {"type": "null"}]},
            {"prefixItems": [{"type": "string"}, False], "items": False},
        ),
        (
            {"items": {"type": "string"}},
            {"items": {"minLength": 1}},
            {"items": {"allOf": [{"type": "string"}, {"minLength": 1}]}},
        ),
        (
            {"anyOf": [{"type": "string"}, True]},
            {"anyOf": [{"minLength": 1}]},
            {"anyOf": [{"allOf": [{"type": "string"}, {"minLength": 1}]}, {"minLength": 1}]},
        ),
        (
            {"$ref": "a", "required": ["x"]},
            {"$ref": "n"},
            {"required": ["x"], "type": "object", "properties": {"x": {"type": "string"}}},
        ),
        (
            {"patternProperties": {"^a": {"type": "string"}}},
            {"patternProperties": {"^a": {"minLength": 1}, "^b": True}},
            {
                "patternProperties": {
                    "^a": {"allOf": [{"type": "string"}, {"minLength": 1}]},
                    "^b": True,
                }
            },
        ),
        ({"allOf": [{"type": "string"}, {"type": "null"}]}, True, False),
    ],
)
def test_one_node_asserts_what_both_assert(one: Node, other: Node, both: Node) -> None:
    conjunction = Conjunction(_resolve)
    joined = conjunction.join({"allOf": [one, other]}, {})
    assert (joined, conjunction.left_over) == (both, [])


@pytest.mark.parametrize(
    ("one", "other", "kept", "left"),
    [
        ({"pattern": "^a"}, {"pattern": "b$"}, {"pattern": "^a"}, [("pattern", "b$")]),
        ({"not": {"const": 1}}, {"not": {}}, {"not": {"const": 1}}, [("not", {})]),
        ({"if": {}, "then": False}, {"if": True}, {"if": {}, "then": False}, [("if", True)]),
        (
            {"patternProperties": {"^a": True}, "additionalProperties": False},
            {"properties": {"b": True}},
            {"patternProperties": {"^a": True}, "properties": {"b": True}},
            [("additionalProperties", False)],
        ),
        (
            {"anyOf": [{"minimum": i} for i in range(9)]},
            {"anyOf": [{"maximum": i} for i in range(9)]},
            {"anyOf": [{"minimum": i} for i in range(9)]},
            [("anyOf", [{"maximum": i} for i in range(9)])],
        ),
    ],
)
def test_constraints_beyond_one_node_are_left_over(
    one: Node, other: Node, kept: Node, left: list[Any]
) -> None:
    conjunction = Conjunction(_resolve)
    assert conjunction.join(one, other) == kept
    assert conjunction.left_over == left


def test_references_that_never_end_are_given_up() -> None:
    endless: dict[str, Any] = {"$ref": "endless", "minimum": 1}
    conjunction = Conjunction(lambda _: endless)
    assert conjunction.join(endless, {"type": "integer"})
    assert [keyword for keyword, _ in conjunction.left_over] == ["allOf"]
