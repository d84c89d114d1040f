"""Count, apart from toolhaft, what `check` finds in tools in MCP's shape.

`undescribed`: properties, at any place, that have no description, nor has the definition that a
`$ref` of theirs leads to, nor have all their forms but null. `defaults`: subschemas, at any
place, whose default jsonschema-rs refuses by that subschema (formats are not checked). `deep`:
tools with a subschema more than three steps of properties, map values or items below the root, as
written.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jsonschema_rs import Draft202012Validator

INWARD = ("properties", "patternProperties", "additionalProperties", "items", "prefixItems")
NAMED = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
LISTED = ("anyOf", "oneOf", "allOf", "prefixItems")


def walk(node: Any, level: int = 0) -> Iterator[tuple[int, Any]]:
    if isinstance(node, dict):
        yield level, node
        for key, value in node.items():
            inner = [value] if key in ("items", "additionalProperties", "not") else []
            inner = list(value.values()) if key in NAMED else value if key in LISTED else inner
            for one in inner:
                yield from walk(one, level + (key in INWARD))


def is_described(node: Any) -> bool:
    forms = node.get("anyOf") or node.get("oneOf") or node.get("allOf") or []
    forms = [form for form in forms if form != {"type": "null"}]
    own = str(node.get("description") or "").strip() != ""
    return own or (forms != [] and all(map(is_described, forms)))


def undescribed(schema: Any) -> int:
    found = [{**schema.get("$defs", {}).get(str(one.get("$ref"))[8:], {}), **one}
             for _, at in walk(schema) for one in at.get("properties", {}).values()]  # fmt: skip
    return sum(not is_described(one) for one in found)


def bad_defaults(schema: Any) -> int:
    held = {key: schema[key] for key in ("$defs", "definitions") if key in schema}
    nodes = [node for _, node in walk(schema) if "default" in node]
    return sum(not Draft202012Validator({**held, **n}).is_valid(n["default"]) for n in nodes)


def is_deep(schema: Any) -> bool:
    return max(level for level, _ in walk(schema)) > 3
