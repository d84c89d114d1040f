"""Which references of a document recur, and whether the others are written out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from toolhaft.schema.document import references
from toolhaft.schema.document.walk import child_nodes, pointer

__all__ = ["References", "key_of", "references_of"]

_CONTAINERS = ("$defs", "definitions")


@dataclass(frozen=True, slots=True)
class References:
    """The targets that recur, and whether writing out the others stays small."""

    recursive: frozenset[str]
    inline: bool


def key_of(ref: str) -> str:
    """One spelling for each target of a reference: its JSON pointer."""
    return pointer(references.tokens(ref) or ())


def references_of(root: Mapping[str, Any]) -> References:
    """Follow every reference once and see which come back, and how large the rest would grow."""
    edges: dict[str, list[str]] = {}
    sizes: dict[str, int] = {}
    waiting = [""]
    while waiting:
        key = waiting.pop()
        if key in edges:
            continue
        edges[key], sizes[key] = _inside(references.resolve(root, f"#{key}"))
        waiting.extend(edges[key])
    recursive = _in_cycles(edges)
    whole = sum(size for _, size in [_inside(root, whole=True)])
    return References(recursive, _written_out("", edges, sizes, recursive) <= 2 * whole)


def _inside(node: Any, *, whole: bool = False) -> tuple[list[str], int]:
    """The targets that a node refers to outside of definitions, and its number of nodes."""
    found, size = [], 0
    for each in _nodes(node, whole):
        size += 1
        if isinstance(each, dict) and isinstance(each.get("$ref"), str):
            found.append(key_of(each["$ref"]))
    return found, size


def _nodes(node: Any, whole: bool) -> Iterator[Any]:
    waiting = [node]
    while waiting:
        each = waiting.pop()
        yield each
        waiting.extend(
            sub for steps, sub in child_nodes(each) if whole or steps[0] not in _CONTAINERS
        )


def _in_cycles(edges: Mapping[str, list[str]]) -> frozenset[str]:
    return frozenset(key for key in edges if key in _reached(key, edges))


def _reached(start: str, edges: Mapping[str, list[str]]) -> set[str]:
    found: set[str] = set()
    waiting = list(edges[start])
    while waiting:
        key = waiting.pop()
        if key not in found:
            found.add(key)
            waiting.extend(edges[key])
    return found


def _written_out(
    start: str, edges: Mapping[str, list[str]], sizes: Mapping[str, int], stop: frozenset[str]
) -> int:
    """The number of nodes when every reference that does not recur is replaced by its target."""
    totals: dict[str, int] = {}

    def total(key: str) -> int:
        if key not in totals:
            inner = (total(each) for each in edges[key] if each not in stop)
            totals[key] = sizes[key] + sum(inner)
        return totals[key]

    return sum(total(key) for key in {start, *stop})
