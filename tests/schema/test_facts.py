"""The facts of a schema are what its nodes say one by one."""

from __future__ import annotations

from typing import Any

from toolhaft.schema.facts import Facts, facts_of, facts_of_nodes
from toolhaft.schema.marks import MARK

NONE = frozenset[Any]()
NOTHING = Facts(
    NONE, NONE, NONE, (), NONE, ignores_keys=False, is_current=True, has_whole_bounds=False
)


def test_the_facts_of_all_nodes_are_one() -> None:
    schema = {
        "type": "object",
        "properties": {"n": {"$ref": "#/$defs/n"}, "at": {"pattern": "^a", MARK: {"open": True}}},
        "patternProperties": {"^x": {"minimum": 1.0, MARK: {"decimal": True, "extra": "ignore"}}},
        "$defs": {"n": {"$ref": "#/$defs/n"}},
    }
    words = {"type", "properties", "$ref", "pattern", MARK, "patternProperties", "minimum", "$defs"}
    assert facts_of(schema) == Facts(
        frozenset(words),
        frozenset({"open", "decimal", "extra"}),
        frozenset({("object",), ()}),
        ("#/$defs/n", "#/$defs/n"),
        frozenset({"^a", "^x"}),
        ignores_keys=True,
        is_current=True,
        has_whole_bounds=True,
    )


def test_no_nodes_say_nothing() -> None:
    assert facts_of_nodes([]) == facts_of(True) == NOTHING


def test_older_words_and_older_values_are_not_current() -> None:
    old: tuple[Any, ...] = (
        {"nullable": True},
        {"items": [{}]},
        {"exclusiveMinimum": True},
        {"$anchor": "a"},
    )
    assert [facts_of_nodes([True, node]).is_current for node in old] == [False] * 4
