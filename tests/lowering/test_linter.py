"""The linter of each target, and the rules that it reads."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from toolhaft.definition.targets import TARGETS
from toolhaft.lowering import lint
from toolhaft.lowering.dialects import dialect, has_strict
from toolhaft.lowering.older_forms import to_original_pointer

RECURSIVE = {
    "type": "object",
    "properties": {"a": {"$ref": "#"}},
    "required": ["a"],
    "additionalProperties": False,
}
MANY_FAULTS = {
    "type": "object",
    "properties": {"a": {"enum": [[]]}, "b": {"anyOf": [], "minimum": 1}},
    "additionalProperties": False,
    "required": [],
}


CLOSED = {"additionalProperties": False}


@pytest.mark.requirement("pain-30")
@pytest.mark.parametrize("target", TARGETS)
def test_every_rule_has_its_evidence_date_and_source(target: str) -> None:
    for strict in (False, True):
        rules = dialect(target, strict)
        assert rules.target == target
        for rule in (*rules.rules, *rules.limits, *rules.request):
            assert rule.evidence in ("documented", "types", "observed", "guess")
            assert date.fromisoformat(rule.date) < date(2100, 1, 1)
            assert rule.source
    assert dialect(target, strict=True).strict is has_strict(target)


@pytest.mark.parametrize(
    ("schema", "target", "strict", "rules"),
    [
        (True, "openai", False, ["root object"]),
        ({"type": "object", "anyOf": []}, "anthropic", False, ["anyOf"]),
        ({"type": "object", "not": {}}, "openai", False, ["not"]),
        ({"type": "array"}, "openapi-3.0", False, ["array items"]),
        ({"items": [{}]}, "draft-2020-12", False, ["items"]),
        ({"items": [{}]}, "draft-07", False, []),
        ({"prefixItems": [{}]}, "draft-07", False, ["prefixItems"]),
        ({"$ref": "#/definitions/a", "minimum": 1}, "draft-07", False, ["reference siblings"]),
        ({"$ref": "#/definitions/a", "$id": "x"}, "draft-07", False, []),
        ({"$ref": "x.json"}, "draft-2020-12", False, ["$ref"]),
        ({"exclusiveMinimum": 1}, "openapi-3.0", False, ["exclusiveMinimum"]),
        ({"exclusiveMaximum": 1}, "openapi-3.0", False, ["exclusiveMaximum"]),
        ({"exclusiveMinimum": True}, "draft-2020-12", False, ["exclusiveMinimum"]),
        ({"nullable": True}, "openapi-3.0", False, ["nullable"]),
        ({"type": ["string", "null"]}, "openapi-3.0", False, ["type list", "type null"]),
        ({"properties": {"a": True}}, "openapi-3.0", False, ["boolean schemas"]),
        (
            {"components": {"schemas": {"a": {"const": 1}}}, "additionalProperties": True},
            "openapi-3.0",
            False,
            ["const"],
        ),
        ({"type": "object", "properties": {"a": {}}}, "xai", False, ["closed objects"]),
        ({"type": "object", **CLOSED, "properties": {"a": {"allOf": [{}]}}}, "xai", False, []),
        (
            {"type": "object", **CLOSED, "properties": {"a": {"allOf": [{}, {}]}}},
            "xai",
            False,
            ["allOf"],
        ),
        ({**RECURSIVE}, "anthropic", True, ["recursive references"]),
        ({**RECURSIVE}, "openai", True, []),
        ({**RECURSIVE}, "gemini", False, ["recursive references"]),
        (
            {"type": "object", "properties": {"a": {"$ref": "#/$defs/x"}}},
            "gemini",
            False,
            ["$ref"],
        ),
        (
            {"properties": {"a": {"$ref": "#"}}, "type": "object"},
            "gemini-openapi",
            False,
            ["$ref", "recursive references"],
        ),
        ({"type": "object"}, "openai", True, ["closed objects", "properties"]),
        (
            MANY_FAULTS,
            "openai",
            True,
            ["all required", "typed nodes", "enum members", "union siblings"],
        ),
        (
            {"type": "object", "properties": {"a b": {"type": "string", "format": "color"}}},
            "anthropic",
            True,
            ["closed objects", "property key", "format"],
        ),
    ],
)
def test_schemas_that_a_target_rejects_are_found(
    schema: Any, target: str, strict: bool, rules: list[str]
) -> None:
    found = [problem.rule.removeprefix(f"{target}.") for problem in lint(schema, target, strict)]
    assert found == rules


@pytest.mark.parametrize(
    ("pointer", "schema", "given"),
    [
        ("/$defs/a", {"definitions": {"a": {}}}, "/definitions/a"),
        ("/prefixItems/0", {"items": [{}]}, "/items/0"),
        ("/items", {"items": [{}], "additionalItems": {}}, "/additionalItems"),
        (
            "/properties/a~1b/anyOf/7",
            {"properties": {"a/b": {"anyOf": []}}},
            "/properties/a~1b/anyOf",
        ),
        ("/x/y", {}, ""),
    ],
)
def test_a_pointer_leads_into_the_schema_as_it_was_given(
    pointer: str, schema: Any, given: str
) -> None:
    assert to_original_pointer(pointer, schema) == given


@pytest.mark.parametrize(
    ("kind", "keyword", "most"),
    [
        ("string", "minLength", 2048),
        ("string", "maxLength", 2048),
        ("array", "minItems", 256),
        ("array", "maxItems", 256),
    ],
)
def test_xai_counts_up_to_a_limit(kind: str, keyword: str, most: int) -> None:
    def rules(number: int) -> list[str]:
        node = {"type": kind, keyword: number}
        part = node | {"items": {"type": "string"}} if kind == "array" else node
        schema = {
            "type": "object",
            "properties": {"a": part},
            "required": ["a"],
            "additionalProperties": False,
        }
        return [problem.rule for problem in lint(schema, "xai")]

    assert (rules(most), rules(most + 1)) == ([], [f"xai.{keyword}"])


@pytest.mark.parametrize(
    ("schema", "target", "strict", "problems"),
    [
        (
            {"properties": {"a": True}},
            "openapi-3.0",
            False,
            [("/properties/a", "true and false are not taken as schemas")],
        ),
        ({"type": "object", "not": {}}, "openai", False, [("", "no not at the root")]),
        (True, "openai", False, [("", "the schema is not an object of keywords")]),
        ({"type": "array"}, "openapi-3.0", False, [("", "an array must say what its items are")]),
        (
            {"$ref": "x.json"},
            "draft-2020-12",
            False,
            [("", "a reference must stay inside of the schema")],
        ),
        (
            {"$ref": "#/definitions/a", "minimum": 1},
            "draft-07",
            False,
            [("", "nothing may stand beside $ref")],
        ),
        (
            {"exclusiveMinimum": 1},
            "openapi-3.0",
            False,
            [("", "exclusiveMinimum is a boolean here")],
        ),
        (
            {"exclusiveMaximum": True},
            "draft-2020-12",
            False,
            [("", "exclusiveMaximum is a number here")],
        ),
        (
            {"nullable": True},
            "openapi-3.0",
            False,
            [("", "nullable means something beside a type alone")],
        ),
        (
            {"type": ["string", "null"]},
            "openapi-3.0",
            False,
            [("", "a list of types is not taken"), ("", "null is no type here")],
        ),
        (
            {"type": "object", "properties": {"a b": {"type": "string", "format": "color"}}},
            "anthropic",
            True,
            [
                ("", "an object must say additionalProperties"),
                ("", "a key must match ^[a-zA-Z0-9_.-]{1,64}$"),
                ("/properties/a b", "format is not taken"),
            ],
        ),
        (
            MANY_FAULTS,
            "openai",
            True,
            [
                ("", "every property must be listed as required"),
                ("/properties/a", "every node needs a type"),
                ("/properties/a", "only string, number, boolean, null may be listed"),
                ("/properties/b", "nothing may stand beside anyOf"),
            ],
        ),
        (RECURSIVE, "gemini", False, [("/properties/a", "a schema may not hold itself here")]),
        (
            {"type": "object"},
            "openai",
            True,
            [
                ("", "an object must say additionalProperties"),
                ("", "an object must list its properties"),
            ],
        ),
    ],
)
def test_a_problem_has_its_place_and_its_reason(
    schema: Any, target: Any, strict: bool, problems: list[tuple[str, str]]
) -> None:
    found = lint(schema, target, strict=strict)
    assert [(problem.pointer, problem.reason) for problem in found] == problems
    assert {problem.fix for problem in found} == {
        "lower the schema for this target, or write it in other words"
    }


SHARING: dict[str, Any] = {
    "type": "object",
    "properties": {"a": {"$ref": "#/$defs/x"}},
    "required": ["a"],
    "additionalProperties": False,
    "$defs": {"x": {"type": "string", "description": "A text."}},
}
WITHOUT_DEFINITIONS = {"gemini-openapi", "ollama", "draft-07", "openapi-3.0"}


@pytest.mark.parametrize("target", sorted(TARGETS.keys() - WITHOUT_DEFINITIONS))
def test_definitions_may_be_shared(target: Any) -> None:
    for strict in (False, has_strict(target)):
        assert lint(SHARING, target, strict=strict) == []


OLDER = ("nullable", "dependencies", "additionalItems")
REFUSED = {"openapi-3.0": OLDER[1:], "gemini-openapi": OLDER[1:], "draft-07": OLDER[:1]}


@pytest.mark.parametrize("target", TARGETS)
def test_words_of_older_drafts_are_taken_where_they_mean_something(target: Any) -> None:
    for strict in (False, has_strict(target)):
        schema = {"type": "string", **dict.fromkeys(OLDER, True)}
        found = {
            problem.rule.removeprefix(f"{target}.")
            for problem in lint(schema, target, strict=strict)
        }
        assert {*OLDER} & found == {*REFUSED.get(target, OLDER)}
