"""Issues for which the schema has better words than pydantic: the missing tag of a union."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolhaft.schema.branches import tag_of
from toolhaft.schema.document.places import PlaceIndex
from toolhaft.schema.explain.phrases import missing_tag_words, phrase_of
from toolhaft.spec import Issue

__all__ = ["say_by_schema"]

TAGS = ("union_tag_not_found", "union_tag_invalid")


def say_by_schema(issue: Issue, root: Any, places: PlaceIndex) -> Issue:
    """Return an issue of a union's tag in the schema's words; any other as it is."""
    if issue.vendor_code not in TAGS:
        return issue
    parts = places.at(issue.path).parts
    union = next((part for part in parts if isinstance(part, Mapping) and "oneOf" in part), None)
    return issue if union is None else _wrong_tag(issue, root, union)


def _wrong_tag(issue: Issue, root: Any, union: Mapping[str, Any]) -> Issue:
    """Name the tag and its members: pydantic does not apply a default in the schema.

    A key in an author's message is not a key of the object.
    """
    tag = tag_of(root, union["oneOf"])
    if tag is None:
        words = f"expected {phrase_of(root, union)}"
        return Issue(words, issue.path, "union", vendor_code=issue.vendor_code)
    place = (*issue.path, tag.name)
    return Issue(missing_tag_words(tag), place, "missing", vendor_code=issue.vendor_code)
