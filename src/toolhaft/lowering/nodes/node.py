"""The walk: one node to what the target takes, by the first family that it belongs to."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from toolhaft.lowering.conjoin import Node
from toolhaft.lowering.keywords import ANNOTATIONS, ASSERTIONS, FAMILIES, GENERAL, asserts, pointer
from toolhaft.lowering.kinds import type_names
from toolhaft.lowering.lenses.kinds import KindLens, kind_lens
from toolhaft.lowering.lenses.lens import IDENTITY
from toolhaft.lowering.nodes import arrays, enums, objects, references, scalars, unions
from toolhaft.lowering.nodes.anything import json_text, lower_anything, lower_nothing
from toolhaft.lowering.nodes.context import LoweredNode, LoweringContext
from toolhaft.lowering.nodes.describe import annotated, hint

__all__ = ["flat", "lower_body", "lower_node", "lower_shape"]


def lower_node(run: LoweringContext, node: Node, at: str) -> LoweredNode:
    """A node with its annotations."""
    if not run.spend():
        return json_text(run, at, "$ref", "written as JSON text")
    if isinstance(node, Mapping) and "allOf" in node:
        return references.lower_joined(run, node, at, lambda: _lowered(run, node, at))
    return _lowered(run, node, at)


def _lowered(run: LoweringContext, node: Node, at: str) -> LoweredNode:
    flattened = flat(run, node, at)
    if isinstance(flattened, bool):
        return lower_nothing(run, at) if not flattened else lower_anything(run, at)
    body = {key: value for key, value in flattened.items() if key not in ANNOTATIONS}
    return annotated(run, flattened, at, lower_body(run, body, at))


def flat(run: LoweringContext, node: Node, at: str, *, root: bool = False) -> Node:
    """The node with `allOf`, and siblings of a reference, joined into one where they must be."""
    if isinstance(node, bool):
        return node
    if "$ref" in node and any(key in ASSERTIONS and key != "$ref" for key in node):
        siblings = {key: value for key, value in node.items() if key != "$ref"}
        parts = [{"$ref": node["$ref"]}, *siblings.pop("allOf", ())]
        return flat(run, {**siblings, "allOf": parts}, at, root=root)
    if "allOf" not in node:
        return node
    conjunction = run.conjunction()
    joined = conjunction.flat(node)
    if conjunction.left_over or "$ref" not in str(node["allOf"]):
        refused = root and "allOf" in run.trait("refused at the root")
        if not refused and _keeps_all_of(run, node, at):
            return node
    for keyword, value in conjunction.left_over:
        hint(run, at, keyword, value)
    return joined


def _keeps_all_of(run: LoweringContext, node: Mapping[str, Any], at: str) -> bool:
    if not run.dialect.takes("allOf", node["allOf"]) or run.trait("closed objects"):
        return False
    return all(
        run.attempt(partial(lower_node, run, part, pointer(at, "allOf", i)))
        for i, part in enumerate(node["allOf"])
    )


def lower_body(run: LoweringContext, body: Mapping[str, Any], at: str) -> LoweredNode:
    """A node without its annotations."""
    if "$ref" in body and len(body) == 1:
        return references.lower_reference(run, body, at)
    if "anyOf" in body or "oneOf" in body:
        return unions.lower_union(run, body, at)
    if "enum" in body or "const" in body:
        return enums.lower_enum(run, body, at)
    return _lower_kinds(run, body, at)


def _lower_kinds(run: LoweringContext, body: Mapping[str, Any], at: str) -> LoweredNode:
    kinds = run.kinds(body)
    if not kinds:
        return lower_nothing(run, at)
    if not asserts(body) and run.trait("typed nodes"):
        return lower_anything(run, at)
    if len(kinds) > 1 and _must_split(run, body, kinds):
        return unions.lower_kinds(run, body, at)
    return lower_shape(run, body, at)


def _must_split(run: LoweringContext, body: Mapping[str, Any], kinds: frozenset[str]) -> bool:
    if "type" not in body:
        return bool(run.trait("typed nodes"))
    if not run.trait("type list"):
        return True
    return bool(run.trait("closed objects")) and not kinds.isdisjoint(("object", "array"))


def lower_shape(
    run: LoweringContext, body: Mapping[str, Any], at: str, *, root: bool = False
) -> LoweredNode:
    """A node that stays one node: the keywords of each of its kinds."""
    kinds = run.kinds(body)
    if root:
        for keyword in sorted(body.keys() & GENERAL & set(run.trait("refused at the root"))):
            hint(run, at, keyword, body[keyword])
            body = {key: value for key, value in body.items() if key != keyword}
        return _with_general(run, body, at, objects.lower_object(run, body, at, root=True))
    if kinds == frozenset(("null",)) and not run.trait("type null"):
        return enums.lower_enum(run, {"const": None}, at)
    wire = _type_of(run, body)
    lenses = {}
    for kind, lower in _FAMILY.items():
        if kind in kinds and (FAMILIES[kind] & body.keys() or type_names(body)):
            part = lower(run, body, at)
            wire.update((k, v) for k, v in part.wire.items() if k != "type" or len(kinds) == 1)
            lenses[kind] = part.lens
    lens = next(iter(lenses.values()), IDENTITY)
    lens = lens if len(kinds) == 1 else kind_lens(KindLens(lenses))
    return _with_general(run, body, at, LoweredNode(wire, lens))


def _type_of(run: LoweringContext, body: Mapping[str, Any]) -> dict[str, Any]:
    names = type_names(body)
    if not names:
        return {}
    if isinstance(body["type"], str) or (run.trait("type list") and len(names) > 1):
        return {"type": body["type"]}
    return {"type": names[0] if len(names) == 1 else "number"}


def _with_general(
    run: LoweringContext, body: Mapping[str, Any], at: str, carried: LoweredNode
) -> LoweredNode:
    """Conditions and negations: as they are where they mean the same, else in words."""
    wire = dict(carried.wire)
    for keyword in body:
        if keyword in GENERAL:
            _general(run, body, at, keyword, wire, carried)
        elif keyword in _COMBINED and carried.lens is not IDENTITY:
            hint(run, at, keyword, body[keyword])
        elif keyword in _COMBINED and keyword not in wire:
            wire[keyword] = [
                lower_node(run, part, pointer(at, keyword, i)).wire
                for i, part in enumerate(body[keyword])
            ]
        elif keyword not in _KNOWN and run.dialect.takes(keyword, body[keyword]):
            wire[keyword] = body[keyword]
    return LoweredNode(wire, carried.lens)


def _general(
    run: LoweringContext,
    body: Mapping[str, Any],
    at: str,
    keyword: str,
    wire: dict[str, Any],
    as_is: LoweredNode,
) -> None:
    value = body[keyword]
    here = pointer(at, keyword)
    kept = None
    if as_is.lens is IDENTITY and run.dialect.takes(keyword, value):
        kept = run.attempt(lambda: lower_node(run, value, here))
    if kept is not None:
        same = isinstance(value, bool) and run.trait("boolean schemas")
        wire[keyword] = value if same else kept.wire
    else:
        hint(run, at, keyword, value)


_FAMILY = {
    "object": objects.lower_object,
    "array": arrays.lower_array,
    "string": scalars.lower_string,
    "number": scalars.lower_number,
}
_COMBINED = ("anyOf", "oneOf", "allOf")
_KNOWN = frozenset(("type", "$ref", *_COMBINED)).union(*FAMILIES.values())
