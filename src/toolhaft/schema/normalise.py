"""Any schema in the terms of draft 2020-12, with the same meaning.

Read are the drafts 4, 6, 7 and 2019-09 where `$schema` names one of them. A schema that names none
is read as 2020-12 in which the older spellings, and OpenAPI 3.0's `nullable`, mean what they say.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from toolhaft.schema.document.references import (
    anchor_name,
    dangling,
    faults_at,
    is_uri,
    ref_to,
    tokens,
)
from toolhaft.schema.document.walk import (
    MAPS,
    child_nodes,
    pointer,
    replace_children,
    walk_schemas,
)
from toolhaft.schema.draft import CURRENT, CURRENT_URI, DRAFT_4, DRAFT_7, draft_of, unknown_to
from toolhaft.schema.facts import Facts, facts_of
from toolhaft.schema.faults import SchemaFault, SchemaRefused
from toolhaft.spec import Path

__all__ = ["is_current", "normalise"]

Node: TypeAlias = Mapping[str, Any]
Rule: TypeAlias = "Callable[[Any, Node, _Normaliser], Mapping[str, Any]]"

# Up to draft 7 everything else beside `$ref` is ignored (draft-07 core, 8.3).
BESIDE_REF = frozenset({
    "$comment", "$defs", "$ref", "$schema", "default", "definitions", "deprecated", "description",
    "examples", "title",
})  # fmt: skip
# Older words, and their current equivalents.
BESIDE = (
    ("dependencies", "dependentRequired"),
    ("dependencies", "dependentSchemas"),
    ("items", "prefixItems"),
)
# An identifier that any engine reads. No reference may use it, so that one in another form goes.
PLAIN_ID = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*:)?[A-Za-z0-9._~/-]*#?")


def normalise(schema: Any) -> Any:
    """Return the schema in 2020-12 terms; itself, not a copy, if nothing has to change.

    The input is never changed, and a copy shares unchanged parts with it.

    Raises:
        SchemaRefused: References other than JSON pointers and anchors in the schema (`$id`,
            `$dynamicRef`, another document), or a schema without reasonable bounds.

    >>> normalise({"definitions": {"n": {"minimum": 0, "exclusiveMinimum": True}}})
    {'$defs': {'n': {'exclusiveMinimum': 0}}}
    """
    if is_current(schema, facts_of(schema)):
        return schema
    return _Normaliser(schema).rewrite(schema)


def is_current(schema: Any, facts: Facts) -> bool:
    """Whether nothing in a schema of these facts has to be looked at or changed: true of most."""
    return (
        draft_of(schema) in (None, CURRENT)
        and facts.is_current
        and all(_is_plain_reference(schema, ref) for ref in set(map(str, facts.refs)))
    )


def _is_plain_reference(schema: Any, ref: str) -> bool:
    """Whether a reference leads to a named subschema, and any engine reads how it is written."""
    steps = tokens(ref)
    if steps is None or len(steps) % 2 or not is_uri(ref):
        return False
    node = schema
    for word, name in zip(steps[::2], steps[1::2], strict=True):
        named = node.get(word) if isinstance(node, dict) and word in MAPS else None
        if not isinstance(named, dict) or name not in named:
            return False
        node = named[name]
    return True


class _Normaliser:
    """How one schema is read: its draft, and where each of its subschemas will stand."""

    def __init__(self, schema: Any) -> None:
        self.draft = draft_of(schema)
        self.unknown = unknown_to(self.draft)
        self.ref_stands_alone = self.draft is not None and self.draft <= DRAFT_7
        self.places: dict[tuple[str, ...], Path] = {(): ()}
        self.anchors: dict[str, tuple[str, ...]] = {}
        faults = self.find_places(schema)
        if faults:
            raise SchemaRefused(faults)

    def find_places(self, schema: Any) -> list[SchemaFault]:
        """Find the places of all subschemas, and the faults of their references."""
        faults: list[SchemaFault] = []
        refs: dict[Path, Any] = {}
        bases: list[Path] = []
        for steps, node in walk_schemas(schema, self.known_part):
            known = self.known_part(node)
            here = self.places[_as_text(steps)]
            for (word, *rest), _ in child_nodes(known):
                new_steps = (*here, _current_name(str(word), known, self.draft), *rest)
                self.places[_as_text((*steps, word, *rest))] = new_steps
            node_faults = _faults_of_node(steps, known, self.draft)
            if not node_faults and isinstance(known, dict) and "$ref" in known:
                refs[steps] = known["$ref"]
            if steps and self.is_base(known):
                bases.append(steps)
            faults += node_faults
            anchor = None if node_faults else self.anchor_of(known)
            # An anchor inside a part with a base of its own is no name for the whole.
            if anchor is not None and not any(_within(steps, base) for base in bases):
                if anchor in self.anchors:
                    faults.append(_repeated_anchor(steps))
                self.anchors[anchor] = _as_text(steps)
        faults += [dangling(steps, ref) for steps, ref in refs.items()
                   if self.steps_to(ref) not in self.places]  # fmt: skip
        return faults + [
            _rebased_fault(base) for base in bases if any(_within(r, base) for r in refs)
        ]

    def known_part(self, node: Any) -> Any:
        """The part of a node that its draft knows."""
        if not isinstance(node, dict):
            return node
        words = node.keys() - self.unknown
        if self.ref_stands_alone and "$ref" in node:
            words &= BESIDE_REF
        if len(words) == len(node):
            return node
        return {word: value for word, value in node.items() if word in words}

    def anchor_of(self, node: Any) -> str | None:
        """Return the anchor of a node; up to draft 7 it is an identifier that begins with #."""
        if not isinstance(node, dict):
            return None
        if self.draft is None or self.draft > DRAFT_7:
            return node.get("$anchor")
        return anchor_name(node.get("id" if self.draft == DRAFT_4 else "$id"))

    def steps_to(self, ref: str) -> tuple[str, ...] | None:
        """Return the place that a reference leads to, in the schema as written."""
        name = anchor_name(ref)
        return tokens(ref) if name is None else self.anchors.get(name)

    def is_base(self, node: Any) -> bool:
        """Whether references inside a node are relative to the node, not to the whole."""
        word = "id" if self.draft == DRAFT_4 else "$id"
        name = node.get(word) if isinstance(node, dict) else None
        return isinstance(name, str) and not name.startswith("#")

    def rewrite(self, node: Any) -> Any:
        if not isinstance(node, dict):
            return node
        modern = self.modernise_node(node)
        changes: dict[Path, Any] = {}
        for steps, sub in child_nodes(modern):
            new = self.rewrite(sub)
            if new is not sub:
                changes[steps] = new
        return replace_children(modern, changes) if changes else modern

    def modernise_node(self, node: dict[str, Any]) -> dict[str, Any]:
        """Return one node in modern words; its inner nodes keep their old ones."""
        known = self.known_part(node)
        new: dict[str, Any] = {}
        for word, value in known.items():
            new |= RULES[word](value, known, self) if word in RULES else {word: value}
        same = new.keys() == node.keys() and all(new[word] is node[word] for word in node)
        return node if same else new


def _as_text(steps: Path) -> tuple[str, ...]:
    return tuple(map(str, steps))


def _within(steps: Path, base: Path) -> bool:
    return steps[: len(base)] == base


def _repeated_anchor(steps: Path) -> SchemaFault:
    reason = "another schema has the same $anchor"
    return SchemaFault(pointer(steps), reason, "give each a name of its own")


def _rebased_fault(steps: Path) -> SchemaFault:
    reason = "an identifier of its own makes the references inside it relative to it"
    return SchemaFault(pointer(steps), reason, "drop the identifier")


def _faults_of_node(steps: Path, node: Any, draft: int | None) -> list[SchemaFault]:
    """Foreign references, and old words whose successors stand beside them already."""
    return faults_at(steps, node) + [
        SchemaFault(pointer(steps), f"{old} stands beside {new}", f"use {new} alone")
        for old, new in BESIDE
        if isinstance(node, dict) and old in node and new in node and _is_old(old, node, draft)
    ]


def _is_old(word: str, node: Node, draft: int | None) -> bool:
    return word != "items" or _current_name(word, node, draft) != word


def _current_name(word: str, node: Node, draft: int | None) -> str:
    """Today's word for a keyword that holds subschemas."""
    if word == "definitions" and "$defs" not in node:
        return "$defs"
    if word == "dependencies":
        return "dependentSchemas"
    if draft != CURRENT and isinstance(node.get("items"), list):
        return {"items": "prefixItems", "additionalItems": "items"}.get(word, word)
    return word


def _definitions(value: Any, node: Node, normaliser: _Normaliser) -> Node:
    return {_current_name("definitions", node, normaliser.draft): value}


def _items(value: Any, node: Node, normaliser: _Normaliser) -> Node:
    # An empty tuple asserts nothing, and 2020-12 wants at least one schema in `prefixItems`.
    return {} if value == [] else {_current_name("items", node, normaliser.draft): value}


def _additional_items(value: Any, node: Node, normaliser: _Normaliser) -> Node:
    name = _current_name("additionalItems", node, normaliser.draft)
    return {name: value} if name == "items" or normaliser.draft == CURRENT else {}


def _dependencies(value: Any, _: Node, __: _Normaliser) -> Node:
    if not isinstance(value, dict):
        return {"dependencies": value}
    keys = {name: said for name, said in value.items() if isinstance(said, list)}
    schemas = {name: said for name, said in value.items() if not isinstance(said, list)}
    both = {"dependentRequired": keys, "dependentSchemas": schemas}
    return {word: said for word, said in both.items() if said}


def _bound(word: str, exclusive: str) -> Rule:
    def rule(value: Any, node: Node, normaliser: _Normaliser) -> Node:
        is_exclusive = normaliser.draft in (None, DRAFT_4) and node.get(exclusive) is True
        return {} if is_exclusive else {word: value}

    return rule


def _exclusive(word: str, bound: str) -> Rule:
    """In draft 4 a flag on the bound, later a bound of its own."""

    def rule(value: Any, node: Node, normaliser: _Normaliser) -> Node:
        if not isinstance(value, bool) or normaliser.draft not in (None, DRAFT_4):
            return {word: value}
        return {word: node[bound]} if value and bound in node else {}

    return rule


def _nullable(value: Any, _: Node, normaliser: _Normaliser) -> Node:
    return {} if normaliser.draft is None else {"nullable": value}


def _type(value: Any, node: Node, normaliser: _Normaliser) -> Node:
    """OpenAPI 3.0.3: `nullable` adds null to the type beside it, and to nothing else."""
    if normaliser.draft is not None or node.get("nullable") is not True:
        return {"type": value}
    names = value if isinstance(value, list) else [value]
    return {"type": value if "null" in names else [*names, "null"]}


def _ref(value: Any, _: Node, normaliser: _Normaliser) -> Node:
    steps = normaliser.steps_to(value) or ()
    new_steps = normaliser.places[steps]
    if anchor_name(value) is not None:
        return {"$ref": ref_to(new_steps)}
    return {"$ref": value if steps == _as_text(new_steps) and is_uri(value) else ref_to(new_steps)}


def _id(value: Any, _: Node, __: _Normaliser) -> Node:
    return {"$id": value} if isinstance(value, str) and PLAIN_ID.fullmatch(value) else {}


def _old_id(value: Any, _: Node, normaliser: _Normaliser) -> Node:
    return {} if normaliser.draft == DRAFT_4 else {"id": value}


def _schema(value: Any, _: Node, normaliser: _Normaliser) -> Node:
    return {"$schema": value if normaliser.draft in (None, CURRENT) else CURRENT_URI}


def _anchor(_: Any, __: Node, ___: _Normaliser) -> Node:
    return {}  # the references to it are pointers now


RULES: dict[str, Rule] = {
    "$anchor": _anchor,
    "$id": _id,
    "$ref": _ref,
    "$schema": _schema,
    "additionalItems": _additional_items,
    "definitions": _definitions,
    "dependencies": _dependencies,
    "exclusiveMaximum": _exclusive("exclusiveMaximum", "maximum"),
    "exclusiveMinimum": _exclusive("exclusiveMinimum", "minimum"),
    "id": _old_id,
    "items": _items,
    "maximum": _bound("maximum", "exclusiveMaximum"),
    "minimum": _bound("minimum", "exclusiveMinimum"),
    "nullable": _nullable,
    "type": _type,
}
