"""Write out references that do not recurse, because many clients mishandle them.

References are written out if the schema at most doubles; a recursive definition stays one. Accepted
values stay the same: keywords beside a reference apply together with its target (JSON Schema
2020-12, 8.2.3.1).
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from toolhaft.schema.document.reference_graph import ReferenceGraph
from toolhaft.schema.document.references import beside_reference, tokens
from toolhaft.schema.document.walk import child_nodes, pointer, replace_children
from toolhaft.schema.marks import MARK, mark, merged_marks
from toolhaft.spec import Path

__all__ = ["definition_fact", "inline_references"]

# Keywords that describe a value and assert nothing: beside a reference they describe the whole.
ANNOTATIONS = frozenset({
    "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly",
    "$comment", MARK,
})  # fmt: skip


def inline_references(schema: dict[str, Any]) -> dict[str, Any]:
    """Write out the definitions of a schema that do not hold themselves, where it stays small.

    A mark says which definition a node was.

    >>> from toolhaft.schema.marks import without_marks
    >>> without_marks(inline_references({"properties": {"at": {"$ref": "#/$defs/Place"}},
    ...          "$defs": {"Place": {"type": "string"}}}))
    {'properties': {'at': {'type': 'string'}}}
    """
    definitions = schema.get("$defs")
    if not definitions:
        return schema
    try:
        return _Writer(schema, definitions).inline_all()
    except _TooLarge:
        return schema


class _TooLarge(Exception):
    """The schema has more than doubled."""


class _Writer:
    """One schema that is being rewritten; unchanged parts are shared with the old one."""

    def __init__(self, schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> None:
        self.definitions = definitions
        self.body = {key: value for key, value in schema.items() if key != "$defs"}
        graph = ReferenceGraph(schema)
        self.kept = {name for name in definitions if _must_stay(pointer(("$defs", name)), graph)}
        self.size, self.most = 0, 2 * sum(graph.sizes.values())
        # Definitions as they are written out, and how many schemas that is.
        self.inlined: dict[str, tuple[Any, int]] = {}

    def inline_all(self) -> dict[str, Any]:
        body: dict[str, Any] = self.inline_node(self.body)
        kept = {
            n: self.inline_node(definition)
            for n, definition in self.definitions.items()
            if n in self.kept
        }
        return {**body, "$defs": kept} if kept else body

    def inline_node(self, node: Any) -> Any:
        """A node with every reference in it replaced by what it means."""
        self._grow(1)
        if not isinstance(node, dict):
            return node
        changes: dict[Path, Any] = {}
        for steps, sub in child_nodes(node):
            inlined = self.inline_node(sub)
            if inlined is not sub:
                changes[steps] = inlined
        node = replace_children(node, changes) if changes else node
        if "discriminator" in node:  # OpenAPI's aid for references; the constants say it
            node = {key: value for key, value in node.items() if key != "discriminator"}
        name = _name(node)
        return node if name is None or name in self.kept else self._merge_target(node, name)

    def _merge_target(self, node: dict[str, Any], name: str) -> Any:
        if name not in self.definitions:
            return node
        beside = beside_reference(node)
        self._grow(-1)  # what it means takes its place
        definition = self._inline_definition(name)
        if beside.keys() <= ANNOTATIONS and isinstance(definition, dict):
            merged = {**definition, **beside, **merged_marks(definition, beside)}
            mark(merged, defined=definition_fact(name, definition, beside))
            return merged
        self._grow(1)
        return {**beside, "allOf": [*beside.get("allOf", ()), definition]}

    def _inline_definition(self, name: str) -> Any:
        if name in self.inlined:
            definition, size = self.inlined[name]
            self._grow(size)
            return deepcopy(definition)  # no place of a schema shares its parts with another
        before = self.size
        definition = self.inline_node(self.definitions[name])
        self.inlined[name] = definition, self.size - before
        return definition

    def _grow(self, count: int) -> None:
        self.size += count
        if self.size > self.most:
            raise _TooLarge


def definition_fact(
    name: str, definition: Mapping[str, Any], beside: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the fact by which the definition of a node is known again (`marks.py`)."""
    keys = sorted(beside.keys() - {MARK})
    described = {"description": definition["description"]} if "description" in definition else {}
    return {"name": name, "beside": keys, **described}


def _must_stay(target: str, graph: ReferenceGraph) -> bool:
    """Whether a definition holds itself, or a reference leads to a part of it."""
    return target in graph.recursive or any(other.startswith(f"{target}/") for other in graph.edges)


def _name(node: Any) -> str | None:
    """The definition that a node refers to."""
    steps = tokens(node.get("$ref")) if isinstance(node, dict) else None
    return steps[-1] if steps and steps[:-1] == ("$defs",) else None
