from __future__ import annotations

from typing import Any

from toolhaft.schema.explain.explainer import explain


def told(schema: Any, value: Any) -> list[str]:
    return [f"{f.issue.code} {f.issue}" for f in explain(schema, value)]


def test_items_are_checked_by_place() -> None:
    schema = {"prefixItems": [{"type": "string"}, {"type": "integer"}], "items": {"type": "null"}}
    assert told(schema, ["x"]) == []
    assert told(schema, [1, 1, 1, None]) == [
        "type 0: expected string, received integer",
        "type 2: expected null, received integer",
    ]


def test_a_tuple_may_be_closed() -> None:
    schema = {"prefixItems": [{}, {}], "items": False}
    assert told(schema, [1, 2]) == []
    assert told(schema, [1, 2, 3]) == ["value expected array [a value, a value]"]
    assert told({"items": False}, [1]) == ["value expected an empty array"]


def test_items_are_counted() -> None:
    schema = {"minItems": 1, "maxItems": 1}
    assert told(schema, []) == ["value expected at least 1 item"]
    assert told(schema, [1, 2]) == ["value expected at most 1 item"]


def test_some_items_may_have_to_match() -> None:
    schema = {"contains": {"type": "string"}, "maxContains": 2}
    assert told(schema, [1, "x"]) == []
    assert told(schema, [1]) == ["value expected at least 1 matching item"]
    assert told(schema, ["x", "x", "x"]) == ["value expected at most 2 matching items"]
    assert told({**schema, "minContains": 0}, []) == []


def test_equal_items_are_duplicates() -> None:
    schema = {"uniqueItems": True}
    different: list[list[Any]] = [[1, True], ["1", 1], [[1], [True]], [{"a": 1}, {"a": 2}]]
    for value in [*different, [None, False, 0]]:
        assert told(schema, value) == []
    equal: list[list[Any]] = [[1, 1.0], [{"a": 1, "b": 2}, {"b": 2, "a": 1}], [[[1]], [[1.0]]]]
    for value in equal:
        assert told(schema, value) == ["value expected no duplicate items"]
    assert told({"uniqueItems": False}, [1, 1]) == []


def test_many_items_are_compared_in_linear_time() -> None:
    items: list[Any] = [{"a": n, "b": [n]} for n in range(20_000)]
    assert told({"uniqueItems": True}, items) == []
    assert told({"uniqueItems": True}, [*items, {"b": [7], "a": 7}]) == [
        "value expected no duplicate items"
    ]


def test_items_that_no_schema_looks_at_are_unevaluated() -> None:
    schema = {
        "anyOf": [{"prefixItems": [{"const": 1}]}, {"contains": {"type": "string"}}],
        "unevaluatedItems": False,
    }
    assert told(schema, [1]) == []
    assert told(schema, [1, "x"]) == []
    assert told(schema, [2, "x"]) == ["value 0: expected no value"]
