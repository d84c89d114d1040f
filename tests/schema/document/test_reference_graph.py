"""Recursion, use, and the size of a schema with its references written out."""

from __future__ import annotations

from typing import Any

import pytest

from toolhaft.schema.document.reference_graph import ReferenceGraph
from toolhaft.schema.faults import SchemaRefused

CHAIN: dict[str, Any] = {
    "properties": {"first": {"$ref": "#/$defs/a"}, "again": {"$ref": "#/%24defs/a"}},
    "$defs": {
        "a": {"items": {"$ref": "#/$defs/b"}},
        "b": {"properties": {"up": {"$ref": "#/$defs/a"}, "end": {"$ref": "#/$defs/c~1d"}}},
        "c/d": {"type": "string"},
        "unused": {"$ref": "#/$defs/unused"},
    },
}


def test_only_what_the_root_leads_to_is_in_the_graph_each_target_under_one_spelling() -> None:
    assert ReferenceGraph(CHAIN).edges == {
        "": ["/$defs/a", "/$defs/a"],
        "/$defs/a": ["/$defs/b"],
        "/$defs/b": ["/$defs/c~1d", "/$defs/a"],
        "/$defs/c~1d": [],
    }


def test_a_definition_recurs_where_it_leads_back_to_itself_however_far_around() -> None:
    assert ReferenceGraph(CHAIN).recursive == {"/$defs/a", "/$defs/b"}


def test_a_root_that_holds_itself_recurs() -> None:
    assert ReferenceGraph({"items": {"$ref": "#"}}).recursive == {""}


def test_a_schema_that_more_than_doubles_when_written_out_is_not_small() -> None:
    wide = {"properties": {str(n): {"type": "string"} for n in range(9)}}
    few = {"properties": {"a": {"$ref": "#/$defs/w"}}, "$defs": {"w": wide}}
    many = {"properties": {n: {"$ref": "#/$defs/w"} for n in "abcd"}, "$defs": {"w": wide}}
    assert [ReferenceGraph(schema).is_small_inlined for schema in (few, many)] == [True, False]


def test_a_reference_to_nothing_is_refused() -> None:
    with pytest.raises(SchemaRefused, match="no schema at"):
        ReferenceGraph({"$ref": "#/$defs/gone"})
