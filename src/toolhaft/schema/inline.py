"""References that do not recurse, written out: many clients mishandle them.

It is done where the schema does not more than double; a definition that holds itself stays one.
Accepted values stay the same: what stands beside a reference holds together with its target
(JSON Schema 2020-12, 8.2.3.1).
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from toolhaft.schema.walk import replaced, subschemas

__all__ = ["inlined"]

DEFS = "#/$defs/"
# What says something of a value and asserts nothing: beside a reference it is said of the whole.
ANNOTATIONS = frozenset({
    "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly",
    "$comment",
})  # fmt: skip


def inlined(schema: dict[str, Any]) -> dict[str, Any]:
    """Write out the definitions of a schema that do not hold themselves, where it stays small.

    >>> inlined({"properties": {"at": {"$ref": "#/$defs/Place"}},
    ...          "$defs": {"Place": {"type": "string"}}})
    {'properties': {'at': {'type': 'string'}}}
    """
    definitions = schema.get("$defs")
    if not definitions:
        return schema
    writer = _Writer(definitions)
    body = {key: value for key, value in schema.items() if key != "$defs"}
    made = writer.written(body)
    kept = {name: writer.written(one) for name, one in definitions.items() if name in writer.kept}
    whole = {**made, "$defs": kept} if kept else made
    return whole if _size(whole) <= 2 * _size(schema) else schema


class _Writer:
    """The definitions of one schema, and those of them that must stay."""

    def __init__(self, definitions: Mapping[str, Any]) -> None:
        self.definitions = definitions
        reached = {name: self._reached(name) for name in definitions}
        self.kept = {name for name, others in reached.items() if name in others}

    def written(self, node: Any) -> Any:
        """A copy of a node with every reference in it replaced by what it means."""
        if not isinstance(node, dict):
            return node
        node = replaced(node, {steps: self.written(sub) for steps, sub in subschemas(node)})
        name = _name(node)
        if "discriminator" in node:  # OpenAPI's aid for references; the constants say it
            del node["discriminator"]
        if name is None or name in self.kept or name not in self.definitions:
            return node
        beside = {key: value for key, value in node.items() if key != "$ref"}
        meant = self.written(deepcopy(self.definitions[name]))
        if beside.keys() <= ANNOTATIONS and isinstance(meant, dict):
            return {**meant, **beside}
        return {**beside, "allOf": [*beside.get("allOf", ()), meant]}

    def _reached(self, start: str) -> set[str]:
        """The definitions that one refers to, however far."""
        found: set[str] = set()
        waiting: list[Any] = [self.definitions[start]]
        while waiting:
            node = waiting.pop()
            name = _name(node)
            if name is not None and name not in found and name in self.definitions:
                found.add(name)
                waiting.append(self.definitions[name])
            waiting.extend(sub for _, sub in subschemas(node))
        return found


def _name(node: Any) -> str | None:
    """The definition that a node refers to."""
    ref = node.get("$ref") if isinstance(node, dict) else None
    if not isinstance(ref, str) or not ref.startswith(DEFS):
        return None
    return ref.removeprefix(DEFS).replace("~1", "/").replace("~0", "~")


def _size(schema: Any) -> int:
    """The number of schemas in a schema, itself included."""
    return 1 + sum(_size(sub) for _, sub in subschemas(schema))
