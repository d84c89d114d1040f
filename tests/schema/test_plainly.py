"""The commonest faults are seen at once: the same ones, in the same order, or none at all."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.schema.random_schemas import schemas, values
from toolhaft.schema.checker import Checker
from toolhaft.schema.limits import faults_of
from toolhaft.schema.plainly import Sight, sight
from toolhaft.spec import Issue

KEYS = ["a", "b", "ab", "c"]
TYPES = ["string", "integer", "number", "boolean", "array", "object", "null"]
SIMPLE = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "days": {"type": "integer", "minimum": 1},
        "near": {"type": ["number", "null"]},
        "units": {"enum": ["C", "F"]},
        "tags": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["days", "city"],
}


def sight_of(schema: Any) -> Sight | None:
    return sight(Checker(schema).explainer)


def always(_: str) -> bool:
    return True


def never(_: str) -> bool:
    return False


def wrong(name: str, expected: str, received: str) -> Issue:
    return Issue(f"expected {expected}, received {received}", (name,), "type", expected, received)


@pytest.mark.parametrize(
    ("data", "issues", "texts"),
    [
        (
            {"days": "soon", "tags": "x"},
            [
                Issue("required", ("city",), "missing"),
                wrong("days", "integer", "string"),
                wrong("tags", "array", "string"),
            ],
            ["soon", "x"],
        ),
        (
            {"near": True, "more": 1},
            [
                Issue("required", ("days",), "missing"),
                Issue("required", ("city",), "missing"),
                wrong("near", "number or null", "boolean"),
            ],
            [],
        ),
        (
            {"city": 5, "days": 3, "near": 1.5, "units": "F", "tags": ["a"]},
            [wrong("city", "string", "integer")],
            [],
        ),
    ],
)
def test_missing_keys_and_wrong_types_are_seen(
    data: Any, issues: list[Issue], texts: list[str]
) -> None:
    seen = sight_of(SIMPLE)
    assert seen
    asked: list[str] = []

    def is_hopeless(text: str) -> bool:
        asked.append(text)
        return True

    assert seen.see(data, is_hopeless) == issues
    assert asked == texts
    assert (seen.see(data, never) is None) is bool(texts)
    assert Checker(SIMPLE).failure(data) == issues
    assert all(issue in seen.issues for issue in issues)


@pytest.mark.parametrize(
    "data",
    [
        {"city": "Rome", "days": 3},  # nothing is wrong
        {"days": 0},  # a number out of bounds
        {"days": 2.5},  # a fraction
        {"days": None},
        {"city": ["Rome"], "days": 3},
        {"days": 3, "units": "K"},
        {"days": 3, "tags": [5]},
    ],
)
def test_where_anything_else_may_be_wrong_nothing_is_said(data: Any) -> None:
    seen = sight_of(SIMPLE)
    assert seen
    assert seen.see(data, always) is None


def test_unknown_keys_of_a_closed_object_are_seen_last() -> None:
    closed = {**SIMPLE, "additionalProperties": False}
    seen = sight_of(closed)
    assert seen
    missing = Issue("required", ("city",), "missing")
    near = Issue("unknown (did you mean near?)", ("neer",), "extra")
    assert seen.see({"days": 3}, never) == [missing]
    assert seen.see({"neer": 1, "days": 3}, never) == [missing, near]
    assert Checker(closed).failure({"neer": 1, "days": 3}) == [missing, near]
    assert seen.see({"city": "Rome", "days": 3}, never) is None


def test_more_faults_than_anybody_reads_are_left_to_the_walk() -> None:
    seen = sight_of({"type": "object", "required": [f"n{place}" for place in range(21)]})
    assert seen
    assert seen.see({}, never) is None
    assert seen.see({"n0": 1}, never) is not None


@pytest.mark.parametrize(
    "schema",
    [
        True,
        {"type": "array"},
        {"properties": {"a": {"type": "string"}}},
        {"type": ["object", "null"]},
        {**SIMPLE, "minProperties": 1},
        {**SIMPLE, "anyOf": [{"required": ["near"]}]},
        {**SIMPLE, "additionalProperties": {"type": "string"}},
    ],
)
def test_a_schema_that_says_more_is_left_to_the_walk(schema: Any) -> None:
    assert sight_of(schema) is None


def objects() -> st.SearchStrategy[Any]:
    """Objects whose keys have a type, or say anything at all."""
    named = st.sampled_from(TYPES).map(lambda name: {"type": name})
    return st.fixed_dictionaries(
        {
            "type": st.just("object"),
            "properties": st.dictionaries(st.sampled_from(KEYS), named | schemas()),
            "required": st.lists(st.sampled_from(KEYS), unique=True),
            "$defs": st.just({"x": {"type": "integer"}, "y": {"$ref": "#/$defs/x"}}),
        },
        optional={"additionalProperties": st.booleans()},
    )


@given(objects(), st.dictionaries(st.sampled_from(KEYS), values()))
def test_what_is_seen_is_all_that_the_walk_finds(schema: Any, data: Any) -> None:
    if faults_of(schema):
        return
    checker = Checker(schema)
    seen = checker.sight.see(data, always) if checker.sight else None
    if seen is not None:
        assert seen == checker.failure(data)
        assert not checker.is_valid(data)
        refused = [data[issue.path[0]] for issue in seen if issue.code == "type"]
        assert all(type(value) in (str, int, bool) for value in refused)
