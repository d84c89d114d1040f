"""A schema of arguments is written under other names, wherever it says something of them."""

from __future__ import annotations

from typing import Any

import pytest

from toolhaft.schema.rename_properties import Unreadable, rename_properties


def under_new_names(schema: Any) -> Any:
    """`q` is `query`, `key` is hidden, `n` has a default."""
    return rename_properties(schema, {"q": "query"}, {"key"}, {"n"})


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (True, True),
        ({"type": "object", "title": "q"}, {"type": "object", "title": "q"}),
        (
            {"properties": {"a": {"properties": {"q": {}}}, "q": {}, "key": {}, "n": {}}},
            {"properties": {"a": {"properties": {"q": {}}}, "query": {}, "n": {}}},
        ),
        ({"required": ["n", "q", "key", "a"]}, {"required": ["query", "a"]}),
        (
            {"anyOf": [{"required": ["q"]}, {"required": ["key"]}], "not": {"required": ["q"]}},
            {"anyOf": [{"required": ["query"]}, {"required": []}], "not": {"required": ["query"]}},
        ),
        (
            {
                "if": {"properties": {"q": {"const": 1}}},
                "then": {"required": ["a"]},
                "else": False,
            },
            {
                "if": {"properties": {"query": {"const": 1}}},
                "then": {"required": ["a"]},
                "else": False,
            },
        ),
        (
            {"dependentRequired": {"q": ["key", "a"], "key": ["q"]}},
            {"dependentRequired": {"query": ["a"]}},
        ),
        (
            {"dependentSchemas": {"q": {"required": ["q"]}, "key": True}},
            {"dependentSchemas": {"query": {"required": ["query"]}}},
        ),
        ({"minProperties": 1, "maxProperties": 3}, {"minProperties": 0, "maxProperties": 2}),
    ],
)
def test_names_change_wherever_the_arguments_are_meant(schema: Any, expected: Any) -> None:
    assert under_new_names(schema) == expected


@pytest.mark.parametrize("keyword", ["$ref", "patternProperties", "propertyNames", "dependencies"])
def test_what_goes_by_names_otherwise_stands_in_the_way(keyword: str) -> None:
    with pytest.raises(Unreadable) as raised:
        under_new_names({"allOf": [{keyword: {}}]})
    assert raised.value.keyword == keyword
    assert rename_properties({keyword: {}, "required": ["n"]}, {}, set(), {"n"}) == {
        keyword: {},
        "required": [],
    }
