"""The walk itself: budgets, order, and what a finding says beside its issue."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import assume, given

from tests.schema.random_schemas import schemas, values
from toolhaft.schema.checker import Checker
from toolhaft.schema.explain.explainer import Explainer, explain
from toolhaft.schema.explain.node import NodeIssue
from toolhaft.schema.faults import SchemaRefused
from toolhaft.schema.limits import faults_of
from toolhaft.schema.normalise import normalise
from toolhaft.spec import Issue


def told(schema: Any, value: Any) -> list[str]:
    return [f"{issue.code} {issue}" for issue in Checker(schema).issues(value)]


SEARCH = {
    "type": "object",
    "properties": {
        "query": {"type": "string", "minLength": 1},
        "limit": {"type": "integer", "minimum": 1, "maximum": 50},
        "tags": {"type": "array", "items": {"type": "string"}},
        "sort": {"enum": ["new", "old"], "type": "string"},
    },
    "required": ["query", "limit"],
    "additionalProperties": False,
}


@given(schemas(), values())
def test_a_value_is_accepted_where_nothing_is_wrong_with_it(schema: Any, value: Any) -> None:
    assume(not faults_of(schema))
    explainer = Explainer(normalise(schema))
    assert explainer.accepts(value, explainer.root) is (not explainer.node_issues(value))


@pytest.mark.requirement("explain-all")
def test_all_that_is_wrong_is_told_with_exact_paths() -> None:
    value = {"limit": 99, "tags": ["a", 1, None], "sort": "NEW", "qery": "x"}
    assert told(SEARCH, value) == [
        "missing query: required",
        "value limit: expected at most 50",
        "type tags.1: expected string, received integer",
        "type tags.2: expected string, received null",
        'enum sort: expected one of "new", "old"',
        "extra qery: unknown (did you mean query?)",
    ]


@pytest.mark.requirement("pain-02")
def test_a_misspelt_key_is_told_with_the_name_that_was_meant() -> None:
    schema = {
        "type": "object",
        "properties": {"path": {"type": "string"}},
        "required": ["path"],
        "additionalProperties": False,
    }
    assert told(schema, {"pth": "x"}) == [
        "missing path: required",
        "extra pth: unknown (did you mean path?)",
    ]


def test_a_finding_has_the_node_that_refused_and_whether_a_value_is_demanded() -> None:
    assert explain(SEARCH, {"query": "", "limit": "1", "sort": None, "tags": [1]}) == [
        NodeIssue(
            Issue("expected at least 1 character", ("query",), "value"),
            {"type": "string", "minLength": 1},
            required=True,
        ),
        NodeIssue(
            Issue("expected integer, received string", ("limit",), "type", "integer", "string"),
            {"type": "integer", "minimum": 1, "maximum": 50},
            required=True,
        ),
        NodeIssue(
            Issue("expected string, received integer", ("tags", 0), "type", "string", "integer"),
            {"type": "string"},
            required=True,
        ),
        NodeIssue(
            Issue('expected one of "new", "old"', ("sort",), "enum"),
            {"enum": ["new", "old"], "type": "string"},
            required=False,
        ),
    ]


def test_the_object_is_the_node_of_a_missing_and_of_an_unknown_key() -> None:
    missing, _, unknown = explain(SEARCH, {"x": 1})
    assert (missing.node, missing.required) == (SEARCH, True)
    assert (unknown.node, unknown.required) == (SEARCH, False)


def test_the_root_is_demanded() -> None:
    [found] = explain(SEARCH, [])
    assert (found.issue.path, found.required) == ((), True)
    assert str(found.issue) == "expected object {query, limit}"


def test_a_reference_is_followed_to_the_node_that_refused() -> None:
    schema = {
        "properties": {"a": {"$ref": "#/$defs/alias", "description": "..."}},
        "$defs": {"alias": {"$ref": "#/$defs/word"}, "word": {"type": "string"}},
    }
    [found] = explain(schema, {"a": 1})
    assert found.node is schema["$defs"]["word"]


def test_what_stands_beside_a_reference_counts_too() -> None:
    schema = {
        "items": {"$ref": "#/$defs/word", "maxLength": 2},
        "$defs": {"word": {"type": "string", "pattern": "^[a-z]+$"}},
    }
    assert told(schema, ["abc", "AB", "ab"]) == [
        "value 0: expected at most 2 characters",
        "format 1: expected string that matches ^[a-z]+$",
    ]


def test_the_same_issue_from_two_nodes_is_told_once() -> None:
    schema = {"allOf": [{"type": "string"}, {"type": "string"}], "type": "string"}
    assert told(schema, 1) == ["type expected string, received integer"]
    assert told({"allOf": schema["allOf"]}, 1) == ["type expected string, received integer"]


def test_a_wrong_type_silences_what_else_the_node_says() -> None:
    schema = {"type": "string", "minimum": 5, "not": {"type": "integer"}}
    assert told(schema, 1) == ["type expected string, received integer"]


@pytest.mark.parametrize("limit", [1, 5, 64])
def test_the_number_of_findings_is_bounded(limit: int) -> None:
    schema = {"items": {"type": "integer"}}
    found = explain(schema, ["x"] * 1_000, limit=limit)
    assert [finding.issue.path for finding in found] == [(place,) for place in range(limit)]


def test_the_bound_holds_inside_a_form_that_is_only_tried() -> None:
    schema = {"anyOf": [{"items": {"type": "integer"}}, {"items": {"type": "null"}}]}
    assert told(schema, ["x"] * 1_000) == ["union expected array of integers or array of nulls"]


def recursive(*keys: str) -> dict[str, Any]:
    forms = [
        {"type": "object", "properties": {"c": {"$ref": "#"}}, "required": ["c", key]}
        for key in keys
    ]
    return {"anyOf": [*forms, {"type": "null"}]}


@pytest.mark.requirement("explain-bounded")
def test_ambiguous_recursion_is_walked_once_for_each_level() -> None:
    value: Any = "x"
    for _ in range(32):
        value = {"c": value}
    deepest = ".".join("c" * 32)
    assert told(recursive("x", "y"), value) == [
        f"type {deepest}: send either {{c, x}}, {{c, y}} or null",
        "union send either {c, x}, {c, y} or null",
    ]


@pytest.mark.unmeasured
@pytest.mark.requirement("explain-bounded")
def test_where_the_steps_run_out_the_engine_has_the_last_word() -> None:
    item = {"type": "object", "properties": {"a": {"type": "integer"}}, "propertyNames": True}
    schema = {"items": item}
    right: list[Any] = [{"a": 1} for _ in range(100_001)]
    assert told(schema, right) == []
    assert told(schema, [*right, {"a": "x"}]) == ["custom does not match the schema"]
    assert told({"anyOf": [schema, {"type": "null"}]}, [*right, 5]) == [
        "custom does not match the schema"
    ]
    # Issues found before that stay.
    assert told(schema, [{"a": "x"}, *right]) == ["type 0.a: expected integer, received string"]


@pytest.mark.requirement("explain-bounded")
def test_steps_that_run_out_inside_a_form_end_the_walk() -> None:
    schema = {"oneOf": [{"items": {"$ref": "#/$defs/o"}}, {"contains": {"const": 1}}],
              "$defs": {"o": {"type": "object", "required": ["a"]}}}  # fmt: skip
    assert Explainer(schema).node_issues([{"a": 1}] * 100_001) == []


@pytest.mark.requirement("explain-bounded")
def test_data_deeper_than_the_stack_ends_the_walk() -> None:
    value: Any = "x"
    for _ in range(5_000):
        value = [value]
    schema = {"anyOf": [{"items": {"$ref": "#"}, "type": "array"}, {"type": "null"}]}
    assert Explainer(schema).node_issues(value) == []


def test_an_endless_schema_ends_the_walk() -> None:
    for schema in ({"$ref": "#"}, {"allOf": [{"$ref": "#"}]}):
        assert Explainer(schema).node_issues(1) == []


@pytest.mark.parametrize("schema", [{"type": "string"}, {}, {"items": {}}])
def test_what_is_not_json_is_told_so(schema: Any) -> None:
    assert [str(f.issue) for f in explain(schema, (1,))] == ["expected JSON data"]


def test_text_with_a_lone_surrogate_is_no_json() -> None:
    [found] = Checker({"type": "string", "pattern": "a"}).node_issues("\ud800")
    assert found.issue == Issue("expected JSON data", (), "type")
    schema = {"required": ["b"], "properties": {"a": {"pattern": "a"}}}
    assert told(schema, {"a": "\ud800"}) == ["missing b: required"]


def test_a_part_of_a_schema_is_explained_within_its_root() -> None:
    root = {"$defs": {"word": {"type": "string"}}, "items": {"$ref": "#/$defs/word"}}
    [found] = explain(root["items"], 1, root=root)
    assert str(found.issue) == "expected string, received integer"
    assert explain(True, 1, root=root) == []


def test_an_older_draft_is_read_as_it_was_meant() -> None:
    schema = {"definitions": {"a": {"minimum": 3, "exclusiveMinimum": True}},
              "items": [{"$ref": "#/definitions/a"}], "additionalItems": False}  # fmt: skip
    assert told(schema, [3, 4]) == [
        "value 0: expected more than 3",
        "value expected array [number above 3]",
    ]


def test_a_schema_that_refers_elsewhere_is_refused() -> None:
    with pytest.raises(SchemaRefused):
        explain({"$ref": "http://127.0.0.1:9/"}, 1)


def test_the_same_question_has_the_same_answer_twice() -> None:
    checker = Checker(SEARCH)
    value = {"limit": 0, "tags": [1], "x": 1}
    first = checker.node_issues(value)
    assert first == checker.node_issues(json.loads(json.dumps(value)))
