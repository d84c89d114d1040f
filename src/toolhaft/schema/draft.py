"""Which draft of JSON Schema a schema is written in, and what that draft does not know yet."""

from __future__ import annotations

from typing import Any

__all__ = ["CURRENT", "CURRENT_URI", "DRAFT_4", "DRAFT_7", "draft_of", "foreign_dialect"]
__all__ += ["unknown_to"]

DRAFT_4 = 4
DRAFT_7 = 7
CURRENT = 2020
CURRENT_URI = "https://json-schema.org/draft/2020-12/schema"

# Without their scheme, which is often written wrong. The last two are today's: "the newest", and
# OpenAPI 3.1's own, which adds annotations.
DRAFTS = {
    "json-schema.org/draft-04/schema": DRAFT_4,
    "json-schema.org/draft-06/schema": 6,
    "json-schema.org/draft-07/schema": DRAFT_7,
    "json-schema.org/draft/2019-09/schema": 2019,
    "json-schema.org/draft/2020-12/schema": CURRENT,
    "json-schema.org/schema": CURRENT,
    "spec.openapis.org/oas/3.1/dialect/base": CURRENT,
}
# The draft that introduced a keyword, from the release notes of each draft on json-schema.org: in
# an older schema, the word has no meaning.
INTRODUCED = {
    "$anchor": 2019,
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
    """Return the draft that `$schema` names, as a number or a year, or None if it is unknown.

    >>> draft_of({"$schema": "http://json-schema.org/draft-07/schema#"})
    7
    """
    uri = schema.get("$schema") if isinstance(schema, dict) else None
    if not isinstance(uri, str):
        return None
    return DRAFTS.get(uri.removesuffix("#").removeprefix("https://").removeprefix("http://"))


def foreign_dialect(node: Any) -> tuple[str, str] | None:
    """Return the keyword that declares a node's own dialect, with the fault, or None."""
    if not isinstance(node, dict):
        return None
    if "$vocabulary" in node:
        return "$vocabulary", "$vocabulary is not supported: it belongs in a meta-schema"
    uri = node.get("$schema")
    if not isinstance(uri, str) or draft_of(node) is not None:
        return None
    return "$schema", f"$schema names an unknown draft: {ascii(uri)[1:-1][:80]}"


def unknown_to(draft: int | None) -> frozenset[str]:
    """The keywords that a stated draft is too old for."""
    newer = (word for word, since in INTRODUCED.items() if draft and draft < since)
    return frozenset(newer)
