"""A quick look says where data hold no float for an integer; in doubt it says that they may."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given

from tests.schema.random_schemas import schemas, values
from toolhaft.schema.faults import SchemaRefused
from toolhaft.schema.floats import floats_for_integers
from toolhaft.schema.limits import faults_of
from toolhaft.schema.normalise import normalise
from toolhaft.schema.numbers import Numbers

INTEGER = {"type": "integer"}
NUMBER = {"type": "number"}


@pytest.mark.parametrize(
    ("schema", "data", "seen"),
    [
        ({"properties": {"n": INTEGER}}, {"n": 5.0}, True),
        ({"properties": {"n": INTEGER}}, {"n": 5, "x": 5.0}, False),
        ({"properties": {"n": INTEGER}}, [5.0], False),
        ({"properties": {"n": {"anyOf": [INTEGER, NUMBER]}}}, {"n": 5.0}, False),
        ({"properties": {"n": {"enum": [1, 2]}}}, {"n": 1.0}, True),
        ({"properties": {"a": {"properties": {"n": INTEGER}}}}, {"a": {"n": 1.0}}, True),
        ({"properties": {"a": {"items": INTEGER}}}, {"a": [1, "b", 2.0]}, True),
        ({"properties": {"a": {"items": INTEGER}}}, {"a": {"b": 2.0}}, False),
        ({"prefixItems": [NUMBER, INTEGER], "items": NUMBER}, [1.0, 1, 1.0], True),
        ({"prefixItems": [NUMBER, NUMBER], "items": NUMBER}, [1.0, 1, 1.0], False),
        ({"additionalProperties": INTEGER}, {"a": 1, "b": 2.0}, True),
        ({"patternProperties": {"^x": INTEGER}}, {"a": 2.0}, True),
        (INTEGER, 5.0, True),
        (True, 5.0, False),
        ({"type": "string"}, 5.0, False),
    ],
)
def test_a_float_is_seen_where_an_integer_may_be_asked_for(
    schema: Any, data: Any, seen: bool
) -> None:
    assert floats_for_integers(schema)([data]) is seen
    assert floats_for_integers(schema)([None, data, True]) is seen


def test_a_schema_that_holds_itself_is_looked_into_as_deep_as_the_data_are() -> None:
    tree = {"properties": {"n": INTEGER, "x": NUMBER, "sub": {"items": {"$ref": "#"}}}}
    look = floats_for_integers(tree)
    leaf = {"n": 1, "x": 5.0}
    assert look([{"sub": [leaf, {"sub": [leaf]}]}]) is False
    assert look([{"sub": [leaf, {"sub": [leaf, {"n": 5.0}]}]}]) is True
    assert look([{"sub": [{"n": 0.5}]}]) is False


def test_where_no_integer_is_asked_for_all_is_ruled_out() -> None:
    tree = {"properties": {"x": NUMBER, "sub": {"$ref": "#"}}}
    assert floats_for_integers(tree)([{"x": 5.0}]) is False


def test_of_a_schema_with_very_many_parts_nothing_is_ruled_out() -> None:
    for count, may_hold in ((900, False), (1_100, True)):  # each key is a node and a part
        texts = {f"k{n}": {"type": "string"} for n in range(count)}
        look = floats_for_integers({"properties": {"n": INTEGER, **texts}})
        assert look([{"n": "a"}]) is may_hold


def test_of_a_schema_whose_parts_multiply_nothing_is_ruled_out_in_no_time() -> None:
    again = {"properties": {"a": {"$ref": "#/$defs/x"}, "n": INTEGER}}
    forms = [{**again, "title": str(place)} for place in range(6)]
    for keyword in ("allOf", "anyOf"):
        root = {"$ref": "#/$defs/x", "$defs": {"x": {keyword: forms}}}
        assert floats_for_integers(root)([{"n": "a"}]) is False
        inner = {"items": {"$ref": "#/$defs/x"}, "properties": {"n": INTEGER}}
        lists = [{**inner, "title": str(place)} for place in range(6)]
        root = {"$ref": "#/$defs/x", "$defs": {"x": {keyword: lists}}}
        assert floats_for_integers(root)([{"n": "a"}]) is True


@given(schemas(), values())
@example(
    {
        "allOf": [{"items": INTEGER}, {"prefixItems": [NUMBER]}],
        "anyOf": [{"properties": {"a": NUMBER}}, {"additionalProperties": INTEGER}],
    },
    {"a": 1.0, "b": [1.0]},
)
def test_where_nothing_is_seen_every_number_stays_as_it_came(schema: Any, data: Any) -> None:
    root = normalise(schema)
    if faults_of(schema):
        return
    try:
        settled, lost = Numbers(root).settle(data)
    except SchemaRefused:
        return
    if settled is not data or lost:
        assert floats_for_integers(root)([data])
