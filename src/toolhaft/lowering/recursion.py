"""Whether a schema's own references recur where the target does not let them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolhaft.lowering.dialects.dialect import Dialect
from toolhaft.lowering.keywords import pointer
from toolhaft.lowering.references import key_of, references_of
from toolhaft.schema.document.references import resolve
from toolhaft.schema.document.walk import child_nodes
from toolhaft.schema.faults import SchemaRefused

__all__ = ["recursion_findings"]


def recursion_findings(schema: Mapping[str, Any], rules: Dialect) -> Iterator[tuple[str, str, str]]:
    """Pointer, rule and reason of each recursive reference that the target refuses."""
    allowed = rules.trait("recursive references")
    if allowed is True or not _has_references(schema):
        return
    try:
        recursive = references_of(schema).recursive
    except SchemaRefused:
        yield "", "$ref", "a reference leads nowhere"
        return
    for start in sorted(recursive):
        for at, optional in _references(resolve(schema, f"#{start}"), start, recursive):
            if allowed != "optional" or not optional:
                yield at, "recursive references", "a schema may not hold itself here"


def _has_references(schema: Any) -> bool:
    waiting = [schema]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict) and "$ref" in node:
            return True
        waiting.extend(sub for _, sub in child_nodes(node))
    return False


def _references(node: Any, start: str, recursive: frozenset[str]) -> Iterator[tuple[str, bool]]:
    """Recursive references inside a definition, and whether they stand in an optional property."""
    waiting: list[tuple[str, Any, bool]] = [(start, node, False)]
    while waiting:
        at, each, optional = waiting.pop()
        ref = each.get("$ref") if isinstance(each, dict) else None
        if isinstance(ref, str) and key_of(ref) in recursive:
            yield at, optional
        for steps, sub in child_nodes(each):
            if steps[0] in ("$defs", "definitions"):
                continue
            free = steps[0] == "properties" and steps[1] not in each.get("required", ())
            waiting.append((pointer(at, *steps), sub, optional or free))
