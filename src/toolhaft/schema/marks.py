"""Facts about a node that an adapter writes into its schema beside the keywords.

A validator library knows more of a node than JSON Schema can say: that an author's function stands
before it, by which other names a key is read, what becomes of undeclared keys. The facts travel
with the node through references, unions and inlining; they never leave the library.

| fact | of | meaning |
|---|---|---|
| `open` | any node | an author's function widens it: other values may be right |
| `extra` | objects | what becomes of undeclared keys: `forbid`, `ignore` or `allow` |
| `dropped` | objects of a fast gate | undeclared keys are no reason to refuse: they are dropped |
| `other_names` | objects | another name of a declared key, to that key; or None: nothing reads it |
| `authored` | any node | a person wrote it: formats in it are not asserted |
| `fields` | objects, arrays | the fields of what is made of it (`vendors/fields.py`) |
| `rewritten` | any node | an author's function may put another value in its place |
| `defined` | any node | the definition that was written out here: its name, what stood beside it |
| `decimal` | numbers | the value is a Decimal, which keeps the digits of the text |
| `located` | objects | how the library names a declared key where it refuses it, to that key |
| `json_text` | texts | the text holds JSON, of `contentSchema` |
| `typed_keys` | objects | keys of a map are read as what `propertyNames` says; False: as they are |
| `origin` | of a derived tool | where the level of a recursion stood first |
| `made` | of a derived tool | an object is made if the value is absent or null |
| `key_changes` | objects | how keys of a map that are text are changed, by `map_keys.KEY_CHANGES` |
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from toolhaft.schema.document.walk import child_nodes, replace_children

__all__ = ["MARK", "mark", "marks_of", "merged_marks", "without_fact", "without_marks"]

MARK: Final = "x-toolhaft"
NONE: Final[Mapping[str, Any]] = {}


def mark(node: dict[str, Any], **facts: Any) -> None:
    """Write facts about a node into it."""
    node[MARK] = {**node.get(MARK, NONE), **facts}


def marks_of(node: Any) -> Mapping[str, Any]:
    """Return the facts about a node."""
    marks: Mapping[str, Any] = node.get(MARK, NONE) if isinstance(node, dict) else NONE
    return marks


def merged_marks(*nodes: Any) -> dict[str, Any]:
    """Return the facts about one value that several nodes state, as a keyword of a node."""
    facts: dict[str, Any] = {}
    for node in nodes:
        facts |= marks_of(node)
    return {MARK: facts} if facts else {}


def without_fact(schema: Any, fact: str) -> Any:
    """Return the schema without one fact about any of its nodes.

    >>> without_fact({"items": {"x-toolhaft": {"open": True, "defined": {}}}}, "defined")
    {'items': {'x-toolhaft': {'open': True}}}
    """
    if not isinstance(schema, dict):
        return schema
    children = {steps: without_fact(node, fact) for steps, node in child_nodes(schema)}
    node = replace_children(schema, children) if children else {**schema}
    if fact in marks_of(node):
        facts = {name: value for name, value in node.pop(MARK).items() if name != fact}
        node |= {MARK: facts} if facts else {}
    return node


def without_marks(schema: Any) -> Any:
    """Return the schema as it goes out; itself if it has no marks.

    >>> without_marks({"type": "integer", "x-toolhaft": {"open": True}})
    {'type': 'integer'}
    """
    if not isinstance(schema, dict):
        return schema
    changes = {}
    for steps, node in child_nodes(schema):
        unmarked = without_marks(node)
        if unmarked is not node:
            changes[steps] = unmarked
    node = replace_children(schema, changes) if changes else schema
    return {key: value for key, value in node.items() if key != MARK} if MARK in node else node
