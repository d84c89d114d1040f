"""How a node is written for a target that lacks its form, and what is lost."""

from __future__ import annotations

from typing import Any

import pytest

from toolhaft.lowering import lower

TREE: dict[str, Any] = {
    "type": "object",
    "properties": {"inner": {"$ref": "#/$defs/Tree", "description": "More."}},
    "additionalProperties": False,
}
STRING: dict[str, Any] = {"type": "string"}
SHORT: dict[str, Any] = {"maxLength": 9}
COUNTS: dict[str, Any] = {"additionalProperties": {"type": "integer"}}
NAMED: dict[str, Any] = {"type": "object", "properties": {"a": STRING, "b": STRING}}
CLOSED: dict[str, Any] = {"additionalProperties": False}
SEVERAL = "no value of several branches, with what only some of them declare"
PAIR: dict[str, Any] = {"key": STRING, "value": {"type": "integer"}}
PAIRS: dict[str, Any] = {
    "type": "array",
    "items": {"type": "object", "properties": PAIR, "required": ["key", "value"]},
}


def option(number: int, wire: dict[str, Any]) -> dict[str, Any]:
    name = f"option_{number}"
    return {"type": "object", "properties": {name: wire}, "required": [name]}


@pytest.mark.parametrize(
    ("target", "node", "wire", "losses"),
    [
        (
            "gemini-openapi",
            {"type": "null"},
            {"type": "string", "enum": ["null"]},
            ["enum encoded: a text stands for null"],
        ),
        (
            "gemini-openapi",
            {"enum": ["a", None]},
            {"type": "string", "enum": ["a"], "nullable": True},
            [],
        ),
        (
            "gemini-openapi",
            {"anyOf": [{"type": ["string", "null"]}, {"type": "integer"}]},
            {"anyOf": [{**STRING, "nullable": True}, {"type": "integer"}]},
            [],
        ),
        ("gemini", {"enum": [1, "a"]}, {"enum": [1, "a"]}, []),
        (
            "gemini",
            {"enum": [True, "a"]},
            {"type": "string", "enum": ["true", "a"]},
            ["enum encoded: texts stand for the members"],
        ),
        (
            "ollama",
            {"enum": [[1], "a"]},
            {"type": "string", "enum": ["[1]", "a"]},
            ["enum encoded: texts stand for the members"],
        ),
        (
            "gemini-openapi",
            {"anyOf": [{"type": "array", "items": STRING}, {"type": "object", **COUNTS}]},
            {"anyOf": [option(1, {"type": "array", "items": STRING}), option(2, PAIRS)]},
            [
                "additionalProperties encoded: a list of key and value",
                "anyOf encoded: forms that could be confused carry a tag",
            ],
        ),
        (
            "openapi-3.0",
            {"type": ["string", "null"], "enum": ["a", None]},
            {"type": "string", "enum": ["a", None], "nullable": True},
            [],
        ),
        (
            "gemini",
            {"$ref": "#/$defs/Tree", "description": "A tree."},
            {"description": "A tree.", "anyOf": [{"$ref": "#/$defs/Tree"}]},
            [],
        ),
        (
            "draft-07",
            {"$ref": "#/$defs/Tree", "description": "A tree."},
            {"description": "A tree.", "allOf": [{"$ref": "#/definitions/Tree"}]},
            [],
        ),
        # What a negation may not be without, it is not sent without.
        (
            "openapi-3.0",
            {"type": "object", "not": {"patternProperties": {"^a": STRING}}},
            {
                "type": "object",
                "description": '(not {"patternProperties":{"^a":{"type":"string"}}})',
            },
            ["not hinted: said in the description"],
        ),
        (
            "openapi-3.0",
            {**STRING, "not": {"maxLength": 2}},
            {**STRING, "not": {"maxLength": 2}},
            [],
        ),
        (
            "openapi-3.0",
            {**NAMED, "dependentRequired": {"a": ["b"]}, "minProperties": 1},
            {**NAMED, "description": "(with a also give b)", "minProperties": 1},
            ["dependentRequired hinted: said in the description"],
        ),
        ("openapi-3.0", {"allOf": [STRING, SHORT]}, {"allOf": [STRING, SHORT]}, []),
        (
            "gemini",
            {"allOf": [STRING, SHORT]},
            {**STRING, "description": "(at most 9 characters)"},
            ["maxLength hinted: said in the description"],
        ),
        (
            "gemini",
            {"anyOf": [NAMED, {"type": "object"}], "unevaluatedProperties": False},
            {"anyOf": [{**NAMED, **CLOSED}, {"type": "object", **CLOSED}]},
            [f"unevaluatedProperties narrowed: {SEVERAL}"],
        ),
        (
            "gemini-openapi",
            {"type": "array", "prefixItems": [STRING], "items": False, "minItems": 1},
            {"type": "array", "items": STRING, "minItems": 1, "maxItems": 1},
            [],
        ),
        (
            "openapi-3.0",
            {**NAMED, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
            {**NAMED, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
            [],
        ),
        ("openai", False, False, []),
        ("gemini", False, None, ["false widened: the target cannot say that it must be absent"]),
    ],
)
def test_a_node_is_written_as_the_target_takes_it(
    target: str, node: Any, wire: Any, losses: list[str]
) -> None:
    schema = {"type": "object", "properties": {"x": node, "y": STRING}, "$defs": {"Tree": TREE}}
    lowered = lower(schema, target)
    declared = {"y": STRING} if wire is None else {"x": wire, "y": STRING}
    assert lowered.schema["properties"] == declared
    assert [f"{loss.keyword} {loss.kind}: {loss.detail}" for loss in lowered.losses] == losses
    assert all(loss.pointer.startswith("/properties/x") for loss in lowered.losses)


def test_arguments_of_no_type_are_an_object() -> None:
    lowered = lower({"properties": {"y": STRING}}, "openai")
    assert lowered.schema == {"type": "object", "properties": {"y": STRING}}
    assert [tuple(loss)[:4] for loss in lowered.losses] == [
        ("", "type", "closed", "arguments are an object")
    ]


def test_a_node_begins_with_its_type_its_title_and_its_description() -> None:
    node = {"maxLength": 9, "default": "a", "description": "A text.", "title": "T", **STRING}
    lowered = lower({"type": "object", "properties": {"x": node}}, "xai")
    assert [*lowered.schema["properties"]["x"]] == ["type", "title", "description", "maxLength"]


def test_where_every_property_is_required_null_is_one_more_member() -> None:
    lowered = lower({"type": "object", "properties": {"x": {"enum": ["a"]}}}, "openai", "prefer")
    assert lowered.schema["properties"] == {"x": {"type": ["string", "null"], "enum": ["a", None]}}


def test_what_a_lowered_form_means_stands_behind_the_authors_words() -> None:
    schema = {
        "type": "object",
        "properties": {"x": {"$ref": "#/$defs/Tree"}},
        "$defs": {"Tree": TREE},
    }
    [tree] = lower(schema, "xai").schema["properties"].values()
    assert tree["properties"]["inner"] == {
        "type": "string",
        "description": 'More. JSON text of a value of this schema: {"type":"object","properties":'
        '{"inner":{"$ref":"#","description":"More."}},"additionalProperties":false}',
    }


def test_where_every_property_is_required_an_item_that_may_be_missing_is_null() -> None:
    node = {"type": "array", "prefixItems": [STRING, STRING], "minItems": 1, "items": False}
    schema = {"type": "object", "properties": {"x": node}, "required": ["x"]}
    [items] = lower(schema, "openai", "prefer").schema["properties"].values()
    assert items["properties"] == {"item_0": STRING, "item_1": {"type": ["string", "null"]}}


@pytest.mark.parametrize(
    ("limits", "written"),
    [
        ({"minimum": 5, "exclusiveMinimum": 3}, {"minimum": 5}),
        ({"minimum": 3, "exclusiveMinimum": 5}, {"minimum": 5, "exclusiveMinimum": True}),
        ({"minimum": 0, "exclusiveMinimum": 0}, {"minimum": 0, "exclusiveMinimum": True}),
        ({"maximum": -5, "exclusiveMaximum": -3}, {"maximum": -5}),
        ({"maximum": -3, "exclusiveMaximum": -5}, {"maximum": -5, "exclusiveMaximum": True}),
    ],
)
def test_of_two_limits_the_stricter_one_is_written(limits: Any, written: Any) -> None:
    schema = {"type": "object", "properties": {"x": {"type": "number", **limits}}}
    [lowered] = lower(schema, "openapi-3.0").schema["properties"].values()
    assert lowered == {"type": "number", **written}
