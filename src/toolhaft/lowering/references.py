"""Find the recursive references of a document, and decide whether the others are inlined."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from toolhaft.schema.document import references
from toolhaft.schema.document.walk import child_nodes, pointer

__all__ = ["References", "analyse_references", "reference_key"]

_CONTAINERS = ("$defs", "definitions")


@dataclass(frozen=True, slots=True)
class References:
    """The recursive targets, and whether the others are small enough to be inlined."""

    recursive: frozenset[str]
    inline: bool


def reference_key(ref: str) -> str:
    """Give the JSON pointer of a reference: one spelling for each target."""
    return pointer(references.tokens(ref) or ())


def analyse_references(root: Mapping[str, Any]) -> References:
    """Follow every reference once; find the cycles, and the size with all others inlined."""
    edges: dict[str, list[str]] = {}
    sizes: dict[str, int] = {}
    waiting = [""]
    while waiting:
        key = waiting.pop()
        if key in edges:
            continue
        edges[key], sizes[key] = _measure(references.resolve(root, f"#{key}"))
        waiting.extend(edges[key])
    recursive = _cyclic(edges)
    whole = sum(size for _, size in [_measure(root, whole=True)])
    return References(recursive, _inlined_size("", edges, sizes, recursive) <= 2 * whole)


def _measure(node: Any, *, whole: bool = False) -> tuple[list[str], int]:
    """Give the targets that a node refers to, without its definitions, and its number of nodes."""
    targets, size = [], 0
    for each in _walk_nodes(node, whole):
        size += 1
        if isinstance(each, dict) and isinstance(each.get("$ref"), str):
            targets.append(reference_key(each["$ref"]))
    return targets, size


def _walk_nodes(node: Any, whole: bool) -> Iterator[Any]:
    waiting = [node]
    while waiting:
        each = waiting.pop()
        yield each
        waiting.extend(
            sub for steps, sub in child_nodes(each) if whole or steps[0] not in _CONTAINERS
        )


def _cyclic(edges: Mapping[str, list[str]]) -> frozenset[str]:
    return frozenset(key for key in edges if key in _reachable(key, edges))


def _reachable(start: str, edges: Mapping[str, list[str]]) -> set[str]:
    keys: set[str] = set()
    waiting = list(edges[start])
    while waiting:
        key = waiting.pop()
        if key not in keys:
            keys.add(key)
            waiting.extend(edges[key])
    return keys


def _inlined_size(
    start: str, edges: Mapping[str, list[str]], sizes: Mapping[str, int], stop: frozenset[str]
) -> int:
    """Count the nodes when every reference that does not recur is replaced by its target."""
    totals: dict[str, int] = {}

    def total(key: str) -> int:
        if key not in totals:
            inner = (total(each) for each in edges[key] if each not in stop)
            totals[key] = sizes[key] + sum(inner)
        return totals[key]

    return sum(total(key) for key in {start, *stop})
