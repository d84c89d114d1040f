"""Facts about a node travel with it inside the library, and never leave it."""

from __future__ import annotations

from typing import Any

from toolhaft.schema.inline import inline_references
from toolhaft.schema.marks import MARK, mark, marks_of, merged_marks, without_marks


def test_facts_are_added_one_by_one_and_the_last_word_counts() -> None:
    node: dict[str, Any] = {"type": "object"}
    mark(node, extra="ignore")
    mark(node, open=True)
    mark(node, extra="forbid")
    assert marks_of(node) == {"extra": "forbid", "open": True}


def test_a_node_without_facts_and_a_boolean_schema_have_none() -> None:
    for node in ({}, {"type": "object"}, True, False):
        assert marks_of(node) == {}


def test_marking_a_node_leaves_the_marks_of_its_copy_alone() -> None:
    node: dict[str, Any] = {}
    mark(node, open=True)
    copy = dict(node)
    mark(copy, extra="allow")
    assert (marks_of(node), marks_of(copy)) == ({"open": True}, {"open": True, "extra": "allow"})


def test_what_several_nodes_state_of_one_value_is_merged() -> None:
    one, other = {MARK: {"open": True, "extra": "allow"}}, {MARK: {"extra": "forbid"}}
    assert merged_marks(one, {}, other) == {MARK: {"open": True, "extra": "forbid"}}
    assert merged_marks({}, {"type": "object"}) == {}


def test_marks_go_away_at_every_depth_and_nothing_else_does() -> None:
    marked = {MARK: {"open": True}}
    schema = {
        **marked,
        "properties": {"a": {**marked, "items": {"type": "integer", **marked}}, MARK: marked},
        "anyOf": [marked, True],
        "$defs": {"d": {"additionalProperties": marked}},
        "default": {MARK: "a value"},
    }
    assert without_marks(schema) == {
        "properties": {"a": {"items": {"type": "integer"}}, MARK: {}},
        "anyOf": [{}, True],
        "$defs": {"d": {"additionalProperties": {}}},
        "default": {MARK: "a value"},
    }


def test_a_schema_without_marks_is_given_as_it_is() -> None:
    for schema in ({"properties": {"a": {"type": "string"}}}, True):
        assert without_marks(schema) is schema


def test_a_reference_that_is_inlined_brings_its_marks_along() -> None:
    target = {"type": "object", MARK: {"extra": "ignore"}}
    schema = {"properties": {"a": {"$ref": "#/$defs/d"}}, "$defs": {"d": target}}
    fact = {"defined": {"name": "d", "beside": []}}
    marked = {"type": "object", MARK: {"extra": "ignore", **fact}}
    assert inline_references(schema) == {"properties": {"a": marked}}
