"""The references between parts of a schema: recursion, use, and the size when written out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, Final

from toolhaft.schema.document.references import resolve, target_pointer
from toolhaft.schema.document.walk import child_nodes, walk_schemas

__all__ = ["DEFINITIONS", "ReferenceGraph"]

DEFINITIONS: Final[tuple[str, ...]] = ("$defs", "definitions")


class ReferenceGraph:
    """The references that the root of a schema leads to, each target by its JSON pointer.

    `targets` has the root, which is "", and each target; `edges` has its own references, and
    `sizes` its number of nodes, both without definitions inside it.

    Raises:
        SchemaRefused: A reference leads to nothing.

    >>> definition = {"items": {"$ref": "#/$defs/a"}}
    >>> graph = ReferenceGraph({"$ref": "#/$defs/a", "$defs": {"a": definition}})
    >>> graph.edges, graph.recursive
    ({'': ['/$defs/a'], '/$defs/a': ['/$defs/a']}, frozenset({'/$defs/a'}))
    """

    def __init__(self, root: Mapping[str, Any]) -> None:
        self.root = root
        self.targets: dict[str, Any] = {}
        self.edges: dict[str, list[str]] = {}
        self.sizes: dict[str, int] = {}
        waiting = [""]
        while waiting:
            target = waiting.pop()
            if target not in self.edges:
                self._add(target, resolve(root, f"#{target}"))
                waiting += self.edges[target]

    @cached_property
    def recursive(self) -> frozenset[str]:
        """The targets that refer to themselves, however far around."""
        return frozenset(target for target in self.edges if target in self._reachable(target))

    @cached_property
    def is_small_inlined(self) -> bool:
        """Whether the schema at most doubles when what does not recur is written out."""
        return self._inlined_size() <= 2 * sum(1 for _ in walk_schemas(self.root))

    def _inlined_size(self) -> int:
        totals: dict[str, int] = {}

        def total(target: str) -> int:
            if target not in totals:
                inner = (
                    total(other) for other in self.edges[target] if other not in self.recursive
                )
                totals[target] = self.sizes[target] + sum(inner)
            return totals[target]

        return sum(total(target) for target in {"", *self.recursive})

    def _add(self, target: str, schema: Any) -> None:
        nodes = list(_own_nodes(schema))
        refs = (node["$ref"] for node in nodes if isinstance(node, dict) and "$ref" in node)
        self.targets[target] = schema
        self.edges[target] = [target_pointer(ref) for ref in refs]
        self.sizes[target] = len(nodes)

    def _reachable(self, start: str) -> set[str]:
        targets: set[str] = set()
        waiting = list(self.edges[start])
        while waiting:
            target = waiting.pop()
            if target not in targets:
                targets.add(target)
                waiting += self.edges[target]
        return targets


def _own_nodes(schema: Any) -> Iterator[Any]:
    waiting = [schema]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += [sub for steps, sub in child_nodes(node) if steps[0] not in DEFINITIONS]
