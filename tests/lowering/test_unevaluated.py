"""Targets without `unevaluated...` and `minContains`: exact, or said in the losses."""

from __future__ import annotations

from typing import Any

import pytest

from toolhaft.lowering import lower
from toolhaft.lowering.linter import lint
from toolhaft.lowering.loss import LoweringUnsupported
from toolhaft.schema.checker import Checker

A = {"properties": {"a": {"type": "integer"}}, "required": ["a"]}
B = {"properties": {"b": {"type": "string"}}, "required": ["b"]}
CLOSED = {
    "type": "object",
    "properties": {"k": {"type": "integer"}},
    "unevaluatedProperties": False,
}
OLD = ["draft-07", "openapi-3.0"]


def listed(**keywords: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"l": {"type": "array", **keywords}}}


def verdicts(schema: Any, target: str, values: list[Any]) -> list[tuple[bool, bool]]:
    """Return whether the original accepts each value, and whether the lowered schema does."""
    lowered = lower(schema, target)
    draft = {"$schema": "http://json-schema.org/draft-07/schema#"} if target == "draft-07" else {}
    sent = Checker({**draft, **lowered.schema})
    return [
        (Checker(schema).is_valid(value), sent.is_valid(lowered.lens.put(value)))
        for value in values
    ]


@pytest.mark.requirement("lowering-says-narrowing")
@pytest.mark.parametrize("target", OLD)
@pytest.mark.parametrize(
    ("schema", "values"),
    [
        ({**CLOSED, "allOf": [A]}, [{"a": 1, "k": 2}, {"a": 1}, {"a": 1, "z": 1}, {"k": 1}]),
        ({**CLOSED, "$ref": "#/$defs/A", "$defs": {"A": A}}, [{"a": 1, "k": 2}, {"a": 1, "z": 1}]),
        (
            {**CLOSED, "allOf": [A], "unevaluatedProperties": {"type": "string"}},
            [{"a": 1, "z": "x"}, {"a": 1, "z": 1}],
        ),
        (listed(contains={"const": 1}, minContains=0), [{"l": []}, {"l": [2]}, {"l": [1]}]),
        (listed(unevaluatedItems=False), [{"l": []}, {"l": [1]}]),
        (listed(items={"type": "integer"}, unevaluatedItems=False), [{"l": [1]}, {"l": ["x"]}]),
    ],
)
def test_exact_equivalents_are_used(schema: Any, values: list[Any], target: str) -> None:
    assert lower(schema, target).losses == ()
    told = verdicts(schema, target, values)
    assert [before for before, _ in told] == [after for _, after in told]
    assert {before for before, _ in told} == (
        {True} if "contains" in str(schema) else {True, False}
    )


@pytest.mark.requirement("lowering-says-narrowing")
def test_tuples_and_branches_of_which_one_holds_are_exact_in_draft_7() -> None:
    one = {**CLOSED, "oneOf": [A, B]}
    assert lower(one, "draft-07").losses == ()
    values: list[Any] = [{"a": 1, "k": 2}, {"b": "x"}, {"a": 1, "b": "x"}, {"a": 1, "z": 1}]
    expected = [(True, True), (True, True), (False, False), (False, False)]
    assert verdicts(one, "draft-07", values) == expected
    pair = listed(allOf=[{"prefixItems": [{"type": "integer"}]}], unevaluatedItems=False)
    assert lower(pair, "draft-07").losses == ()
    expected = [(True, True), (False, False)]
    assert verdicts(pair, "draft-07", [{"l": [1]}, {"l": [1, 2]}]) == expected


@pytest.mark.requirement("lowering-says-narrowing")
@pytest.mark.parametrize("target", OLD)
@pytest.mark.parametrize(
    ("schema", "keyword", "value"),
    [
        ({**CLOSED, "anyOf": [A, B]}, "unevaluatedProperties", {"a": 1, "b": "x", "k": 1}),
        ({**CLOSED, "if": A, "then": B}, "unevaluatedProperties", {"a": 1, "b": "x"}),
        (
            {**CLOSED, "dependentSchemas": {"k": B}},
            "unevaluatedProperties",
            {"k": 1, "b": "x"},
        ),
        (
            listed(contains={"type": "string"}, unevaluatedItems=False),
            "unevaluatedItems",
            {"l": ["x"]},
        ),
    ],
)
def test_inexact_equivalents_are_wider_and_reported(
    schema: Any, keyword: str, value: Any, target: str
) -> None:
    losses = lower(schema, target).losses
    assert ("widened", keyword) in [(loss.kind, loss.keyword) for loss in losses]
    assert verdicts(schema, target, [value]) == [(True, True)]


@pytest.mark.requirement("lowering-says-narrowing")
def test_a_count_that_may_be_none_is_a_hint_where_it_has_an_upper_bound() -> None:
    schema = listed(contains={"const": 1}, minContains=0, maxContains=1)
    losses = [(loss.kind, loss.keyword) for loss in lower(schema, "draft-07").losses]
    assert losses == [("hinted", "contains")]
    assert verdicts(schema, "draft-07", [{"l": []}, {"l": [2]}]) == [(True, True)] * 2


@pytest.mark.requirement("lowering-says-narrowing")
@pytest.mark.parametrize("target", ["gemini", "xai"])
def test_branches_of_which_several_may_apply_are_narrowed_and_reported(target: str) -> None:
    losses = lower({**CLOSED, "anyOf": [A, B]}, target).losses
    assert ("narrowed", "unevaluatedProperties") in [(loss.kind, loss.keyword) for loss in losses]
    for strict in ("anthropic", "openai"):
        with pytest.raises(LoweringUnsupported, match="unevaluatedProperties"):
            lower({**CLOSED, "anyOf": [A, B]}, strict, "require")


@pytest.mark.requirement("lowering-says-narrowing")
def test_required_keys_are_declared_for_targets_that_insist() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a", "b"]}
    [problem] = lint(schema, "gemini-openapi")
    assert problem.rule == "gemini-openapi.declared required"
    lowered = lower(schema, "gemini-openapi")
    assert lint(lowered.schema, "gemini-openapi") == []
    assert list(lowered.schema["properties"]) == lowered.schema["required"] == ["a", "b"]
    for value in ({"a": 1, "b": "x"}, {"a": 1, "b": None}, {"a": 1, "b": {"c": [1]}}):
        assert lowered.lens.get(lowered.lens.put(value)) == value
