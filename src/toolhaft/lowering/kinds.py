"""The JSON kinds that a node accepts at most, read from the schema alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from toolhaft.lowering.keywords import KINDS
from toolhaft.lowering.lenses.lens import kind_of
from toolhaft.schema.document.kinds import names_of

__all__ = ["kinds"]

_ALL = frozenset(KINDS)


def kinds(
    node: Mapping[str, Any] | bool,
    resolve: Callable[[Mapping[str, Any]], Any],
    seen: frozenset[str] = frozenset(),
) -> frozenset[str]:
    """Return the kinds that a value of the node can have; an integer is a number."""
    if isinstance(node, bool):
        return _ALL if node else frozenset()
    possible = _ALL
    if "type" in node:
        possible &= {"number" if name == "integer" else name for name in names_of(node)}
    if "enum" in node:
        possible &= {kind_of(member) for member in node["enum"]}
    if "const" in node:
        possible &= {kind_of(node["const"])}
    if node.get("nullable") is True:
        possible |= {"null"}
    if "$ref" in node and node["$ref"] not in seen:
        possible &= kinds(resolve(node), resolve, seen | {node["$ref"]})
    for part in node.get("allOf", ()):
        possible &= kinds(part, resolve, seen)
    for word in ("anyOf", "oneOf"):
        if word in node:
            possible &= _union(kinds(part, resolve, seen) for part in node[word])
    return possible


def _union(groups: Iterable[frozenset[str]]) -> frozenset[str]:
    return frozenset().union(*groups)
