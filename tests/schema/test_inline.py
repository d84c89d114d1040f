"""References that do not recurse are written out, and the same values are accepted."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.schema.random_schemas import schemas, values
from toolhaft.schema.checker import Checker
from toolhaft.schema.inline import inline_references
from toolhaft.schema.limits import faults_of
from toolhaft.schema.marks import without_marks


def inlined(schema: dict[str, Any]) -> Any:
    """Inline a schema, without the marks of definitions."""
    return without_marks(inline_references(schema))


PLACE = {"type": "object", "properties": {"city": {"type": "string"}}}


@pytest.mark.requirement("pain-15")
def test_a_definition_that_is_used_is_written_out() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/Place"}, "b": {"type": "integer"}},
        "$defs": {"Place": PLACE},
    }
    assert inlined(schema) == {
        "type": "object",
        "properties": {"a": PLACE, "b": {"type": "integer"}},
    }


@pytest.mark.requirement("pain-15")
def test_what_holds_itself_stays_a_definition() -> None:
    node = {"properties": {"at": {"$ref": "#/$defs/Place"}, "next": {"$ref": "#/$defs/Node"}}}
    schema = {"$ref": "#/$defs/Node", "$defs": {"Node": node, "Place": PLACE}}
    assert inlined(schema) == {
        "$ref": "#/$defs/Node",
        "$defs": {"Node": {"properties": {"at": PLACE, "next": {"$ref": "#/$defs/Node"}}}},
    }


def test_words_beside_a_reference_win_and_claims_beside_it_hold_too() -> None:
    schema = {
        "properties": {
            "said": {"$ref": "#/$defs/Size", "description": "Ours", "default": 3},
            "bound": {"$ref": "#/$defs/Size", "maximum": 5},
        },
        "$defs": {"Size": {"type": "integer", "description": "Any size"}},
    }
    assert inlined(schema)["properties"] == {
        "said": {"type": "integer", "description": "Ours", "default": 3},
        "bound": {"maximum": 5, "allOf": [{"type": "integer", "description": "Any size"}]},
    }


def test_no_place_shares_its_parts_with_another() -> None:
    schema = {
        "properties": {name: {"$ref": "#/$defs/Place"} for name in ("a", "b", "c")},
        "$defs": {"Place": {"type": "object", "properties": {"city": {"$ref": "#/$defs/City"}}},
                  "City": {"type": "string"}},
    }  # fmt: skip
    places = inline_references(schema)["properties"].values()
    assert len({id(place["properties"]["city"]) for place in places}) == len(places)


def test_definitions_that_double_are_left_without_being_written_out() -> None:
    twice = {f"D{n}": {"prefixItems": [{"$ref": f"#/$defs/D{n + 1}"}] * 2} for n in range(200)}
    schema = {"$ref": "#/$defs/D0", "$defs": {**twice, "D200": {"type": "string"}}}
    assert inline_references(schema) is schema


@pytest.mark.requirement("pain-34")
def test_properties_that_are_named_like_keywords_stay() -> None:
    schema = {
        "properties": {"$ref": {"$ref": "#/$defs/a~1b"}, "$defs": {"type": "null"}},
        "$defs": {"a/b": {"type": "string"}},
    }
    assert inlined(schema) == {
        "properties": {"$ref": {"type": "string"}, "$defs": {"type": "null"}}
    }


def test_a_schema_that_would_more_than_double_stays_as_it_is() -> None:
    wide = {"properties": {f"p{n}": {"type": "string"} for n in range(9)}}
    schema = {
        "properties": {f"q{n}": {"$ref": "#/$defs/Wide"} for n in range(9)},
        "$defs": {"Wide": wide},
    }
    assert inline_references(schema) is schema


def test_the_aid_for_references_goes_with_them() -> None:
    cat = {"properties": {"kind": {"const": "cat"}}}
    union = {
        "oneOf": [{"$ref": "#/$defs/Cat"}],
        "discriminator": {"propertyName": "kind", "mapping": {"cat": "#/$defs/Cat"}},
    }
    assert inlined({"properties": {"pet": union}, "$defs": {"Cat": cat}}) == {
        "properties": {"pet": {"oneOf": [cat]}}
    }


def test_a_reference_to_anything_else_is_left_alone() -> None:
    schema = {"properties": {"a": {"$ref": "#/properties/b"}, "b": {"type": "string"}}}
    whole: dict[str, Any] = {**schema, "$defs": {"d": {"type": "string"}}}
    assert inline_references(whole) == schema


def test_a_definition_stays_where_a_reference_leads_inside_of_it() -> None:
    definition = {"properties": {"x": {"type": "string"}}}
    schema: dict[str, Any] = {
        "properties": {"a": {"$ref": "#/$defs/d/properties/x"}, "b": {"$ref": "#/$defs/d"}},
        "$defs": {"d": definition},
    }
    assert inlined(schema) == schema


@pytest.mark.requirement("pain-34")
@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(schemas(), schemas(), st.lists(values(), min_size=4, max_size=8))
def test_the_same_values_are_accepted_before_and_after(
    meant: Any, beside: Any, data: list[Any]
) -> None:
    assume(isinstance(beside, dict) and "$ref" not in beside)
    schema = {
        "properties": {"a": {**beside, "$ref": "#/$defs/x"}},
        "items": {"$ref": "#/$defs/x"},
        "$defs": {"x": meant},
    }
    assume(faults_of(schema) == [])
    before, after = Checker(schema), Checker(inline_references(schema))
    for value in [*data, *({"a": one} for one in data), data]:
        assert before.is_valid(value) == after.is_valid(value)
