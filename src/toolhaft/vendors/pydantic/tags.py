"""The tags of discriminated unions: pydantic requires them, also where a field has a default.

Its JSON Schema leaves such a field optional. A class may be a branch in one place and stand alone
in another, where its tag is optional: then it has two definitions.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from copy import deepcopy
from typing import Any, TypeAlias

from toolhaft.definition.names import free_name
from toolhaft.vendors.emission_rules import REFS, object_nodes

__all__ = ["require_in_definitions", "require_key"]

Node: TypeAlias = dict[str, Any]


def require_key(node: Node, key: str) -> None:
    """Require a key of an object, or of each branch of a union, in place.

    >>> node = {"properties": {"kind": {"const": "dog"}}}
    >>> require_key(node, "kind")
    >>> node["required"]
    ['kind']
    """
    if "oneOf" in node:
        for branch in node["oneOf"]:
            require_key(branch, key)
    elif key not in node.get("required", ()):
        node["required"] = [key, *node.get("required", ())]


def require_in_definitions(root: Node, definitions: dict[str, Node]) -> None:
    """Move what is required beside references into definitions, in place."""
    while any(_move(definitions[n], uses) for n, uses in _uses(root, definitions).items()):
        pass
    variants: dict[tuple[str, tuple[str, ...]], str] = {}
    waiting = [root, *definitions.values()]
    for part in waiting:
        for node in object_nodes(part):
            if "$ref" in node and "required" in node:
                name, keys = node["$ref"].removeprefix(REFS), tuple(node["required"])
                if (name, keys) not in variants:
                    variant = variants[name, keys] = free_name(name, definitions)
                    waiting.append(_add_variant(definitions, name, keys, variant))
                node["$ref"] = REFS + variants[name, keys]
                del node["required"]


def _uses(root: Node, definitions: dict[str, Node]) -> dict[str, list[Node]]:
    """Return the references to each definition."""
    uses: defaultdict[str, list[Node]] = defaultdict(list)
    for part in (root, *definitions.values()):
        for node in object_nodes(part):
            if "$ref" in node:
                uses[node["$ref"].removeprefix(REFS)].append(node)
    return uses


def _move(definition: Node, references: Iterable[Node]) -> bool:
    """Move keys that every reference requires to the definition; return whether there are any."""
    required = [node.pop("required", []) for node in references]
    shared = [key for key in required[0] if all(key in keys for keys in required)]
    for key in shared:
        require_key(definition, key)
    for node, keys in zip(references, required, strict=True):
        if left := [key for key in keys if key not in shared]:
            node["required"] = left
    return bool(shared)


def _add_variant(
    definitions: dict[str, Node], name: str, keys: Iterable[str], variant: str
) -> Node:
    """Add a definition that requires further keys."""
    definition = definitions[variant] = deepcopy(definitions[name])
    for key in keys:
        require_key(definition, key)
    return definition
