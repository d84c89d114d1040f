"""What a target does not take of a schema as a whole: its sizes, and recursive references."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from toolhaft.lowering.dialects.dialect import Dialect
from toolhaft.lowering.keywords import pointer
from toolhaft.schema.document.reference_graph import DEFINITIONS, ReferenceGraph
from toolhaft.schema.document.references import target_pointer
from toolhaft.schema.document.walk import child_nodes
from toolhaft.schema.faults import SchemaRefused

__all__ = ["BUDGETS", "find_exceeded_limits", "find_refused_recursion", "measure_schema"]

_DEEPER = ("properties", "items", "prefixItems", "additionalProperties")
# OpenAI counts the characters of an enum from so many texts on.
_LARGE_ENUM = 250
_SIZES = (
    "properties", "depth", "enum members", "name and enum characters",
    f"characters of an enum of more than {_LARGE_ENUM} texts", "optional properties", "unions",
)  # fmt: skip
# The rule of each budget of a request, and the size of a strict schema that it counts.
BUDGETS = {
    "strict optional": "optional properties",
    "strict unions": "unions",
    "strict fields": "properties",
}


def measure_schema(schema: Any) -> dict[str, int]:
    """Count what targets limit in a schema; each definition counts once.

    Anthropic's documentation counts every strict schema as a whole. Its service was seen to leave
    out definitions behind `$ref` (pydantic-ai-slim 2.68.0, _anthropic_schema_limits.py); a request
    that relies on that may be rejected.
    """
    sizes: dict[str, int] = dict.fromkeys(_SIZES, 0)
    waiting: list[tuple[Any, int]] = [(schema, 0)]
    while waiting:
        node, depth = waiting.pop()
        if isinstance(node, dict):
            _count_node(node, depth, sizes)
            for steps, sub in child_nodes(node):
                waiting.append((sub, depth + (steps[0] in _DEEPER)))
    return sizes


def _count_node(node: Mapping[str, Any], depth: int, sizes: dict[str, int]) -> None:
    properties = node.get("properties", {})
    texts = [member for member in node.get("enum", ()) if isinstance(member, str)]
    names = [*properties, *node.get("$defs", {}), *texts, node.get("const")]
    sizes["properties"] += len(properties)
    sizes["depth"] = max(sizes["depth"], depth)
    sizes["enum members"] += len(node.get("enum", ()))
    sizes["name and enum characters"] += _count_characters(names)
    if len(texts) > _LARGE_ENUM:
        name = f"characters of an enum of more than {_LARGE_ENUM} texts"
        sizes[name] = max(sizes[name], _count_characters(texts))
    sizes["optional properties"] += len(properties.keys() - set(node.get("required", ())))
    sizes["unions"] += "anyOf" in node or isinstance(node.get("type"), list)


def _count_characters(names: Iterable[Any]) -> int:
    return sum(len(name) for name in names if isinstance(name, str))


def find_exceeded_limits(schema: Any, rules: Dialect) -> Iterator[tuple[str, str]]:
    """Yield the sizes over the target's limits, or that alone exceed a budget of strict tools."""
    limits = {name: name for name in _SIZES} | (BUDGETS if rules.strict else {})
    bounds = {name: most for name in limits if (most := rules.limit(name)) is not None}
    if not bounds:
        return
    sizes = measure_schema(schema)
    for name, most in bounds.items():
        size = sizes[limits[name]]
        if size > most:
            yield name, f"{size} {limits[name]}, at most {most}"


def find_refused_recursion(
    schema: Mapping[str, Any], rules: Dialect
) -> Iterator[tuple[str, str, str]]:
    """Yield pointer, rule and reason of each recursive reference that the target rejects."""
    allowed = rules.trait("recursive references")
    if allowed is True:
        return
    try:
        graph = ReferenceGraph(schema)
    except SchemaRefused:
        yield "", "$ref", "a reference leads nowhere"
        return
    for start in sorted(graph.recursive):
        for at, optional in _recursive_references(graph, start):
            if allowed != "optional" or not optional:
                yield at, "recursive references", "a schema may not hold itself here"


def _recursive_references(graph: ReferenceGraph, start: str) -> Iterator[tuple[str, bool]]:
    """Find the recursive references in a definition, each with whether it may be absent."""
    waiting: list[tuple[str, Any, bool]] = [(start, graph.targets[start], False)]
    while waiting:
        at, each, optional = waiting.pop()
        ref = each.get("$ref") if isinstance(each, dict) else None
        if isinstance(ref, str) and target_pointer(ref) in graph.recursive:
            yield at, optional
        for steps, sub in child_nodes(each):
            if steps[0] in DEFINITIONS:
                continue
            is_optional = steps[0] == "properties" and steps[1] not in each.get("required", ())
            waiting.append((pointer(at, *steps), sub, optional or is_optional))
