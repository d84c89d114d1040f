from __future__ import annotations

from typing import Any

import pytest

from toolhaft.schema.explain.explainer import explain


def told(schema: Any, value: Any) -> list[str]:
    return [f"{f.issue.code} {f.issue}" for f in explain(schema, value)]


def test_each_missing_key_is_an_issue() -> None:
    schema = {"required": ["a", "b", "c"]}
    assert told(schema, {"b": 1}) == ["missing a: required", "missing c: required"]
    assert told(schema, {"a": 1, "b": 1, "c": None}) == []
    assert told(schema, []) == []


def test_a_key_may_demand_others() -> None:
    schema = {"dependentRequired": {"card": ["name", "city"]}}
    assert told(schema, {}) == []
    assert told(schema, {"card": 1, "city": 1}) == ["missing name: required, because card is given"]


def test_a_key_may_demand_something_of_the_whole() -> None:
    schema = {"dependentSchemas": {"a": {"properties": {"b": {"type": "null"}}}}}
    assert told(schema, {"b": 1}) == []
    assert told(schema, {"a": 1, "b": 1}) == [
        "type b: expected null, received integer, because a is given"
    ]


def test_keys_are_counted() -> None:
    schema = {"minProperties": 1, "maxProperties": 2}
    assert told(schema, {}) == ["value expected at least 1 key"]
    assert told(schema, {"a": 1, "b": 1, "c": 1}) == ["value expected at most 2 keys"]


def test_a_key_is_unknown_where_nothing_declares_it() -> None:
    schema = {
        "properties": {"a": {}},
        "patternProperties": {"^x-": {"type": "null"}},
        "additionalProperties": False,
    }
    assert told(schema, {"a": 1, "x-y": None}) == []
    assert told(schema, {"x-y": 1, "y": 1}) == [
        "type x-y: expected null, received integer",
        "extra y: unknown (allowed: a, keys that match ^x-)",
    ]


def test_further_keys_may_have_a_schema() -> None:
    schema = {
        "properties": {"a": {}},
        "additionalProperties": {"type": "integer"},
        "required": ["b"],
    }
    [found] = explain(schema, {"a": "x", "b": "x"})
    assert (str(found.issue), found.required) == ("b: expected integer, received string", True)


def test_keys_have_a_schema_of_their_own() -> None:
    schema = {"propertyNames": {"maxLength": 2, "pattern": "^a"}}
    assert told(schema, {"ab": 1}) == []
    assert told(schema, {"abc": 1}) == ["extra abc: keys must have at most 2 characters"]
    assert told({"propertyNames": {"enum": ["a"]}}, {"b": 1}) == ['extra b: keys must be "a"']


def test_a_key_and_its_value_are_not_taken_for_each_other() -> None:
    word = {"anyOf": [{"const": "a"}, {"const": "b"}]}
    schema = {"propertyNames": {"$ref": "#/$defs/w"}, "additionalProperties": {"$ref": "#/$defs/w"},
              "$defs": {"w": word}}  # fmt: skip
    assert told(schema, {"a": "b"}) == []
    assert told(schema, {"a": "c"}) == ['enum a: expected one of "a", "b"']


@pytest.mark.requirement("pain-02")
def test_a_near_name_is_suggested_for_the_first_keys_only_and_never_one_that_is_taken() -> None:
    schema = {
        "properties": {"file_path": {}, "limit": {}, "offset": {}},
        "additionalProperties": False,
    }
    wrong = {"filepath": 1, "limit": 1, "Limit": 1, "zzz": 1}
    assert told(schema, wrong) == [
        "extra filepath: unknown (did you mean file_path?)",
        "extra Limit: unknown (allowed: file_path, limit, offset)",
        "extra zzz: unknown (allowed: file_path, limit, offset)",
    ]
    many = told(schema, {f"ofset{n}": 1 for n in range(14)})
    assert many[:10] == [f"extra ofset{n}: unknown (did you mean offset?)" for n in range(10)]
    assert many[10:] == [
        f"extra ofset{n}: unknown (allowed: file_path, limit, offset)" for n in range(10, 14)
    ]


SIGNATURE = {
    "type": "object",
    "properties": {"a": {"type": "string"}},
    "required": ["a"],
    "additionalProperties": False,
}


@pytest.mark.requirement("explain-wrapped")
@pytest.mark.parametrize("wrapper", ["arguments", "parameters"])
def test_a_call_that_was_sent_whole_gets_a_hint(wrapper: str) -> None:
    assert told(SIGNATURE, {"name": "f", wrapper: {"a": "x"}}) == [
        "missing a: required",
        "extra name: unknown",
        f"extra {wrapper}: unknown; send its members at the top level",
    ]


@pytest.mark.parametrize(
    "value", [{"a": "x", "arguments": {"a": "x"}}, {"arguments": "x"}, {"b": {"c": "x"}}]
)
def test_other_unknown_keys_get_no_such_hint(value: Any) -> None:
    assert not any("send its members" in words for words in told(SIGNATURE, value))


def test_below_the_root_there_is_no_call_to_unwrap() -> None:
    assert told({"properties": {"x": SIGNATURE}}, {"x": {"arguments": {}}}) == [
        "missing x.a: required",
        "extra x.arguments: unknown",
    ]


def test_a_key_that_a_schema_beside_looks_at_is_evaluated() -> None:
    schema = {
        "allOf": [{"properties": {"a": {}}}, {"$ref": "#/$defs/b"}],
        "unevaluatedProperties": False,
        "$defs": {"b": {"properties": {"b": {}}}},
    }
    assert told(schema, {"a": 1, "b": 1}) == []
    assert told(schema, {"a": 1, "c": 1}) == ["extra c: unknown"]


def test_unevaluated_keys_may_have_a_schema() -> None:
    schema = {"properties": {"a": {}}, "unevaluatedProperties": {"type": "null"}}
    assert told(schema, {"a": 1, "b": 1}) == ["type b: expected null, received integer"]


def test_of_many_keys_that_may_be_given_or_left_out_four_are_named() -> None:
    keys: dict[str, Any] = {key: {} for key in "abcdef"}
    closed = {"properties": keys, "minProperties": 1, "additionalProperties": False}
    assert told(closed, {}) == ["value expected at least 1 key, such as a, b, c or d"]
    assert told({"properties": keys, "minProperties": 1}, {}) == [
        "value expected at least 1 key, such as a, b, c, d or any other"
    ]
    assert told({"properties": keys, "maxProperties": 1}, dict.fromkeys(keys, 1)) == [
        "value expected at most 1 key: leave out 5 of a, b, c, d, …"
    ]
