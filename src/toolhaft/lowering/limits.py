"""The sizes of a schema that targets count, and which of them are too large."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolhaft.lowering.dialects.dialect import Dialect
from toolhaft.schema.document.walk import child_nodes

__all__ = ["limit_findings", "sizes_of"]

_SIZES = "properties", "depth", "enum members", "name and enum characters", "optional", "unions"
_DEEPER = ("properties", "items", "prefixItems", "additionalProperties")


def sizes_of(schema: Any) -> dict[str, int]:
    """Properties, nesting, enum members, characters of names and members, optional, unions.

    `optional` and `unions` count what is reached without following `$ref`, as Anthropic's
    service was seen to count (pydantic-ai-slim 2.68.0, _anthropic_schema_limits.py).
    """
    sizes: dict[str, int] = dict.fromkeys(_SIZES, 0)
    waiting: list[tuple[Any, int, bool]] = [(schema, 0, True)]
    while waiting:
        node, depth, direct = waiting.pop()
        if not isinstance(node, dict):
            continue
        _count(node, depth, sizes, direct)
        for steps, sub in child_nodes(node):
            inside = direct and steps[0] not in ("$defs", "definitions")
            waiting.append((sub, depth + (steps[0] in _DEEPER), inside))
    return sizes


def _count(node: Mapping[str, Any], depth: int, sizes: dict[str, int], direct: bool) -> None:
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


def limit_findings(schema: Any, rules: Dialect) -> Iterator[tuple[str, str]]:
    """The sizes that are over the target's limits."""
    if not rules.limits:
        return
    for name, size in sizes_of(schema).items():
        most = rules.limit(name)
        if most is not None and size > most:
            yield name, f"{size} {name}, at most {most}"
