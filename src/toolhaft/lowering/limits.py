"""The sizes of a schema that targets count, and which of them are too large."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolhaft.lowering.dialects.dialect import Dialect
from toolhaft.schema.document.walk import child_nodes

__all__ = ["BUDGETS", "find_exceeded_limits", "measure_schema"]

_SIZES = "properties", "depth", "enum members", "name and enum characters", "optional", "unions"
# The rule of each budget, and the size of a strict schema that it counts.
BUDGETS = {"strict optional": "optional", "strict unions": "unions", "strict fields": "properties"}
_DEEPER = ("properties", "items", "prefixItems", "additionalProperties")


def measure_schema(schema: Any) -> dict[str, int]:
    """Count properties, depth, enum members, characters of names and members, optional, unions.

    `optional` and `unions` count what is reached without following `$ref`, as Anthropic's
    service was seen to count (pydantic-ai-slim 2.68.0, _anthropic_schema_limits.py).
    """
    sizes: dict[str, int] = dict.fromkeys(_SIZES, 0)
    waiting: list[tuple[Any, int, bool]] = [(schema, 0, True)]
    while waiting:
        node, depth, direct = waiting.pop()
        if not isinstance(node, dict):
            continue
        _count_node(node, depth, sizes, direct)
        for steps, sub in child_nodes(node):
            inside = direct and steps[0] not in ("$defs", "definitions")
            waiting.append((sub, depth + (steps[0] in _DEEPER), inside))
    return sizes


def _count_node(node: Mapping[str, Any], depth: int, sizes: dict[str, int], direct: bool) -> None:
    properties = node.get("properties", {})
    members = [*node.get("enum", ()), *([node["const"]] if "const" in node else [])]
    names = [*properties, *node.get("$defs", {}), *members]
    sizes["properties"] += len(properties)
    sizes["depth"] = max(sizes["depth"], depth)
    sizes["enum members"] += len(node.get("enum", ()))
    sizes["name and enum characters"] += sum(len(n) for n in names if isinstance(n, str))
    if direct:
        sizes["optional"] += len(properties.keys() - set(node.get("required", ())))
        sizes["unions"] += "anyOf" in node or isinstance(node.get("type"), list)


def find_exceeded_limits(schema: Any, rules: Dialect) -> Iterator[tuple[str, str]]:
    """Give the sizes that are over the target's limits, or alone over what strict tools share."""
    limits = {name: name for name in _SIZES} | (BUDGETS if rules.strict else {})
    bounds = {name: most for name in limits if (most := rules.limit(name)) is not None}
    if not bounds:
        return
    sizes = measure_schema(schema)
    for name, most in bounds.items():
        size = sizes[limits[name]]
        if size > most:
            yield name, f"{size} {limits[name]}, at most {most}"
