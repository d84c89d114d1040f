"""References inside a schema; a reference to the outside is rejected, never followed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from toolhaft.schema.document.walk import (
    child_nodes,
    nodes_of,
    pointer,
    replace_children,
    walk_schemas,
)
from toolhaft.schema.faults import SchemaFault, SchemaRefused
from toolhaft.spec import Path

__all__ = [
    "OTHER_MEANS",
    "anchor_name",
    "beside_reference",
    "dangling",
    "extended",
    "faults_at",
    "followed",
    "is_uri",
    "map_references",
    "merged_with_target",
    "ref_to",
    "references_in",
    "resolve",
]
__all__ += ["show_ref", "target_of", "target_pointer", "tokens"]

FIX = 'write a JSON pointer into this schema, such as "#/$defs/name"'
# Keywords of JSON Schema 2019-09 and 2020-12 (8.2) that name a schema by other means.
OTHER_MEANS = ("$dynamicAnchor", "$dynamicRef", "$recursiveAnchor", "$recursiveRef")
# JSON Schema 2020-12, 8.2.2.
ANCHOR = re.compile("[A-Za-z_][A-Za-z0-9._-]*")
# The characters that RFC 3986 allows in a fragment, and the % of an escape.
LEGAL = frozenset(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~!$&'()*+,;=:@/?%"
)


def tokens(ref: Any) -> tuple[str, ...] | None:
    """Return the steps of a local reference, all as text, or None if it is not local.

    >>> tokens("#/$defs/a~1b"), tokens("https://example.com/x.json")
    (('$defs', 'a/b'), None)
    """
    if not isinstance(ref, str) or not (ref == "#" or ref.startswith("#/")):
        return None
    if "%" in ref:
        from urllib.parse import unquote

        ref = unquote(ref)
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in ref.split("/")[1:])


def anchor_name(ref: Any) -> str | None:
    """Return the anchor that a reference names, or None if it names none.

    >>> anchor_name("#place"), anchor_name("#/$defs/place")
    ('place', None)
    """
    if not isinstance(ref, str) or not ref.startswith("#") or ref == "#":
        return None
    if "%" in ref:
        from urllib.parse import unquote

        ref = unquote(ref)
    return ref[1:] if ANCHOR.fullmatch(ref, 1) else None


def target_pointer(ref: Any) -> str:
    """Return the JSON pointer of a local reference: one spelling for each target.

    >>> target_pointer("#/%24defs/a"), target_pointer("#")
    ('/$defs/a', '')
    """
    return pointer(tokens(ref) or ())


def is_uri(ref: str) -> bool:
    """Whether a local reference has only characters that a URI may have; some engines insist."""
    return LEGAL.issuperset(ref.removeprefix("#"))


def ref_to(steps: Path) -> str:
    """The local reference to a place, escaped as a URI fragment.

    >>> ref_to(("$defs", "a b"))
    '#/$defs/a%20b'
    """
    text = pointer(steps)
    if not LEGAL.issuperset(text) or "%" in text:
        from urllib.parse import quote

        text = quote(text, safe="".join(LEGAL - {"%"}))
    return f"#{text}"


def resolve(root: Any, ref: str) -> Any:
    """Return the target of a local reference, one step only: it may be a reference again.

    Raises:
        SchemaRefused: The reference leads outside, or to nothing.

    >>> resolve({"$defs": {"name": {"type": "string"}}}, "#/$defs/name")
    {'type': 'string'}
    """
    steps = tokens(ref)
    if steps is None:
        return _resolve_anchor(root, ref)
    node = root
    for step in steps:
        if isinstance(node, dict) and step in node:
            node = node[step]
        elif isinstance(node, list) and step in map(str, range(len(node))):
            node = node[int(step)]
        else:
            raise SchemaRefused([dangling((), ref)])
    return node


def _resolve_anchor(root: Any, ref: str) -> Any:
    name = anchor_name(ref)
    if name is None:
        raise SchemaRefused([_outside("", ref)])
    for _, node in walk_schemas(root):
        if isinstance(node, dict) and node.get("$anchor") == name:
            return node
    raise SchemaRefused([dangling((), ref)])


def target_of(root: Any, node: Any) -> Any:
    """Return the schema that a node refers to, one step only, or None if it has no reference.

    >>> target_of({"$defs": {"name": {"type": "string"}}}, {"$ref": "#/$defs/name"})
    {'type': 'string'}
    """
    ref = node.get("$ref") if isinstance(node, Mapping) else None
    return None if ref is None else resolve(root, ref)


def followed(root: Any, node: Any) -> Any:
    """Return the schema that a node refers to, one step only; the node itself if it refers to none.

    >>> followed({"$defs": {"n": {}}}, {"$ref": "#/$defs/n"}), followed({}, {"type": "null"})
    ({}, {'type': 'null'})
    """
    return resolve(root, node["$ref"]) if isinstance(node, Mapping) and "$ref" in node else node


def extended(root: Any, node: Mapping[str, Any]) -> list[Any]:
    """Return the schemas that a node extends: the target of its reference, and those in `allOf`.

    >>> extended({"$defs": {"n": {"minimum": 1}}}, {"$ref": "#/$defs/n", "allOf": [{"maximum": 9}]})
    [{'minimum': 1}, {'maximum': 9}]
    """
    referred = [resolve(root, node["$ref"])] if "$ref" in node else []
    return [*referred, *node.get("allOf", ())]


def merged_with_target(root: Any, node: Any) -> Any:
    """Merge a node with the target of its reference; its own keywords win.

    >>> merged_with_target({"$defs": {"n": {"type": "null"}}}, {"$ref": "#/$defs/n", "title": "N"})
    {'type': 'null', '$ref': '#/$defs/n', 'title': 'N'}
    """
    try:
        target = target_of(root, node)
    except SchemaRefused:
        return node
    return {**target, **node} if isinstance(target, dict) else node


def has_references(schema: Any) -> bool:
    """Whether a schema or some part of it refers to another.

    >>> has_references({"items": {"$ref": "#/$defs/n"}}), has_references({"const": {"$ref": "#"}})
    (True, False)
    """
    return any(True for _ in references_in(schema))


def references_in(schema: Any) -> Iterator[Any]:
    """Yield the references of a schema and of all its parts.

    >>> list(references_in({"items": {"$ref": "#/$defs/n"}, "const": {"$ref": "#"}}))
    ['#/$defs/n']
    """
    return (node["$ref"] for node in nodes_of(schema) if isinstance(node, dict) and "$ref" in node)


def beside_reference(node: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keywords of a node beside its reference."""
    return {keyword: value for keyword, value in node.items() if keyword != "$ref"}


def map_references(node: Any, change: Callable[[str], str]) -> Any:
    """Copy a schema with each of its references changed.

    >>> map_references({"items": {"$ref": "#/a"}}, lambda ref: ref + "/b")
    {'items': {'$ref': '#/a/b'}}
    """
    if not isinstance(node, dict):
        return node
    children = {steps: map_references(sub, change) for steps, sub in child_nodes(node)}
    copy = replace_children(node, children)
    if isinstance(copy.get("$ref"), str):
        copy["$ref"] = change(copy["$ref"])
    return copy


def faults_at(steps: Path, node: Any) -> list[SchemaFault]:
    """Return the faults of a node's own references, whatever their targets."""
    if not isinstance(node, dict):
        return []
    where = pointer(steps)
    faults = [
        SchemaFault(where, f"{word} is not supported", f"use $ref; {FIX}")
        for word in OTHER_MEANS
        if word in node
    ]
    if "$ref" in node and tokens(node["$ref"]) is None and anchor_name(node["$ref"]) is None:
        faults.append(_outside(where, node["$ref"]))
    anchor = node.get("$anchor", "_")
    if not isinstance(anchor, str) or not ANCHOR.fullmatch(anchor):
        fix = "write a letter, then letters, digits, - _ and ."
        faults.append(SchemaFault(pointer((*steps, "$anchor")), "malformed $anchor", fix))
    return faults


def dangling(steps: Path, ref: Any) -> SchemaFault:
    """The fault of a local reference that points at no schema."""
    return SchemaFault(pointer(steps), f"no schema at $ref {show_ref(ref)}", FIX)


def _outside(where: str, ref: Any) -> SchemaFault:
    if not isinstance(ref, str):
        return SchemaFault(where, "$ref is not text", FIX)
    return SchemaFault(where, f"$ref points outside this schema: {show_ref(ref)}", FIX)


def show_ref(ref: str, most: int = 80) -> str:
    """Write a reference of somebody else's in a message."""
    return ascii(ref)[1:-1][:most]
