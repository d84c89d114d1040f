"""What the schema says of a place better than pydantic: a union's tag, and text that holds JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolhaft.schema.branches import tag_of
from toolhaft.schema.document.places import PlaceIndex
from toolhaft.schema.explain.phrases import json_text_words, missing_tag_words, phrase_of
from toolhaft.spec import Issue
from toolhaft.vendors.pydantic.explain import AUTHORED

__all__ = ["say_by_schema"]

TAGS = ("union_tag_not_found", "union_tag_invalid")


def say_by_schema(issue: Issue, root: Any, places: PlaceIndex) -> Issue:
    """Give an issue in the schema's words, where it has more to say of the place."""
    if issue.vendor_code in AUTHORED:
        return issue
    for part in places.at(issue.path).parts:
        if not isinstance(part, Mapping):
            continue
        if issue.vendor_code in TAGS and "oneOf" in part:
            return _wrong_tag(issue, root, part)
        if part.get("contentMediaType") == "application/json":
            words = json_text_words(root, part)
            return Issue(words, issue.path, "format", vendor_code=issue.vendor_code)
    return issue


def _wrong_tag(issue: Issue, root: Any, union: Mapping[str, Any]) -> Issue:
    """Name the tag and its members: a default in the schema is none for pydantic.

    What an author's function told of an object is no key of it.
    """
    tag = tag_of(root, union["oneOf"])
    if tag is None:
        words = f"expected {phrase_of(root, union)}"
        return Issue(words, issue.path, "union", vendor_code=issue.vendor_code)
    place = (*issue.path, tag.name)
    return Issue(missing_tag_words(tag), place, "missing", vendor_code=issue.vendor_code)
