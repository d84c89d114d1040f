"""Undeclared keys of objects that ignore them are dropped, at any depth, and said."""

from __future__ import annotations

import json
from typing import Any

import pytest

from toolhaft.schema.marks import MARK
from toolhaft.schema.unknown_keys import UnknownKeys, unknown_keys
from toolhaft.spec import Path

INTEGER: dict[str, Any] = {"type": "integer"}
IGNORES: dict[str, Any] = {MARK: {"extra": "ignore"}}
POINT: dict[str, Any] = {"type": "object", "properties": {"x": INTEGER}, **IGNORES}
OTHER: dict[str, Any] = {"type": "object", "properties": {"y": INTEGER}, **IGNORES}
PLAIN: dict[str, Any] = {"type": "object", "properties": {"x": INTEGER}}
CLOSED: dict[str, Any] = {**PLAIN, "additionalProperties": False, MARK: {"extra": "forbid"}}
HOLDER: dict[str, Any] = {**CLOSED, "properties": {"p": POINT}}


def search_of(schema: Any) -> UnknownKeys:
    found = unknown_keys(schema)
    assert found is not None
    return found


@pytest.mark.parametrize(
    "schema",
    [
        PLAIN,
        CLOSED,
        True,
        {"type": "string"},
        {**PLAIN, MARK: {"extra": "allow"}},
        {**PLAIN, "additionalProperties": INTEGER},
        {"anyOf": [CLOSED, PLAIN]},
        {"prefixItems": [CLOSED], "items": PLAIN},
    ],
)
def test_a_schema_in_which_no_object_ignores_keys_needs_no_search(schema: Any) -> None:
    assert unknown_keys(schema) is None


@pytest.mark.parametrize(
    ("schema", "data", "kept", "dropped"),
    [
        (POINT, {"x": 1}, {"x": 1}, []),
        (POINT, {"x": 1, "y": 2, "z": 3}, {"x": 1}, [("y",), ("z",)]),
        (POINT, "no object", "no object", []),
        ({"items": POINT}, [{"x": 1}, {"y": 1}], [{"x": 1}, {}], [(1, "y")]),
        ({"items": POINT}, "no array", "no array", []),
        ({"prefixItems": [PLAIN, POINT]}, [{"y": 1}, {"y": 1}], [{"y": 1}, {}], [(1, "y")]),
        ({"additionalProperties": POINT}, {"a": {"y": 1}}, {"a": {}}, [("a", "y")]),
        (HOLDER, {"p": {"y": 1}}, {"p": {}}, [("p", "y")]),
        (HOLDER, {}, {}, []),
        ({"anyOf": [POINT, {"type": "null"}]}, {"y": 1}, {}, [("y",)]),
        ({"allOf": [POINT]}, {"y": 1}, {}, [("y",)]),
        ({"$ref": "#/$defs/p", "$defs": {"p": POINT}}, {"y": 1}, {}, [("y",)]),
        ({**POINT, "anyOf": [POINT]}, {"y": 1}, {}, [("y",), ("y",)]),
        (POINT, {"x": 1, "y": {"z": 1}}, {"x": 1}, [("y",)]),
    ],
)
def test_undeclared_keys_are_dropped_and_said(
    schema: Any, data: Any, kept: Any, dropped: list[Path]
) -> None:
    before = json.dumps(data)
    made, paths = search_of(schema).drop(data)
    assert (made, list(paths)) == (kept, dropped)
    assert json.dumps(data) == before
    if not dropped:
        assert made is data


def test_what_holds_no_undeclared_key_is_shared() -> None:
    data: dict[str, Any] = {"p": {"x": 1}, "q": {"y": 1}}
    schema = {**CLOSED, "properties": {"p": POINT, "q": POINT}}
    made, paths = search_of(schema).drop(data)
    assert (made, list(paths)) == ({"p": {"x": 1}, "q": {}}, [("q", "y")])
    assert made["p"] is data["p"]


def test_in_a_union_the_branch_that_fits_and_knows_most_decides() -> None:
    either = search_of({"anyOf": [POINT, OTHER]})
    assert either.drop({"x": 1})[0] == {"x": 1}
    assert either.drop({"x": 1, "z": 1}) == ({"x": 1}, [("z",)])
    assert either.drop({"y": 1, "x": "text"}) == ({"y": 1}, [("x",)])  # it is no point


def test_in_a_union_a_branch_that_allows_extras_keeps_them() -> None:
    keeps = {**PLAIN, "required": ["kind"], MARK: {"extra": "allow"}}
    either = search_of({"anyOf": [keeps, POINT]})
    assert either.drop({"kind": 1, "z": 1}) == ({"kind": 1, "z": 1}, ())
    assert either.drop({"x": 1, "z": 1}) == ({"x": 1}, [("z",)])


def test_a_recursive_schema_is_searched_all_the_way() -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}, **IGNORES}
    search = search_of({"$ref": "#/$defs/node", "$defs": {"node": node}})
    made, paths = search.drop({"next": {"next": {"y": 1}}})
    assert (made, list(paths)) == ({"next": {"next": {}}}, [("next", "next", "y")])
