from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from tests.schema.random_schemas import draft_7_schemas, schemas
from toolhaft.schema.document.walk import (
    MAX_DEPTH,
    MAX_NODES,
    child_nodes,
    nodes_of,
    pointer,
    replace_children,
    walk_schemas,
)
from toolhaft.schema.faults import SchemaRefused


def test_every_place_of_a_schema_is_walked_in_the_order_written() -> None:
    schema = {
        "properties": {"a": {"items": {"type": "string"}}, "b": True},
        "anyOf": [{"not": {}}, False],
        "dependencies": {"a": ["b"], "b": {"minProperties": 1}},
        "items": [{}, {"const": 1}],
        "additionalItems": {"enum": [2]},
        "x-own": {"type": "null"},
        "default": {"properties": {}},
    }
    assert [steps for steps, _ in walk_schemas(schema)] == [
        (),
        ("properties", "a"),
        ("properties", "a", "items"),
        ("properties", "b"),
        ("anyOf", 0),
        ("anyOf", 0, "not"),
        ("anyOf", 1),
        ("dependencies", "b"),
        ("items", 0),
        ("items", 1),
        ("additionalItems",),
    ]


@given(schemas() | draft_7_schemas())
def test_the_nodes_of_a_schema_are_those_that_the_walk_comes_to(schema: Any) -> None:
    nodes = nodes_of(schema)
    assert nodes[0] is schema
    assert sorted(map(id, nodes)) == sorted(id(node) for _, node in walk_schemas(schema))


@pytest.mark.parametrize(
    "node", [True, None, [], "x", {"properties": ["a"]}, {"allOf": {}}, {"$defs": 1}]
)
def test_what_holds_no_schemas_has_none(node: Any) -> None:
    assert list(child_nodes(node)) == []


def test_a_place_may_be_a_part_of_the_node_only() -> None:
    schema = {"properties": {"a": {}}, "items": {"const": 1}}
    walked = walk_schemas(schema, lambda node: {} if "items" in node else node)
    assert list(walked) == [((), schema)]


def test_a_chain_without_end_is_refused_where_the_bound_is_passed() -> None:
    schema: dict[str, Any] = {}
    for _ in range(MAX_DEPTH + 1):
        schema = {"not": schema}
    with pytest.raises(SchemaRefused) as refused:
        list(walk_schemas(schema))
    [fault] = refused.value.faults
    assert fault.pointer == "/not" * MAX_DEPTH
    assert fault.reason == "more than 100 schemas inside each other"


def test_a_schema_that_contains_itself_is_refused() -> None:
    schema: dict[str, Any] = {}
    schema["not"] = schema
    with pytest.raises(SchemaRefused):
        list(walk_schemas(schema))


def test_too_many_schemas_are_refused() -> None:
    schema = {"properties": dict.fromkeys(map(str, range(MAX_NODES)), True)}
    with pytest.raises(SchemaRefused, match="schema: more than 50000 schemas"):
        list(walk_schemas(schema))


def test_a_replacement_changes_a_copy_and_shares_the_rest() -> None:
    untouched = {"type": "string"}
    schema = {"properties": {"a": untouched, "b": {}}, "items": {}, "allOf": [{}, {}]}
    changed = replace_children(
        schema,
        {("properties", "b"): True, ("items",): False, ("allOf", 0): True, ("allOf", 1): False},
    )
    assert changed == {
        "properties": {"a": untouched, "b": True},
        "items": False,
        "allOf": [True, False],
    }
    assert changed["properties"]["a"] is untouched
    assert schema == {"properties": {"a": untouched, "b": {}}, "items": {}, "allOf": [{}, {}]}


def test_a_pointer_escapes_its_steps() -> None:
    assert pointer(("$defs", "a/b~c", 0, "")) == "/$defs/a~1b~0c/0/"
    assert pointer(()) == ""
