"""Where pydantic's errors are in the data.

A location names union branches and tags between the keys of the data, so it is read along the
core schema, which knows one from the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from toolhaft.vendors.pydantic.walk import GUARD, Node

__all__ = ["Place", "definitions_of", "place_of"]


class Place(NamedTuple):
    """Where an error is: the path into the data, the schema's node there, may it be null."""

    path: tuple[str | int, ...]
    node: Node
    nullable: bool


def definitions_of(schema: Node) -> dict[str, Node]:
    """Give the shared nodes of a core schema by their references."""
    return {one["ref"]: one for one in schema.get("definitions", ())}


def place_of(loc: Sequence[str | int], schema: Node, definitions: Mapping[str, Node]) -> Place:
    """Read a location along the core schema: keys and indices are data, branch names are not."""
    path: list[str | int] = []
    rest = [step for step in loc if step != GUARD]
    node: Node | None = schema
    nullable, depth = False, 0
    while node is not None:
        node, here = _unwrapped(node, definitions)
        nullable = here or (nullable and depth == len(path))
        if not rest:
            return Place(tuple(path), node, nullable)
        depth = len(path)
        node = _below(node, rest, path)
    return Place((*path, *rest), {"type": "any"}, nullable=False)


def _unwrapped(node: Node, definitions: Mapping[str, Node]) -> tuple[Node, bool]:
    nullable = False
    while True:
        kind = node["type"]
        nullable |= kind == "nullable"
        if kind == "definition-ref":
            node = definitions[node["schema_ref"]]
        elif kind == "chain":
            node = node["steps"][-1]
        elif "schema" in node:
            node = node["schema"]
        else:
            return node, nullable


def _below(node: Node, rest: list[str | int], path: list[str | int]) -> Node | None:
    """Go one step down: what is data goes from `rest` to `path`, a branch's name is dropped."""
    kind = node["type"]
    if kind == "union":
        return _choice(node, str(rest.pop(0)))
    if kind == "tagged-union":
        tag = str(rest.pop(0))
        return next((one for key, one in node["choices"].items() if _tag(key) == tag), None)
    if "fields" in node:
        return _field(node, rest, path)
    step = rest.pop(0)
    path.append(step)
    if rest and rest[0] == "[key]":
        rest.pop(0)
        return None
    return _item(node, step)


def _choice(node: Node, label: str) -> Node | None:
    found: Node | None = next((one for one, name in node["choices"] if name == label), None)
    return found


def _tag(key: Any) -> str:
    return str(getattr(key, "value", key))


def _item(node: Node, step: str | int) -> Node:
    items = node.get("values_schema") or node.get("items_schema") or {"type": "any"}
    if not isinstance(items, list):
        return dict(items)
    variadic = node.get("variadic_item_index")
    place = step if isinstance(step, int) and step < len(items) else (variadic or 0)
    return dict(items[place]) if items else {"type": "any"}


def _field(node: Node, rest: list[str | int], path: list[str | int]) -> Node | None:
    fields = node["fields"]
    named = fields.items() if isinstance(fields, dict) else [(one["name"], one) for one in fields]
    for name, field in named:
        for spelling in ([name], *_aliases(field)):
            if rest[: len(spelling)] == spelling:
                path.extend(spelling)
                del rest[: len(spelling)]
                return dict(field["schema"])
    path.append(rest.pop(0))
    return node.get("extras_schema")


def _aliases(field: Node) -> list[list[str | int]]:
    alias = field.get("validation_alias")
    if alias is None:
        return []
    if isinstance(alias, str):
        return [[alias]]
    return [list(one) for one in alias] if isinstance(alias[0], list) else [list(alias)]
