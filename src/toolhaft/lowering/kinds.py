"""Which JSON kinds a node admits at most, read from the schema alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from toolhaft.lowering.keywords import KINDS
from toolhaft.lowering.lenses.lens import kind_of

__all__ = ["kinds", "type_names"]

_ALL = frozenset(KINDS)


def type_names(node: Mapping[str, Any]) -> list[str]:
    """The names under `type`, as a list."""
    named = node.get("type", [])
    return [named] if isinstance(named, str) else list(named)


def kinds(
    node: Mapping[str, Any] | bool,
    resolve: Callable[[Mapping[str, Any]], Any],
    seen: frozenset[str] = frozenset(),
) -> frozenset[str]:
    """The kinds that a value of the node can have; an integer is a number."""
    if isinstance(node, bool):
        return _ALL if node else frozenset()
    found = _ALL
    if "type" in node:
        found &= {"number" if name == "integer" else name for name in type_names(node)}
    if "enum" in node:
        found &= {kind_of(member) for member in node["enum"]}
    if "const" in node:
        found &= {kind_of(node["const"])}
    if node.get("nullable") is True:
        found |= {"null"}
    if "$ref" in node and node["$ref"] not in seen:
        found &= kinds(resolve(node), resolve, seen | {node["$ref"]})
    for part in node.get("allOf", ()):
        found &= kinds(part, resolve, seen)
    for word in ("anyOf", "oneOf"):
        if word in node:
            found &= _any(kinds(part, resolve, seen) for part in node[word])
    return found


def _any(found: Iterable[frozenset[str]]) -> frozenset[str]:
    return frozenset().union(*found)
