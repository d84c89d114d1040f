"""Which strict core schemas take data apart completely, so that nothing of the caller's remains.

Of such a schema the validator builds every container anew and refuses all that is not plain JSON;
data of exact types needs no copy before it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from toolhaft.vendors.pydantic.walk import Node, Route

__all__ = ["copies", "flat"]

# Nodes that keep nothing: scalars, and types that are read from them.
LEAVES: Final = frozenset({
    "none", "bool", "int", "float", "str", "literal", "enum", "uuid", "date", "datetime", "time",
    "timedelta", "decimal", "fraction", "url", "multi-host-url", "bytes", "definition-ref",
})  # fmt: skip
# Nodes of which pydantic reads subclasses as their base, and calls none of their methods.
SCALARS: Final = frozenset({"none", "bool", "int", "float", "str"})
# Nodes that build a container anew, or only stand around another node.
BUILDERS: Final = frozenset({
    "list", "dict", "typed-dict", "model", "model-fields", "dataclass", "dataclass-args", "default",
    "nullable", "union", "tagged-union", "definitions", "chain", "tuple",
})  # fmt: skip
# What each container must say of its content: what it says nothing of, it would pass on.
NEEDED: Final = {"list": "items_schema", "tuple": "items_schema", "dict": "values_schema"}


def copies(schema: Node, route: Route) -> bool:
    """Whether what the schema constructs shares nothing with the data."""
    if route == "json":
        return False  # written as JSON first, by a writer that knows more types than JSON has
    queue = [schema]
    while queue:
        node = queue.pop()
        if node["type"] in LEAVES:
            continue
        if node["type"] not in BUILDERS or NEEDED.get(node["type"], "type") not in node:
            return False
        if _keeps_extras(node):
            return False
        queue += _inner(node)
    return True


def flat(schema: Node) -> bool:
    """Whether the schema is of an object that holds nothing but plain scalars."""
    while "fields" not in schema or schema["type"] == "dataclass":
        if schema["type"] not in ("model", "dataclass"):
            return False
        schema = schema["schema"]
    return all(map(_is_scalar, _inner(schema)))


def _is_scalar(node: Node) -> bool:
    while node["type"] in ("default", "nullable"):
        node = node["schema"]
    return node["type"] in SCALARS


def _keeps_extras(node: Node) -> bool:
    config: dict[str, Any] = node.get("config") or {}
    behaviour = node.get("extra_behavior") or config.get("extra_fields_behavior")
    return behaviour == "allow" and "extras_schema" not in node


def _inner(node: Node) -> Iterator[Node]:
    for key in ("schema", "keys_schema", "values_schema", "extras_schema"):
        if key in node:
            yield node[key]
    for key in ("items_schema", "steps", "definitions", "choices", "fields"):
        for part in _parts(node.get(key, ()), table=key in ("choices", "fields")):
            one = part[0] if isinstance(part, tuple) else part
            if isinstance(one, dict):  # a dataclass lists its fields' names beside its arguments
                yield one["schema"] if one["type"].endswith("-field") else one


def _parts(value: Any, *, table: bool) -> list[Any]:
    """The nodes under a key: a list of them, a table by name, or one node."""
    if isinstance(value, dict):
        return list(value.values()) if table else [value]
    return list(value)
