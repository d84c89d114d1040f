"""What every emitted schema has in common: no empty schema, no module names, short descriptions."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping
from typing import Any, Final

from toolhaft.definition.docstrings import read
from toolhaft.schema.document.walk import child_nodes, replace_children
from toolhaft.schema.marks import MARK, merged_marks
from toolhaft.spec import Path
from toolhaft.vendors.annotations import documented

__all__ = [
    "JSON_TYPES",
    "REFS",
    "descriptions",
    "embedded",
    "expand_roots",
    "is_untyped",
    "objects",
    "renamed",
    "short_name",
]
__all__ += ["summary", "typed", "unused", "whole"]

REFS: Final = "#/$defs/"

JSON_TYPES: Final = ("null", "boolean", "number", "string", "array", "object")
# Where a model is to write a value.
SHOWN: Final = ("properties", "items", "prefixItems", "anyOf", "oneOf")
_NOTES: Final = frozenset({
    "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", MARK,
})  # fmt: skip


def is_untyped(schema: dict[str, Any]) -> bool:
    """Say whether a schema asserts nothing."""
    return schema.keys() <= _NOTES


def typed(schema: dict[str, Any]) -> dict[str, Any]:
    """Say in so many words that anything goes: clients misread an empty schema."""
    return {"type": list(JSON_TYPES), **schema} if is_untyped(schema) else schema


def expand_roots(schema: dict[str, Any]) -> dict[str, Any]:
    """Let every part of an emitted schema say which types it takes; what is open stays open.

    >>> expand_roots({"type": "array", "items": {}})["items"]["type"][0]
    'null'
    """
    changes: dict[Path, Any] = {}
    for steps, node in child_nodes(schema):
        made = expand_roots(node) if isinstance(node, dict) else node
        if steps[0] == "additionalProperties" and made == {}:
            made = True
        elif steps[0] in SHOWN and isinstance(made, dict):
            made = typed(made)
        if made is not node:
            changes[steps] = made
    return replace_children(schema, changes) if changes else schema


def short_name(reference: str) -> str:
    """Name a definition after its class, without the module.

    >>> short_name("package.module.Box:94673[int:8842]")
    'Box_int'
    """
    if reference.isascii() and reference.isalnum():
        return reference
    parts = re.sub(r"[^\[\],]+", lambda one: _class_name(one[0]), reference)
    return re.sub(r"[^A-Za-z0-9_-]+", "_", parts).strip("_")


def _class_name(part: str) -> str:
    return part.rsplit(":", 1)[0].rsplit(".", 1)[-1]


def whole(root: dict[str, Any], definitions: Mapping[str, Any]) -> dict[str, Any]:
    """Give one schema: a root that says itself what it is, and the definitions that it needs."""
    made = {key: value for key, value in root.items() if key not in ("$defs", "$ref")}
    if "$ref" in root:
        meant = definitions[root["$ref"].removeprefix(REFS)]
        made = {**meant, **made, **merged_marks(meant, made)}
        used = _used(made, definitions)
        definitions = {name: one for name, one in definitions.items() if name in used}
    return {**made, "$defs": dict(definitions)} if definitions else made


def _used(root: dict[str, Any], definitions: Mapping[str, Any]) -> set[str]:
    used: set[str] = set()
    queue = [root]
    while queue:
        for node in objects(queue.pop()):
            name = node.get("$ref", "").removeprefix(REFS)
            if name and name not in used:
                used.add(name)
                queue.append(definitions[name])
    return used


def objects(schema: Any) -> Iterator[dict[str, Any]]:
    """Give every subschema that is an object, itself included; a vendor's schema is a tree."""
    stack = [schema]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            yield node
            stack.extend(below for _, below in child_nodes(node))


def renamed(node: dict[str, Any], names: Mapping[str, str]) -> None:
    """Let a node refer to definitions by their new names, in place."""
    if "$ref" in node:
        node["$ref"] = _renamed(node["$ref"], names)
    mapping = node.get("discriminator", {}).get("mapping", {})
    mapping.update({tag: _renamed(reference, names) for tag, reference in mapping.items()})


def _renamed(reference: str, names: Mapping[str, str]) -> str:
    name = reference.removeprefix(REFS)
    return REFS + names.get(name, name)


def embedded(schema: dict[str, Any], whole: dict[str, Any]) -> dict[str, Any]:
    """Hoist a schema's definitions into the whole's, under names that are free there.

    Raises:
        LookupError: The schema points at something else inside itself, and names it.
    """
    own: dict[str, Any] = schema.pop("$defs", {})
    shared: dict[str, Any] = whole.setdefault("$defs", {}) if own else {}
    names: dict[str, str] = {}
    for name in own:
        names[name] = unused(name, {*shared, *names.values()})
    for part in (schema, *own.values()):
        for node in objects(part):
            _require_definition(node, names)
            renamed(node, names)
    shared.update({names[name]: definition for name, definition in own.items()})
    return schema


def _require_definition(node: dict[str, Any], names: Mapping[str, str]) -> None:
    reference = str(node.get("$ref", ""))
    if reference and reference.removeprefix(REFS) not in names:
        raise LookupError(reference)


def unused(name: str, taken: Container[str]) -> str:
    """Give a name, numbered where it is taken: `City`, `City_2`, `City_3`."""
    free, number = name, 1
    while free in taken:
        number += 1
        free = f"{name}_{number}"
    return free


def summary(cls: type) -> str | None:
    """Give a class's own docstring without its sections; what a dataclass makes up is none."""
    doc = _docstring(cls)
    return read(doc).summary or None if doc else None


def descriptions(cls: type) -> dict[str, str]:
    """Give the descriptions of a class's fields: from `Doc`, else from its docstring."""
    doc = _docstring(cls)
    told = read(doc).parameters if doc else {}
    return {**told, **documented(cls)}


def _docstring(cls: type) -> str | None:
    doc = vars(cls).get("__doc__")
    return doc if isinstance(doc, str) and not doc.startswith(f"{cls.__name__}(") else None
