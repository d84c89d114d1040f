"""Single changes: each at one place, each refused by the schema."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

from toolhaft.schema.checker import Checker
from toolhaft.schema.formats import FORMATS
from toolhaft.schema.mutate import FORMAT, Mutation, mutations

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "n": {"type": "integer", "minimum": 1, "maximum": 5, "multipleOf": 2},
        "text": {"type": "string", "minLength": 2, "maxLength": 3, "pattern": "^[a-z0-9]+$"},
        "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 2, "uniqueItems": True},
        "pair": {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}]},
        "flag": {"type": "boolean"},
        "kind": {"enum": ["a", "b"]},
        "when": {"type": ["string", "null"], "format": "date"},
        "either": {"anyOf": [{"type": "string", "format": "date"}, {"type": "string"}]},
        "place": {"type": "object", "properties": {"x": {"type": "number"}}, "required": ["x"]},
    },
    "required": ["n"],
    "additionalProperties": False,
}
VALUE: dict[str, Any] = {
    "n": 2, "text": "a1", "tags": ["x"], "pair": [1, "y"], "flag": True, "kind": "a",
    "when": "2026-03-01", "either": "2026-03-01", "place": {"x": 1.5},
}  # fmt: skip


def changes() -> list[Mutation]:
    return list(mutations(Checker(SCHEMA), VALUE, Random(0)))


def differing(one: Any, other: Any) -> list[tuple[Any, ...]]:
    """The outermost places where two values differ."""
    if isinstance(one, dict) and isinstance(other, dict):
        keys = {**one, **other}
        return [
            (key, *rest)
            for key in keys
            for rest in (differing(one[key], other[key]) if key in one and key in other else [()])
        ]
    return [] if json.dumps(one) == json.dumps(other) else [()]


@pytest.mark.requirement("agreement-generator")
def test_every_change_is_refused_by_the_schema_but_for_those_of_format() -> None:
    checker = Checker(SCHEMA)
    assert [one for one in changes() if checker.is_valid(one.value) != (one.change == FORMAT)] == []


@pytest.mark.requirement("agreement-generator")
def test_every_change_is_at_one_place() -> None:
    for one in (one for one in changes() if one.path):
        assert len(differing(VALUE, one.value)) == 1


def test_every_keyword_is_met() -> None:
    found = {(one.change, ".".join(map(str, one.path))) for one in changes()}
    assert found >= {
        ("missing", "n"), ("extra", "undeclared"), ("missing", "place.x"), ("value", "n"),
        ("type", "n"), ("text", "text"), ("text", "kind"), ("items", "tags"), ("type", "tags.0"),
        ("items", "pair"), ("type", "flag"), ("type", "place"), ("format", "when"),
    }  # fmt: skip
    values = [one.value.get("n") for one in changes() if one.path == ("n",)]
    assert {0, 3, 6} <= {one for one in values if type(one) is int}
    texts = [one.value.get("text") for one in changes() if one.path == ("text",)]
    words = {one for one in texts if isinstance(one, str)}
    assert {"a", "a1xx", "a1\n", "A1", "a\u0661"} <= words


@pytest.mark.parametrize("bound", ["exclusiveMinimum", "exclusiveMaximum"])
def test_a_bound_that_is_none_of_the_values_is_among_the_changes(bound: str) -> None:
    checker = Checker({"type": "object", "properties": {"n": {"type": "integer", bound: 5}}})
    value = {"n": 50 if bound == "exclusiveMinimum" else -50}
    assert {"n": 5} in [one.value for one in mutations(checker, value, Random(0))]


def test_a_format_is_broken_though_its_type_is_named_beside_it() -> None:
    parts = [{"type": "string", "format": "date"}, {"minLength": 1}]
    found = mutations(
        Checker({"properties": {"on": {"allOf": parts}}}), {"on": "2026-03-01"}, Random(0)
    )
    assert {one.change for one in found} >= {FORMAT, "text", "type"}


def test_where_other_text_may_stand_no_format_is_broken() -> None:
    assert not [one for one in changes() if one.change == FORMAT and one.path == ("either",)]


def test_the_value_itself_is_not_changed() -> None:
    before = repr(VALUE)
    changes()
    assert repr(VALUE) == before


@pytest.mark.parametrize("name", FORMATS)
def test_no_text_that_is_drawn_for_a_format_is_among_the_wrong_ones(name: str) -> None:
    draw, wrong = FORMATS[name]
    assert {draw(Random(seed)) for seed in range(100)}.isdisjoint(wrong)
