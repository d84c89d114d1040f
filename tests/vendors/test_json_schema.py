"""A raw JSON Schema is its own validator, and goes out as it came."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import pytest

from toolhaft import tool
from toolhaft.spec import Failure, Success
from toolhaft.vendors import json_schema
from toolhaft.vendors.adapter import NoVendor

SCHEMA: dict[str, Any] = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "title": "Search",
    "type": "object",
    "properties": {"q": {"type": "string"}, "size": {"type": "integer", "default": 10}},
    "required": ["q"],
}


@pytest.mark.requirement("vendor-json-schema-as-given")
def test_the_schema_goes_out_equal_and_in_its_order() -> None:
    adapter = json_schema.adapter(SCHEMA)
    for mode in ("input", "output"):
        made = adapter.json_schema(mode=mode)
        assert made == SCHEMA
        assert list(made) == list(SCHEMA)
        assert made is not SCHEMA


def test_changing_the_given_or_the_emitted_schema_changes_nothing() -> None:
    given: dict[str, Any] = {"type": "object", "properties": {"n": {"type": "integer"}}}
    adapter = json_schema.adapter(given)
    given["properties"]["n"]["type"] = "string"
    adapter.json_schema()["properties"].clear()
    assert isinstance(adapter.validate({"n": "x"}), Failure)
    assert adapter.emit("input")["properties"] == {"n": {"type": "integer"}}


def test_the_value_is_the_data_and_no_default_is_filled_in() -> None:
    adapter = json_schema.adapter(SCHEMA)
    data = {"q": "x"}
    assert adapter.construct(data) is data
    assert adapter.dump(data) is data
    assert adapter.is_instance(data)
    result = adapter.validate(data)
    assert isinstance(result, Success)
    assert result.value == {"q": "x"}


def test_everything_wrong_is_found() -> None:
    result = json_schema.adapter(SCHEMA).validate({"size": "10"})
    assert isinstance(result, Failure)
    assert {str(issue) for issue in result.issues} == {
        "q: required",
        "size: expected integer, received string",
    }


def test_a_read_only_mapping_is_a_schema_too() -> None:
    assert json_schema.owns(MappingProxyType(SCHEMA))
    assert json_schema.adapter(MappingProxyType(SCHEMA)).emit("input") == SCHEMA


@pytest.mark.parametrize("tp", [{1: "a"}, [], "x", True, None, dict])
def test_only_a_mapping_of_text_keys_is_a_schema(tp: object) -> None:
    assert not json_schema.owns(tp)


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({}, "the JSON Schema is empty; describe the values"),
        ({"city": {"type": "string"}}, "is empty; describe the values; parameters stand under"),
        ({"type": "objekt"}, "/type"),
        ({"$ref": "https://example.com/x.json"}, "$ref"),
        ({"properties": {"n": {"type": "integer"}}, "required": "n"}, "/required"),
    ],
)
def test_a_schema_that_cannot_be_checked_is_refused(schema: Any, words: str) -> None:
    with pytest.raises(NoVendor) as caught:
        json_schema.adapter(schema)
    assert words in str(caught.value)


@pytest.mark.parametrize("extra", ["ignore", "forbid"])
def test_formats_are_not_asserted_under_any_policy_for_undeclared_keys(extra: Any) -> None:
    day = {"type": "string", "format": "date"}
    schema = {"type": "object", "properties": {"day": day}, "additionalProperties": False}
    made: Any = tool(lambda a: a, name="f", description="F.", input=schema, extra=extra)
    assert made.call_sync({"day": "today"}).unwrap() == {"day": "today"}
