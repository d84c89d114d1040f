"""The words of an issue say what to do: rename, move, leave out, or give with another key."""

from __future__ import annotations

from typing import Any

import pytest

from toolhaft.schema.explain.explainer import explain

pytestmark = pytest.mark.requirement("texts-remedies")

ENTRY: dict[str, Any] = {"type": "object", "properties": {"id": {}}, "required": ["id"]}
OPEN: dict[str, Any] = {
    "properties": {"name": {"type": "string"}, "units": {"type": "object", "required": ["of"]}},
    "required": ["name"],
    "additionalProperties": ENTRY,
}
LIMITED: dict[str, Any] = {
    "properties": {"a": {}, "b": {}, "c": {}},
    "required": ["a"],
    "maxProperties": 3,
}
PROBE: dict[str, Any] = {"type": "object", "properties": {"path": {}}, "required": ["path"]}
TAGGED: dict[str, Any] = {
    "oneOf": [
        {"properties": {"is": {"const": "x"}, "n": {}}, "required": ["is", "n"]},
        {"properties": {"is": {"const": "y"}, "m": {}}, "required": ["is", "m"]},
    ]
}


def told(schema: Any, data: Any) -> list[str]:
    return [str(found.issue) for found in explain(schema, data)]


@pytest.mark.parametrize(
    ("schema", "data", "expected"),
    [
        (OPEN, {"nam": "x"}, ["name: required", "nam: did you mean the key name?"]),
        (OPEN, {"name": "x", "unit": {"of": 1}}, ["unit: did you mean the key units?"]),
        (OPEN, {"name": "x", "unit": {"is": 1}}, ["unit.id: required"]),
        (OPEN, {"x": {"name": "a"}}, ["name: required", "x: send its members at the top level"]),
        (OPEN, {"name": "x", "y": {"units": {"of": 1}}}, ["y: send its members at the top level"]),
        (OPEN, {"name": "x", "y": {"units": 5}}, ["y.id: required"]),
        (
            {"properties": {"n": {"type": "integer"}}, "required": ["n"]},
            {"arguments": {"n": 1}, "other": {"n": "x"}},
            ["arguments: send its members at the top level", "n: required"],
        ),
        (
            {"required": ["name"], "propertyNames": {"maxLength": 5}},
            {"the_name": 1},
            ["name: required", "the_name: did you mean the key name?"],
        ),
        (LIMITED, {"a": 1, "b": 2, "x": 3, "y": 4}, [": leave out 1 of b, 2 undeclared keys"]),
        (
            LIMITED,
            {"b": 1, "c": 2, "x": 3},
            [": leave out 1 of b, c, 1 undeclared key", "a: required"],
        ),
        ({**LIMITED, "maxProperties": 1}, {"a": 1, "b": 2}, [": leave out 1 of b"]),
        ({**LIMITED, "minProperties": 2}, {"a": 1}, [", such as b, c or any other"]),
        (
            {"required": ["a"], "not": {"required": ["a", "b"]}},
            {"b": 1},
            ["a: required", "leave out b, because a is required"],
        ),
        (
            {"required": ["a"], "if": {"required": ["a"]}, "then": {"required": ["b"]}},
            {},
            ["a: required", "b: required, because a is required"],
        ),
        (
            {
                "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
                "dependentRequired": {"a": ["c"]},
                "if": {"required": ["b"]},
                "then": {"required": ["d"]},
            },
            {},
            ["give a with c or b with d"],
        ),
        ({"anyOf": [PROBE, {"type": "null"}]}, {"url": 1}, ["expected object {path} or null"]),
        ({"anyOf": [{**PROBE, "additionalProperties": False}, {"type": "null"}]}, {"pth": 1},
         ["path: required", "pth: unknown (did you mean path?)"]),
        (TAGGED, {"is": "z"}, ['is: expected one of "x", "y"']),
        (TAGGED, {"is": "z", "n": 1}, ['is: expected one of "x", "y"']),
        ({"anyOf": [{"type": "string"}, TAGGED]}, {"n": 1}, ['is: required, one of "x", "y"']),
        ({"type": ["array", "null"], "items": {"type": "integer"}}, "x",
         ["expected array of integers or null, such as [1]"]),
        ({"type": "object", "properties": {"a": {}}}, [], ["expected object {a}"]),
    ],
)  # fmt: skip
def test_an_issue_says_what_to_do(schema: Any, data: Any, expected: list[str]) -> None:
    found = told(schema, data)
    assert len(found) == len(expected), found
    for words, end in zip(found, expected, strict=True):
        assert words == end or (end[0] in ":," and words.endswith(end)), found


def test_members_to_move_are_a_wrong_value() -> None:
    found = explain(OPEN, {"x": {"name": "a"}})
    assert [(one.issue.code, one.issue.path) for one in found] == [
        ("missing", ("name",)), ("value", ("x",))
    ]  # fmt: skip


def test_the_key_that_is_meant_is_among_the_facts_of_a_wrong_one() -> None:
    short = {"required": ["name"], "propertyNames": {"maxLength": 5}}
    for schema, data in ((OPEN, {"nam": "x"}), (short, {"the_name": 1})):
        [_, wrong] = explain(schema, data)
        assert wrong.issue.facts["meant"] == "name"
