from __future__ import annotations

from typing import Any

import pytest

from toolhaft.schema.draft import draft_of, unknown_to


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
    assert {"if", "prefixItems", "dependentRequired"} <= unknown_to(6)
    assert "const" not in unknown_to(6)
    assert "const" in unknown_to(4)
