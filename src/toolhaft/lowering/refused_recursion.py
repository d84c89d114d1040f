"""Find recursive references that a target rejects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolhaft.lowering.dialects.dialect import Dialect
from toolhaft.lowering.keywords import pointer
from toolhaft.schema.document.reference_graph import DEFINITIONS, ReferenceGraph
from toolhaft.schema.document.references import resolve, target_pointer
from toolhaft.schema.document.walk import child_nodes
from toolhaft.schema.faults import SchemaRefused

__all__ = ["find_refused_recursion"]


def find_refused_recursion(
    schema: Mapping[str, Any], rules: Dialect
) -> Iterator[tuple[str, str, str]]:
    """Yield pointer, rule and reason of each recursive reference that the target rejects."""
    allowed = rules.trait("recursive references")
    if allowed is True:
        return
    try:
        recursive = ReferenceGraph(schema).recursive
    except SchemaRefused:
        yield "", "$ref", "a reference leads nowhere"
        return
    for start in sorted(recursive):
        for at, optional in _recursive_references(resolve(schema, f"#{start}"), start, recursive):
            if allowed != "optional" or not optional:
                yield at, "recursive references", "a schema may not hold itself here"


def _recursive_references(
    node: Any, start: str, recursive: frozenset[str]
) -> Iterator[tuple[str, bool]]:
    """Find the recursive references in a definition, each with whether it may be absent."""
    waiting: list[tuple[str, Any, bool]] = [(start, node, False)]
    while waiting:
        at, each, optional = waiting.pop()
        ref = each.get("$ref") if isinstance(each, dict) else None
        if isinstance(ref, str) and target_pointer(ref) in recursive:
            yield at, optional
        for steps, sub in child_nodes(each):
            if steps[0] in DEFINITIONS:
                continue
            is_optional = steps[0] == "properties" and steps[1] not in each.get("required", ())
            waiting.append((pointer(at, *steps), sub, optional or is_optional))
