"""The places in a schema that contain a schema, and how to replace the schemas there.

The older spellings (`definitions`, a list under `items`, `additionalItems`, `dependencies`) are
walked too, so that one walk serves every draft.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from toolhaft.schema.faults import SchemaFault, SchemaRefused
from toolhaft.spec import Path

__all__ = [
    "LISTS",
    "MAPS",
    "MAX_DEPTH",
    "MAX_NODES",
    "SINGLES",
    "nodes_of",
    "pointer",
    "replace_children",
    "walk_schemas",
]
__all__ += ["child_nodes"]

# The limits of every schema, whatever limits its user sets: jsonschema-rs reads 255 levels of JSON,
# of which a subschema takes up to two, and Python's own stack is not much deeper.
MAX_NODES = 50_000
MAX_DEPTH = 100

SINGLES = frozenset({
    "additionalItems", "additionalProperties", "contains", "contentSchema", "else", "if", "items",
    "not", "propertyNames", "then", "unevaluatedItems", "unevaluatedProperties",
})  # fmt: skip
LISTS = frozenset({"allOf", "anyOf", "items", "oneOf", "prefixItems"})
MAPS = frozenset({
    "$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties",
})  # fmt: skip
HOLDERS = SINGLES | LISTS | MAPS


def child_nodes(node: Any) -> list[tuple[Path, Any]]:
    """Each direct subschema of a node with the steps that lead to it, in the order written.

    >>> child_nodes({"properties": {"a": True}, "items": {"type": "string"}})
    [(('properties', 'a'), True), (('items',), {'type': 'string'})]
    """
    children: list[tuple[Path, Any]] = []
    if not isinstance(node, dict) or HOLDERS.isdisjoint(node):
        return children
    for keyword, value in node.items():
        if keyword in MAPS:
            if isinstance(value, dict):
                children += [((keyword, name), sub) for name, sub in value.items()
                          if keyword != "dependencies" or not isinstance(sub, list)]  # fmt: skip
        elif keyword in LISTS and isinstance(value, list):
            children += [((keyword, index), sub) for index, sub in enumerate(value)]
        elif keyword in SINGLES:
            children.append(((keyword,), value))
    return children


def nodes_of(schema: Any) -> list[Any]:
    """Every subschema of a schema, itself first; in half the time of the walk, without the steps.

    Raises:
        SchemaRefused: as `walk_schemas`.

    >>> nodes_of({"items": {"anyOf": [True, {"type": "string"}]}})[1:]
    [{'anyOf': [True, {'type': 'string'}]}, True, {'type': 'string'}]
    """
    nodes: list[Any] = []
    level = [schema]
    for _ in range(MAX_DEPTH):
        nodes += level
        if len(nodes) > MAX_NODES:
            break
        level = [sub for node in level for sub in _children(node)]
        if not level:
            return nodes
    return [node for _, node in walk_schemas(schema)]


def _children(node: Any) -> list[Any]:
    """Each direct subschema of a node."""
    children: list[Any] = []
    if not isinstance(node, dict) or HOLDERS.isdisjoint(node):
        return children
    for keyword, value in node.items():
        if keyword in MAPS:
            if isinstance(value, dict):
                children += [sub for sub in value.values() if not isinstance(sub, list)
                             or keyword != "dependencies"]  # fmt: skip
        elif keyword in LISTS and isinstance(value, list):
            children += value
        elif keyword in SINGLES:
            children.append(value)
    return children


def walk_schemas(
    schema: Any, select: Callable[[Any], Any] | None = None
) -> Iterator[tuple[Path, Any]]:
    """Every subschema of a schema with its steps, itself first, parents before their children.

    `said` gives the part of a node that counts, where that is not the whole.

    Raises:
        SchemaRefused: More than `MAX_NODES` subschemas, or `MAX_DEPTH` inside each other.
    """
    stack: list[tuple[Path, int, Any]] = [((), 0, schema)]
    seen = 0
    while stack:
        steps, depth, node = stack.pop()
        yield steps, node
        if depth == MAX_DEPTH:
            raise _too_big(steps, f"more than {MAX_DEPTH} schemas inside each other")
        inner = child_nodes(select(node) if select else node)
        stack += [((*steps, *more), depth + 1, sub) for more, sub in reversed(inner)]
        seen += 1
        if seen + len(stack) > MAX_NODES:
            raise _too_big(steps, f"more than {MAX_NODES} schemas")


def replace_children(node: Mapping[str, Any], changes: Mapping[Path, Any]) -> dict[str, Any]:
    """A copy of a node with other subschemas at the given steps; the rest is shared.

    >>> replace_children({"properties": {"a": True}}, {("properties", "a"): False})
    {'properties': {'a': False}}
    """
    copy = dict(node)
    for (keyword, *rest), sub in changes.items():
        if not rest:
            copy[str(keyword)] = sub
            continue
        if copy[str(keyword)] is node[str(keyword)]:
            copy[str(keyword)] = node[str(keyword)].copy()
        copy[str(keyword)][rest[0]] = sub
    return copy


def pointer(steps: Path) -> str:
    """The JSON pointer (RFC 6901) of a place.

    >>> pointer(("properties", "a/b", "items"))
    '/properties/a~1b/items'
    """
    return "".join([f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in steps])


def _too_big(steps: Path, reason: str) -> SchemaRefused:
    return SchemaRefused([SchemaFault(pointer(steps), reason, "write a smaller schema")])
