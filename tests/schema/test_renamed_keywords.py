"""The keywords that go by the names of properties are written under other names."""

from __future__ import annotations

from typing import Any

import pytest

from toolhaft.schema.renamed_keywords import Unreadable, rename_keywords


def under_new_names(schema: dict[str, Any]) -> Any:
    """`q` is `query`, `key` is hidden, `n` has a default."""
    return rename_keywords(schema, {"q": "query"}, {"key"}, {"n"})


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "object", "title": "q"}, {"type": "object", "title": "q"}),
        (
            {"properties": {"a": {"properties": {"q": {}}}, "q": {}, "key": {}, "n": {}}},
            {"properties": {"a": {"properties": {"q": {}}}, "query": {}, "n": {}}},
        ),
        ({"required": ["n", "q", "key", "a"]}, {"required": ["query", "a"]}),
        (
            {"dependentRequired": {"q": ["key", "a"], "key": ["q"]}},
            {"dependentRequired": {"query": ["a"]}, "required": ["query"]},
        ),
        (
            {"dependentSchemas": {"q": {"minProperties": 2}, "key": {"maxProperties": 9}}},
            {
                "dependentSchemas": {"query": {"minProperties": 2}},
                "allOf": [{"maxProperties": 9}],
            },
        ),
        ({"minProperties": 1, "maxProperties": 3}, {"minProperties": 0, "maxProperties": 2}),
    ],
)
def test_names_change_wherever_a_keyword_goes_by_them(
    schema: dict[str, Any], expected: dict[str, Any]
) -> None:
    assert under_new_names(schema) == expected


@pytest.mark.parametrize(
    "keyword", ["$dynamicRef", "patternProperties", "propertyNames", "dependencies"]
)
def test_what_goes_by_names_otherwise_stands_in_the_way(keyword: str) -> None:
    with pytest.raises(Unreadable) as raised:
        under_new_names({keyword: {}})
    assert raised.value.keyword == keyword
    assert rename_keywords({keyword: {}, "required": ["n"]}, {}, set(), {"n"}) == {
        keyword: {},
        "required": [],
    }
