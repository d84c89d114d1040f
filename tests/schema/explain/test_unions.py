from __future__ import annotations

from typing import Any

import pytest

from toolhaft.schema.explain.explainer import explain


def told(schema: Any, value: Any) -> list[str]:
    return [f"{f.issue.code} {f.issue}" for f in explain(schema, value)]


def union(*forms: Any, **more: Any) -> dict[str, Any]:
    return {"anyOf": list(forms), **more}


STRING, INTEGER, NULL = {"type": "string"}, {"type": "integer"}, {"type": "null"}


def test_plain_types_are_told_as_one_type() -> None:
    schema = union(INTEGER, NULL)
    assert told(schema, None) == []
    assert told(schema, "x") == ["type expected integer or null, received string"]
    assert told(schema, 5.5) == ["type expected integer or null, received number"]
    assert told({"oneOf": [INTEGER, {"$ref": "#/$defs/n"}], "$defs": {"n": NULL}}, "x") == [
        "type expected integer or null, received string"
    ]


def test_constants_are_told_as_one_enum() -> None:
    assert told(union({"const": "a"}, {"enum": ["b", "c"]}), "x") == [
        'enum expected one of "a", "b", "c"'
    ]
    assert told(union({"enum": ["C", "F"], "type": "string"}, NULL), 5) == [
        'enum expected one of "C", "F", null'
    ]


def test_the_constants_of_a_union_are_the_node_of_the_finding() -> None:
    [found] = explain(union({"const": "a"}, {"const": "b"}), "A")
    assert found.node == {"enum": ["a", "b"]}


def test_the_only_form_of_the_values_type_explains() -> None:
    schema = union({"type": "string", "minLength": 2}, {"type": "array", "items": INTEGER}, NULL)
    assert told(schema, "x") == ["value expected at least 2 characters or array of integers"]
    assert told(schema, [1, "x"]) == ["type 1: expected integer, received string"]
    assert told(schema, {}) == ["type expected string, array of integers or null"]


def variant(kind: str, **properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {"kind": {"const": kind}, **properties},
        "required": ["kind", *properties],
        "additionalProperties": False,
    }


KINDS = [variant(f"k{n}", size=INTEGER, name=STRING) for n in range(8)]


@pytest.mark.requirement("pain-53")
@pytest.mark.parametrize("keyword", ["anyOf", "oneOf"])
def test_a_discriminator_picks_the_form_that_explains(keyword: str) -> None:
    schema = {keyword: KINDS}
    assert told(schema, {"kind": "k3", "size": 1, "name": "x"}) == []
    assert told(schema, {"kind": "k3", "size": "1", "name": 2, "z": 1}) == [
        "type size: expected integer, received string",
        "type name: expected string, received integer",
        "extra z: unknown (allowed: kind, size, name)",
    ]


@pytest.mark.requirement("pain-53")
def test_a_discriminator_that_is_wrong_or_missing_is_told_itself() -> None:
    schema = union(*KINDS, NULL)
    [found] = explain(schema, {"kind": "K3", "size": 1, "name": "x"})
    assert str(found.issue).startswith('kind: expected one of "k0", "k1", "k2"')
    assert (found.node, found.required) == ({"enum": [f"k{n}" for n in range(8)]}, True)
    assert told(schema, {"size": "1"}) == [
        'missing kind: required, one of "k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7"'
    ]


def test_an_optional_discriminator_that_is_missing_tells_nothing() -> None:
    forms = [{"properties": {"is": {"const": n}, "a": STRING}, "required": ["a"]} for n in "xy"]
    assert told(union(*forms), {"a": "x"}) == []
    assert told(union(*forms), {"a": 1}) == ["type a: expected string, received integer"]


def test_a_key_that_one_form_has_alone_picks_it() -> None:
    forms = [
        {"type": "object", "properties": {"all": {"items": INTEGER}}, "required": ["all"]},
        {"type": "object", "properties": {"any": {"items": INTEGER}}, "required": ["any"]},
    ]
    assert told(union(*forms), {"any": [1, "x"]}) == [
        "type any.1: expected integer, received string"
    ]
    assert told(union(*forms), {}) == ["union send either {all} or {any}"]
    assert told(union(*forms), {"any": "x", "all": "x"}) == []
    assert told({"oneOf": forms}, {"any": [], "all": []}) == [
        "union expected only one of these: object {all} or object {any}"
    ]


CAT = {"properties": {"meow": INTEGER, "name": STRING}, "required": ["meow", "name"]}
DOG = {"properties": {"bark": INTEGER, "name": STRING}, "required": ["name"]}


@pytest.mark.requirement("pain-53")
def test_the_closest_form_explains_where_no_other_comes_near() -> None:
    closed = [{**form, "additionalProperties": False} for form in (CAT, DOG)]
    assert told(union(*closed), {"meow": "x", "name": "x"}) == [
        "type meow: expected integer, received string"
    ]
    lists = union({"items": STRING}, {"items": INTEGER})
    assert told(lists, [1, 2, "x"]) == ["type 2: expected integer, received string"]


@pytest.mark.requirement("pain-53")
def test_where_several_forms_are_as_close_their_number_is_told() -> None:
    forms = [{"type": "object", "required": [name]} for name in ("a", "b")]
    deep = {"properties": {"x": union(*forms, NULL)}}
    assert told(deep, {"x": {}}) == ["union x: give a or b"]
    assert told(union({"minLength": 5}, {"pattern": "^a"}), "x") == [
        "union expected at least 5 characters or string that matches ^a"
    ]


def test_exactly_one_form_may_accept() -> None:
    schema = {"oneOf": [{"multipleOf": 2}, {"multipleOf": 3}]}
    assert told(schema, 2) == []
    assert told(schema, 6) == ["union expected only one of 2 forms"]


def test_an_impossible_form_is_no_form() -> None:
    assert told(union(False, INTEGER), "x") == ["type expected integer, received string"]
    assert told(union(False, {}), "x") == []


def test_whether_a_value_is_demanded_is_known_inside_a_form() -> None:
    schema = {
        "properties": {"a": union(INTEGER, NULL), "b": union(INTEGER, NULL)},
        "required": ["a"],
    }
    assert [f.required for f in explain(schema, {"a": "x", "b": "x"})] == [True, False]


def test_a_form_that_explains_keeps_within_the_number_of_findings() -> None:
    forms = [{"items": STRING}, {"items": {"type": ["integer", "null"]}}]
    schema = {"prefixItems": [STRING, STRING, STRING, union(*forms)]}
    found = explain(schema, [1, 2, 3, [1, 2, 3, 4, "x", "y"]], limit=4)
    assert [f.issue.path for f in found] == [(0,), (1,), (2,), (3, 4)]


def test_where_several_forms_accept_what_tells_them_apart_is_asked_for() -> None:
    forms = [{"type": "object", "properties": {"kind": {"const": word}}} for word in "ab"]
    assert told({"oneOf": forms}, {}) == ['missing kind: required, one of "a", "b"']
