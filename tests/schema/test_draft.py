from __future__ import annotations

import re
from typing import Any

import pytest

from toolhaft import DefinitionError, Toolset, tool
from toolhaft.schema.draft import draft_of, unknown_to
from toolhaft.schema.limits import faults_of


@pytest.mark.parametrize(
    ("uri", "draft"),
    [
        ("http://json-schema.org/draft-04/schema#", 4),
        ("http://json-schema.org/draft-04/schema", 4),
        ("http://json-schema.org/draft-06/schema#", 6),
        ("http://json-schema.org/draft-07/schema", 7),
        ("https://json-schema.org/draft/2019-09/schema", 2019),
        ("https://json-schema.org/draft/2020-12/schema", 2020),
        ("https://json-schema.org/draft/2020-12/schema#", 2020),
        ("https://json-schema.org/draft-07/schema#", 7),
        ("http://json-schema.org/schema#", 2020),
        ("https://spec.openapis.org/oas/3.1/dialect/base", 2020),
        ("http://json-schema.org/draft-03/schema#", None),
        ("http://127.0.0.1:9/own.json", None),
        (3, None),
    ],
)
def test_the_draft_is_what_the_schema_names(uri: Any, draft: int | None) -> None:
    assert draft_of({"$schema": uri}) == draft


@pytest.mark.parametrize("schema", [{}, True, "x", None])
def test_a_schema_that_names_no_draft_has_none(schema: Any) -> None:
    assert draft_of(schema) is None


def test_a_draft_knows_only_the_words_of_its_time() -> None:
    assert unknown_to(None) == unknown_to(2020) == frozenset()
    assert unknown_to(2019) == {"prefixItems"}
    assert "$anchor" in unknown_to(7)
    assert {"if", "prefixItems", "dependentRequired"} <= unknown_to(6)
    assert "const" not in unknown_to(6)
    assert "const" in unknown_to(4)


@pytest.mark.requirement("schema-dialects")
@pytest.mark.parametrize(
    ("node", "where"),
    [
        ({"$schema": "https://example.com/own"}, "$schema"),
        ({"$schema": ""}, "$schema"),
        ({"$vocabulary": {}}, "$vocabulary"),
    ],
)
def test_a_foreign_dialect_is_refused_where_a_tool_is_defined(node: Any, where: str) -> None:
    for schema, pointer in (
        ({"type": "object", **node}, f"/{where}"),
        ({"type": "object", "properties": {"a": node}}, f"/properties/a/{where}"),
    ):
        with pytest.raises(DefinitionError, match=rf"JSON Schema: {re.escape(pointer)}: "):
            Toolset([tool(lambda arguments: None, name="p", description="d", input=schema)])


@pytest.mark.requirement("schema-dialects")
def test_a_property_or_a_constant_named_so_says_nothing() -> None:
    data = {"$schema": "https://example.com/own", "$vocabulary": {}}
    schema = {"type": "object", "properties": {"$vocabulary": {}, "a": {"const": data}}}
    assert faults_of(schema) == []


def test_parts_of_other_drafts_are_read_as_the_whole() -> None:
    part = {"$schema": "http://json-schema.org/draft-04/schema#"}
    assert faults_of({"type": "object", "properties": {"a": part}}) == []
