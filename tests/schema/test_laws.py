"""Laws that hold for every schema and value: one verdict, one meaning, no value in any message."""

from __future__ import annotations

import copy
import json
from typing import Any

import jsonschema_rs
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from tests.schema.random_schemas import draft_7_schemas, schemas, values
from toolhaft.schema.checker import Checker
from toolhaft.schema.explain.explainer import explain
from toolhaft.schema.limits import faults_of
from toolhaft.schema.normalise import normalise

SLOW = settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
NOTHING = object()


def engine(schema: Any, draft: type[Any] = jsonschema_rs.Draft202012Validator) -> Any:
    return draft(schema, validate_formats=False, retriever=refuse)


def refuse(uri: str) -> Any:
    raise LookupError(uri)


def at(data: Any, path: tuple[str | int, ...]) -> Any:
    for step in path:
        inside = step in data if isinstance(data, dict) else isinstance(data, list)
        if not inside:
            return NOTHING
        data = data[step]
    return data


@SLOW
@given(schemas(), st.lists(values(), min_size=4, max_size=8))
def test_there_are_findings_exactly_where_the_engine_refuses(schema: Any, data: list[Any]) -> None:
    assume(faults_of(schema) == [])
    valid = engine(schema).is_valid
    for value in data:
        assert (explain(schema, value) == []) == valid(value), value


@SLOW
@given(schemas(), values())
def test_a_finding_points_at_a_value_or_at_a_missing_key(schema: Any, value: Any) -> None:
    assume(faults_of(schema) == [])
    for finding in explain(schema, value):
        path = finding.issue.path
        if finding.issue.code == "missing":
            assert at(value, path[:-1]) is not NOTHING
            assert at(value, path) is NOTHING
            assert finding.required
        else:
            assert at(value, path) is not NOTHING


@SLOW
@given(schemas())
def test_no_message_holds_what_the_value_was(schema: Any) -> None:
    assume(faults_of(schema) == [])
    secret = "zqx-7713"
    for value in (secret, {"a": secret}, [secret, secret], {"b": [{"a": secret}]}):
        messages = [finding.issue.message for finding in explain(schema, value)]
        assert not [message for message in messages if secret in message]


@SLOW
@given(schemas(), values())
def test_nothing_that_is_passed_in_is_changed(schema: Any, value: Any) -> None:
    assume(faults_of(schema) == [])
    before = copy.deepcopy((schema, value))
    checker = Checker(schema)
    checker.is_valid(value)
    checker.node_issues(value)
    assert (schema, value) == before
    assert json.dumps((schema, value)) == json.dumps(before)


@SLOW
@given(draft_7_schemas(), st.lists(values(), min_size=4, max_size=8))
def test_the_normal_form_means_in_2020_12_what_the_schema_meant_in_draft_7(
    schema: Any, data: list[Any]
) -> None:
    assume(faults_of(schema) == [])
    old = engine(schema, jsonschema_rs.Draft7Validator)
    new = engine(normalise(schema))
    for value in data:
        assert new.is_valid(value) == old.is_valid(value), value


@SLOW
@given(schemas() | draft_7_schemas())
def test_normalising_is_deterministic_and_normalising_again_changes_nothing(schema: Any) -> None:
    assume(faults_of(schema) == [])
    once = normalise(schema)
    assert normalise(once) is once
    assert json.dumps(normalise(copy.deepcopy(schema))) == json.dumps(once)


@SLOW
@given(schemas() | draft_7_schemas())
def test_a_schema_without_faults_compiles(schema: Any) -> None:
    assume(faults_of(schema) == [])
    assert Checker(schema).is_valid({}) in (True, False)


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.just("#/a"),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["$ref", "$id", "$defs", "anyOf", "enum", "items", "pattern", "properties"]
            )
            | st.sampled_from(["required", "type", "minimum", "dependencies", "definitions", "not"])
            | st.text(max_size=3),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@SLOW
@given(JUNK, values())
@example({"properties": {"a": {"type": "object", "required": [1]}}}, {"a": {}})
def test_a_malformed_schema_is_a_list_of_faults_and_never_a_crash(schema: Any, value: Any) -> None:
    if faults_of(schema) == []:
        checker = Checker(schema)
        assert checker.is_valid(value) == (checker.node_issues(value) == [])
