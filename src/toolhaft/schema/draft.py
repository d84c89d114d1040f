"""Which draft of JSON Schema a schema is written in, and what that draft does not know yet."""

from __future__ import annotations

from typing import Any

__all__ = ["CURRENT", "CURRENT_URI", "DRAFT_4", "DRAFT_7", "draft_of", "unknown_to"]

DRAFT_4 = 4
DRAFT_7 = 7
CURRENT = 2020
CURRENT_URI = "https://json-schema.org/draft/2020-12/schema"

DRAFTS = {
    "http://json-schema.org/draft-04/schema": DRAFT_4,
    "http://json-schema.org/draft-06/schema": 6,
    "http://json-schema.org/draft-07/schema": DRAFT_7,
    "https://json-schema.org/draft/2019-09/schema": 2019,
    CURRENT_URI: CURRENT,
}
# The draft that brought a keyword, from the release notes of each draft on json-schema.org: an
# older schema that uses the word says nothing by it.
INTRODUCED = {
    "const": 6,
    "contains": 6,
    "propertyNames": 6,
    "if": 7,
    "then": 7,
    "else": 7,
    "dependentRequired": 2019,
    "dependentSchemas": 2019,
    "maxContains": 2019,
    "minContains": 2019,
    "unevaluatedItems": 2019,
    "unevaluatedProperties": 2019,
    "prefixItems": 2020,
}


def draft_of(schema: Any) -> int | None:
    """The draft that `$schema` names, as a number or a year; None where it names none we know.

    >>> draft_of({"$schema": "http://json-schema.org/draft-07/schema#"})
    7
    """
    uri = schema.get("$schema") if isinstance(schema, dict) else None
    return DRAFTS.get(uri.removesuffix("#")) if isinstance(uri, str) else None


def unknown_to(draft: int | None) -> frozenset[str]:
    """The keywords that a stated draft is too old for."""
    newer = (word for word, since in INTRODUCED.items() if draft and draft < since)
    return frozenset(newer)
