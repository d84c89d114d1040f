"""Undeclared keys of objects that ignore them are dropped, at any depth, and said."""

from __future__ import annotations

import json
from typing import Any

import pytest

from toolhaft.schema.marks import MARK
from toolhaft.schema.unknown_keys import UnknownKeys, unknown_keys
from toolhaft.spec import Issue, Path

INTEGER: dict[str, Any] = {"type": "integer"}
TEXT: dict[str, Any] = {"type": "string"}
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
    made, paths, _ = search_of(schema).drop(data)
    assert (made, list(paths)) == (kept, dropped)
    assert json.dumps(data) == before
    if not dropped:
        assert made is data


def test_what_holds_no_undeclared_key_is_shared() -> None:
    data: dict[str, Any] = {"p": {"x": 1}, "q": {"y": 1}}
    schema = {**CLOSED, "properties": {"p": POINT, "q": POINT}}
    made, paths, _ = search_of(schema).drop(data)
    assert (made, list(paths)) == ({"p": {"x": 1}, "q": {}}, [("q", "y")])
    assert made["p"] is data["p"]


def test_in_a_union_the_branch_that_fits_and_knows_most_decides() -> None:
    either = search_of({"anyOf": [POINT, OTHER]})
    assert either.drop({"x": 1})[0] == {"x": 1}
    assert either.drop({"x": 1, "z": 1}) == ({"x": 1}, [("z",)], [])
    assert either.drop({"y": 1, "x": "text"}) == ({"y": 1}, [("x",)], [])  # it is no point


def test_in_a_union_a_branch_that_allows_extras_keeps_them() -> None:
    keeps = {**PLAIN, "required": ["kind"], MARK: {"extra": "allow"}}
    either = search_of({"anyOf": [keeps, POINT]})
    assert either.drop({"kind": 1, "z": 1}) == ({"kind": 1, "z": 1}, [], [])
    assert either.drop({"x": 1, "z": 1}) == ({"x": 1}, [("z",)], [])


def named(*keys: str, extra: str = "ignore", **others: str | None) -> dict[str, Any]:
    """The gate of an object of whole numbers, with other names of its keys."""
    properties = {**dict.fromkeys(keys, INTEGER), **dict.fromkeys(others, False)}
    closed = {"additionalProperties": False} if extra == "forbid" else {}
    marks = {MARK: {"extra": extra, "other_names": others}}
    return {"type": "object", "properties": properties, **closed, **marks}


@pytest.mark.parametrize("extra", ["ignore", "allow", "forbid"])
@pytest.mark.parametrize("other", [OTHER, {**OTHER, MARK: {"extra": "allow"}}])
def test_in_a_union_another_name_is_refused_in_the_branch_that_is_meant(
    extra: str, other: dict[str, Any]
) -> None:
    branch = {"$ref": "#/$defs/named"}
    defs = {"named": named("amount", "n", extra=extra, total="amount", shown=None)}
    either = search_of({"anyOf": [other, branch], "$defs": defs})
    meant = [Issue("unknown (did you mean amount?)", ("total",), "extra")]
    assert either.drop({"n": 1, "total": 5}).issues == meant
    nothing = [Issue("unknown", ("shown",), "extra")]
    assert either.drop({"amount": 1, "n": 1, "shown": 5}).issues == nothing
    assert either.drop({"n": 1, "amount": 5}) == ({"n": 1, "amount": 5}, [], [])


def test_in_a_union_a_branch_may_declare_what_is_another_name_in_the_next() -> None:
    either = search_of({"anyOf": [named("amount", total="amount"), named("total")]})
    assert either.drop({"total": 5}) == ({"total": 5}, [], [])


def test_the_branch_that_is_meant_is_the_one_that_drops_the_least_of_the_data() -> None:
    nested = {"type": "object", "properties": {"p": POINT}, **IGNORES}
    either = search_of({"anyOf": [POINT, nested]})
    data = {"p": {"x": 1, "z": 1}, "y": 1}
    assert either.drop(data) == ({"p": {"x": 1}}, [("y",), ("p", "z")], [])


def test_in_a_union_a_key_that_the_meant_branch_forbids_is_refused() -> None:
    pair = {**CLOSED, "properties": {"x": INTEGER, "y": INTEGER}}
    either = search_of({"anyOf": [POINT, pair]})
    forbidden = [Issue("unknown", ("z",), "extra")]
    assert either.drop({"x": 1, "y": 1, "z": 1}).issues == forbidden
    assert either.drop({"x": 1, "y": 1}) == ({"x": 1, "y": 1}, [], [])
    assert either.drop({"x": 1, "z": 1}) == ({"x": 1}, [("z",)], [])  # either may be meant


def test_in_a_union_keys_without_which_another_branch_is_meant_are_refused() -> None:
    first = {**POINT, "properties": {"k": TEXT, "n": INTEGER}}
    second = {**POINT, "properties": {"k": TEXT, "m": INTEGER}}
    either = search_of({"anyOf": [first, second]})
    unknown = [Issue("unknown", ("n",), "extra")]
    assert either.drop({"k": "a", "n": "x"}).issues == unknown  # not the first without its n
    assert either.drop({"k": "a", "n": "x", "m": 1}) == ({"k": "a", "m": 1}, [("n",)], [])
    assert either.drop({"k": "a", "n": 1, "m": "x"}) == ({"k": "a", "n": 1}, [("m",)], [])


def test_in_a_union_a_branch_that_keeps_all_goes_before_one_that_forbids() -> None:
    keeps = {**PLAIN, MARK: {"extra": "allow"}}
    pair = {**CLOSED, "properties": {"x": INTEGER, "y": INTEGER}}
    either = search_of({"anyOf": [OTHER, pair, keeps]})
    data = {"x": 1, "y": 1, "z": 1}
    assert either.drop(data) == (data, [], [])


def test_another_name_is_refused_beside_a_branch_that_forbids_it() -> None:
    named_open = named("amount", extra="allow", total="amount")
    either = search_of({"anyOf": [{**CLOSED, "properties": {"n": INTEGER}}, named_open]})
    (issue,) = either.drop({"n": 1, "total": 5}).issues
    assert issue.path == ("total",)


def test_a_recursive_schema_is_searched_all_the_way() -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}, **IGNORES}
    search = search_of({"$ref": "#/$defs/node", "$defs": {"node": node}})
    made, paths, _ = search.drop({"next": {"next": {"y": 1}}})
    assert (made, list(paths)) == ({"next": {"next": {}}}, [("next", "next", "y")])
