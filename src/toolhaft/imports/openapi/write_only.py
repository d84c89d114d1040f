"""Leave out of a result what its schema says is only for writing, such as a password."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolhaft.imports.openapi.document import Document, Refused

__all__ = ["drop_write_only"]

COMBINED = ("allOf", "anyOf", "oneOf")
# Schemas that are looked at beside each other for one value; a circle of references ends here.
MAX_PARTS = 200


def drop_write_only(document: Document, schema: Any, data: Any) -> None:
    """Remove `writeOnly` properties from data, wherever some schema of their place says so."""
    stack = [(schema, data)]
    while stack:
        node, value = stack.pop()
        if not isinstance(value, dict | list):
            continue
        for part in _parts_of(document, node):
            if isinstance(value, list):
                items = part.get("items")
                stack += [(items, item) for item in value if items is not None]
            else:
                stack += _enter_object(document, part, value)


def _enter_object(document: Document, part: Mapping[str, Any], value: dict[str, Any]) -> Any:
    """Drop the properties of one object, and give those that are to be entered."""
    properties = part.get("properties")
    declared = properties if isinstance(properties, Mapping) else {}
    others = part.get("additionalProperties")
    for key in list(value):
        sub = declared.get(key, others)
        if any(each.get("writeOnly") is True for each in _parts_of(document, sub)):
            del value[key]
        elif isinstance(value[key], dict | list):
            yield sub, value[key]


def _parts_of(document: Document, node: Any) -> Iterator[Mapping[str, Any]]:
    """Give a schema, what it refers to, and what it is combined of."""
    queue = [node]
    for each in queue:  # which grows meanwhile
        if not isinstance(each, Mapping) or len(queue) > MAX_PARTS:
            continue
        try:
            part = document.follow(each, "schema")
        except Refused:
            continue
        yield part
        for word in COMBINED:
            combined = part.get(word)
            queue += combined if isinstance(combined, list) else []
