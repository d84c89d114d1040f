"""The facts of a schema are what its nodes say one by one."""

from __future__ import annotations

from typing import Any

from toolhaft.schema.document.walk import nodes_of
from toolhaft.schema.facts import Facts, facts_of
from toolhaft.schema.marks import MARK

NOTHING = Facts(frozenset(), frozenset(), (), frozenset(), is_current=True, has_whole_bounds=False)


def test_the_facts_of_all_nodes_are_one() -> None:
    schema = {
        "type": "object",
        "properties": {"n": {"$ref": "#/$defs/n"}, "at": {"pattern": "^a", MARK: {"open": True}}},
        "patternProperties": {"^x": {"minimum": 1.0, MARK: {"decimal": True}}},
        "$defs": {"n": {"$ref": "#/$defs/n"}},
    }
    words = {"type", "properties", "$ref", "pattern", MARK, "patternProperties", "minimum", "$defs"}
    assert facts_of(nodes_of(schema)) == Facts(
        frozenset(words),
        frozenset({"open", "decimal"}),
        ("#/$defs/n", "#/$defs/n"),
        frozenset({"^a", "^x"}),
        is_current=True,
        has_whole_bounds=True,
    )


def test_no_nodes_say_nothing() -> None:
    assert facts_of([]) == facts_of([True, False]) == NOTHING


def test_older_words_and_older_values_are_not_current() -> None:
    old: tuple[Any, ...] = (
        {"nullable": True},
        {"items": [{}]},
        {"exclusiveMinimum": True},
        {"$anchor": "a"},
    )
    assert [facts_of([True, node]).is_current for node in old] == [False] * 4


def test_what_is_no_schema_is_read_as_far_as_it_goes() -> None:
    assert facts_of([{MARK: 5}, {"patternProperties": 5, "pattern": 1}, "x", 7]).patterns == set()
