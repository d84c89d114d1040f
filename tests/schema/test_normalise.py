from __future__ import annotations

import copy
import json
from typing import Any

import jsonschema_rs
import pytest

from toolhaft.schema.draft import CURRENT_URI
from toolhaft.schema.faults import SchemaFault, SchemaRefused
from toolhaft.schema.limits import faults_of
from toolhaft.schema.normalise import normalise

DRAFT_4 = "http://json-schema.org/draft-04/schema#"
DRAFT_7 = "http://json-schema.org/draft-07/schema#"
DRAFT_2019 = "https://json-schema.org/draft/2019-09/schema"
CURRENT = "https://json-schema.org/draft/2020-12/schema"


def refusal(schema: Any) -> list[SchemaFault]:
    with pytest.raises(SchemaRefused) as refused:
        normalise(schema)
    return list(refused.value.faults)


@pytest.mark.parametrize(
    "schema",
    [
        {},
        True,
        False,
        {"type": "object", "properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {}}},
        {"$schema": CURRENT, "$id": "https://example.com/x", "prefixItems": [{}], "items": False},
        {"properties": {"definitions": {}, "nullable": {}, "$ref": {}, "$anchor": {}, "id": {}}},
        {"default": {"$ref": "http://x", "definitions": {}}, "enum": [{"nullable": True}]},
        {"$schema": CURRENT, "nullable": True, "type": "string"},
        {"properties": {"a": {"$id": "a.json"}}},
    ],
)
def test_a_schema_that_needs_nothing_is_itself(schema: Any) -> None:
    assert normalise(schema) is schema


@pytest.mark.requirement("schema-normal-form")
@pytest.mark.parametrize(
    ("old", "new"),
    [
        # definitions move, and what refers to them follows
        (
            {"definitions": {"a b": {"type": "null"}}, "$ref": "#/definitions/a%20b"},
            {"$defs": {"a b": {"type": "null"}}, "$ref": "#/$defs/a%20b"},
        ),
        (
            {"items": {"definitions": {"n": {}}, "not": {"$ref": "#/items/definitions/n"}}},
            {"items": {"$defs": {"n": {}}, "not": {"$ref": "#/items/$defs/n"}}},
        ),
        # tuples
        (
            {"items": [{"const": 1}, True], "additionalItems": False},
            {"prefixItems": [{"const": 1}, True], "items": False},
        ),
        ({"items": [], "additionalItems": {"const": 1}}, {"items": {"const": 1}}),
        ({"items": {}, "additionalItems": False}, {"items": {}}),
        (
            {"items": [{}, {"$ref": "#/items/0"}], "additionalItems": {"$ref": "#/items/1"}},
            {
                "prefixItems": [{}, {"$ref": "#/prefixItems/0"}],
                "items": {"$ref": "#/prefixItems/1"},
            },
        ),
        # dependencies
        (
            {"dependencies": {"a": ["b"], "c": {"required": ["d"]}}},
            {"dependentRequired": {"a": ["b"]}, "dependentSchemas": {"c": {"required": ["d"]}}},
        ),
        ({"dependencies": {}}, {}),
        # draft 4's flags
        ({"minimum": 1, "exclusiveMinimum": True}, {"exclusiveMinimum": 1}),
        ({"maximum": 1, "exclusiveMaximum": False}, {"maximum": 1}),
        ({"exclusiveMaximum": True}, {}),
        # OpenAPI 3.0
        ({"type": "string", "nullable": True}, {"type": ["string", "null"]}),
        ({"type": ["null", "string"], "nullable": True}, {"type": ["null", "string"]}),
        ({"nullable": True, "enum": [1]}, {"enum": [1]}),
        ({"type": "string", "nullable": False}, {"type": "string"}),
        # a reference that some engines cannot read
        (
            {"$defs": {"a b": {}}, "items": {"$ref": "#/$defs/a b"}},
            {"$defs": {"a b": {}}, "items": {"$ref": "#/$defs/a%20b"}},
        ),
        # an identifier that some engines cannot read
        ({"$id": "Some Name", "type": "null"}, {"type": "null"}),
        ({"$id": "#root", "type": "null"}, {"type": "null"}),
    ],
)
def test_older_spellings_say_the_same_in_todays_words(old: Any, new: Any) -> None:
    before = copy.deepcopy(old)
    assert json.dumps(normalise(old)) == json.dumps(new)
    assert old == before
    assert faults_of(old) == []


@pytest.mark.requirement("schema-normal-form")
@pytest.mark.parametrize(
    ("old", "new"),
    [
        # up to draft 7 a reference stands alone
        (
            {"$schema": DRAFT_7, "$ref": "#/definitions/a", "minimum": 1, "title": "A",
             "definitions": {"a": {}}},
            {"$schema": CURRENT, "$ref": "#/$defs/a", "title": "A", "$defs": {"a": {}}},
        ),
        # from 2019-09 on it does not
        (
            {"$schema": DRAFT_2019, "$ref": "#/$defs/a", "minimum": 1, "$defs": {"a": {}}},
            {"$schema": CURRENT, "$ref": "#/$defs/a", "minimum": 1, "$defs": {"a": {}}},
        ),
        # words that the draft does not know have no meaning
        (
            {"$schema": DRAFT_7, "prefixItems": [False], "unevaluatedItems": False},
            {"$schema": CURRENT},
        ),
        ({"$schema": DRAFT_4, "const": 1, "if": False, "id": "x"}, {"$schema": CURRENT}),
        # nullable is OpenAPI's word only
        (
            {"$schema": DRAFT_7, "type": "string", "nullable": True},
            {"$schema": CURRENT, "type": "string", "nullable": True},
        ),
        ({"$schema": DRAFT_7, "$id": "#frag", "items": {"$id": "#/items"}},
         {"$schema": CURRENT, "items": {}}),
    ],
)  # fmt: skip
def test_the_draft_that_the_schema_names_is_respected(old: Any, new: Any) -> None:
    assert json.dumps(normalise(old)) == json.dumps(new)


@pytest.mark.requirement("schema-normal-form")
def test_an_exclusive_flag_in_a_draft_that_wants_a_number_is_a_fault() -> None:
    schema = {"$schema": CURRENT, "minimum": 1, "exclusiveMinimum": True}
    assert faults_of(schema) == [
        SchemaFault("/exclusiveMinimum", "malformed exclusiveMinimum", "write a number")
    ]


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"$schema": DRAFT_4, "minimum": 5, "exclusiveMinimum": True}, 5),
        ({"$schema": DRAFT_4, "maximum": 5, "exclusiveMaximum": False}, 5),
        ({"$schema": DRAFT_4, "dependencies": {"a": ["b"]}}, {"a": 1}),
    ],
)
def test_draft_4_means_the_same_afterwards(schema: Any, value: Any) -> None:
    old = jsonschema_rs.Draft4Validator(schema)
    new = jsonschema_rs.Draft202012Validator(normalise(schema))
    assert new.is_valid(value) == old.is_valid(value)


def test_definitions_stay_where_both_words_are_used() -> None:
    schema = {
        "definitions": {"a": {"items": [{}]}},
        "$defs": {"a": {"$ref": "#/definitions/a/items/0"}},
    }
    assert normalise(schema) == {
        "definitions": {"a": {"prefixItems": [{}]}},
        "$defs": {"a": {"$ref": "#/definitions/a/prefixItems/0"}},
    }


@pytest.mark.requirement("schema-anchors")
@pytest.mark.parametrize(
    ("schema", "normal"),
    [
        (
            {"items": {"$ref": "#n"}, "$defs": {"a b": {"$anchor": "n", "type": "integer"}}},
            {"items": {"$ref": "#/$defs/a%20b"}, "$defs": {"a b": {"type": "integer"}}},
        ),
        (
            {"$anchor": "all", "properties": {"inner": {"$ref": "#all"}}},
            {"properties": {"inner": {"$ref": "#"}}},
        ),
        (
            {"items": [{"$anchor": "n"}], "additionalItems": {"$ref": "#n"}},
            {"prefixItems": [{}], "items": {"$ref": "#/prefixItems/0"}},
        ),
        (
            {"$schema": DRAFT_7, "items": {"$ref": "#n"}, "definitions": {"a": {"$id": "#n"}}},
            {"$schema": CURRENT_URI, "items": {"$ref": "#/$defs/a"}, "$defs": {"a": {}}},
        ),
        (
            {"$schema": DRAFT_4, "items": {"$ref": "#n"}, "definitions": {"a": {"id": "#n"}}},
            {"$schema": CURRENT_URI, "items": {"$ref": "#/$defs/a"}, "$defs": {"a": {}}},
        ),
    ],
)
def test_a_reference_to_an_anchor_is_a_pointer(schema: Any, normal: Any) -> None:
    assert normalise(schema) == normal


@pytest.mark.requirement("schema-anchors")
@pytest.mark.parametrize(
    ("schema", "pointer", "reason"),
    [
        ({"items": {"$ref": "#n"}}, "/items", "no schema at $ref #n"),
        (
            {"anyOf": [{"$anchor": "n"}, {"$anchor": "n"}]},
            "/anyOf/1",
            "another schema has the same $anchor",
        ),
        (
            {"items": {"$ref": "#n"}, "$defs": {"a": {"$id": "other", "$anchor": "n"}}},
            "/items",
            "no schema at $ref #n",
        ),
        (
            {"$schema": DRAFT_7, "items": {"$ref": "#n"}, "definitions": {"a": {"$anchor": "n"}}},
            "/items",
            "no schema at $ref #n",
        ),
    ],
)
def test_an_anchor_that_names_nothing_or_two_is_refused(
    schema: Any, pointer: str, reason: str
) -> None:
    assert [(fault.pointer, fault.reason) for fault in refusal(schema)] == [(pointer, reason)]


@pytest.mark.requirement("schema-refs-local")
def test_every_reference_to_elsewhere_is_named_at_once() -> None:
    schema = {
        "properties": {"a": {"$ref": "https://example.com/a"}, "b": {"$dynamicRef": "#x"}},
        "$defs": {"c": {"$ref": "#/$defs/gone"}, "d": {"$dynamicAnchor": "d"}},
    }
    assert [(fault.pointer, fault.reason) for fault in refusal(schema)] == [
        ("/properties/a", "$ref points outside this schema: https://example.com/a"),
        ("/properties/b", "$dynamicRef is not supported"),
        ("/$defs/d", "$dynamicAnchor is not supported"),
        ("/$defs/c", "no schema at $ref #/$defs/gone"),
    ]


@pytest.mark.parametrize(
    ("schema", "pointer"),
    [
        ({"items": {"$id": "x.json", "not": {"$ref": "#/$defs/a"}, "$defs": {"a": {}}},
          "$defs": {"a": {}}}, "/items"),
        ({"$schema": DRAFT_4, "items": {"id": "x.json", "not": {"$ref": "#"}}}, "/items"),
    ],
)  # fmt: skip
def test_a_reference_below_an_identifier_is_refused(schema: Any, pointer: str) -> None:
    [fault] = refusal(schema)
    assert (fault.pointer, fault.fix) == (pointer, "drop the identifier")


@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        ({"dependencies": {"a": ["b"]}, "dependentRequired": {"a": ["c"]}},
         "dependencies stands beside dependentRequired"),
        ({"dependencies": {"a": {}}, "dependentSchemas": {"a": {}}},
         "dependencies stands beside dependentSchemas"),
        ({"items": [{}], "prefixItems": [{}]}, "items stands beside prefixItems"),
    ],
)  # fmt: skip
def test_an_old_word_beside_its_successor_is_refused(schema: Any, reason: str) -> None:
    [fault] = refusal(schema)
    assert fault.reason == reason
    assert faults_of(schema) == [fault]


@pytest.mark.parametrize(
    "schema",
    [{"items": "x"}, {"allOf": 3}, {"dependencies": [1]}, {"properties": {"a": 4}}, "x", None, 5],
)
def test_what_is_malformed_stays_as_it_is(schema: Any) -> None:
    assert normalise(schema) is schema
