"""The walk: lower one node by the first family of keywords that it belongs to."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from toolhaft.lowering.conjoin import Node
from toolhaft.lowering.keywords import (
    ANNOTATIONS,
    ASSERTIONS,
    FAMILIES,
    GENERAL,
    UNEVALUATED,
    asserts,
    pointer,
)
from toolhaft.lowering.lenses.lens import IDENTITY
from toolhaft.lowering.lenses.unions import KindLens, kind_lens
from toolhaft.lowering.nodes import arrays, enums, objects, references, scalars, unions
from toolhaft.lowering.nodes.anything import lower_anything, lower_nothing, lower_to_json_text
from toolhaft.lowering.nodes.context import LoweredNode, LoweringContext
from toolhaft.lowering.nodes.describe import annotate, hint
from toolhaft.schema.document.kinds import names_of

__all__ = ["flatten", "lower_body", "lower_node", "lower_shape"]


def lower_node(context: LoweringContext, node: Node, at: str) -> LoweredNode:
    """Lower a node with its annotations."""
    if not context.count_node():
        return lower_to_json_text(context, at, "$ref", "written as JSON text")
    if isinstance(node, Mapping) and ("allOf" in node or _has_siblings(node)):
        return references.lower_joined(context, node, at, lambda: _lower_flat(context, node, at))
    return _lower_flat(context, node, at)


def _lower_flat(context: LoweringContext, node: Node, at: str) -> LoweredNode:
    flattened = flatten(context, node, at)
    if isinstance(flattened, bool):
        return lower_nothing(context, at) if not flattened else lower_anything(context, at)
    body = {key: value for key, value in flattened.items() if key not in ANNOTATIONS}
    return annotate(context, flattened, at, lower_body(context, body, at))


def flatten(context: LoweringContext, node: Node, at: str, *, root: bool = False) -> Node:
    """Join `allOf`, and the siblings of a reference, into the node where they must be."""
    if isinstance(node, bool):
        return node
    if _has_siblings(node):
        siblings = {key: value for key, value in node.items() if key != "$ref"}
        parts = [{"$ref": node["$ref"]}, *siblings.pop("allOf", ())]
        return flatten(context, {**siblings, "allOf": parts}, at, root=root)
    if "allOf" not in node:
        return node
    conjunction = context.conjunction()
    joined = conjunction.flatten(node)
    if conjunction.left_over or "$ref" not in str(node["allOf"]):
        refused = root and "allOf" in context.trait("refused at the root")
        if not refused and _can_keep_all_of(context, node, at):
            return node
    for keyword, value in conjunction.left_over:
        hint(context, at, keyword, value)
    return joined


def _has_siblings(node: Mapping[str, Any]) -> bool:
    """Whether something is asserted beside a reference."""
    return "$ref" in node and any(key in ASSERTIONS and key != "$ref" for key in node)


def _can_keep_all_of(context: LoweringContext, node: Mapping[str, Any], at: str) -> bool:
    if not context.dialect.takes("allOf", node["allOf"]) or context.trait("closed objects"):
        return False
    # These keywords look into the parts of `allOf`; without them, a joined node means the same.
    for word in UNEVALUATED:
        if word in node and not context.dialect.takes(word, node[word]):
            return False
    return all(
        context.lower_if_exact(partial(lower_node, context, part, pointer(at, "allOf", i)))
        for i, part in enumerate(node["allOf"])
    )


def lower_body(context: LoweringContext, body: Mapping[str, Any], at: str) -> LoweredNode:
    """Lower a node without its annotations."""
    if "$ref" in body and len(body) == 1:
        return references.lower_reference(context, body, at)
    if "anyOf" in body or "oneOf" in body:
        return unions.lower_union(context, body, at)
    if "enum" in body or "const" in body:
        return enums.lower_enum(context, body, at)
    return _lower_kinds(context, body, at)


def _lower_kinds(context: LoweringContext, body: Mapping[str, Any], at: str) -> LoweredNode:
    kinds = context.kinds(body)
    if not kinds:
        return lower_nothing(context, at)
    if not asserts(body) and context.trait("typed nodes"):
        return lower_anything(context, at)
    if len(kinds) > 1 and _must_split(context, body, kinds):
        return unions.lower_kinds(context, body, at)
    return lower_shape(context, body, at)


def _must_split(context: LoweringContext, body: Mapping[str, Any], kinds: frozenset[str]) -> bool:
    if "type" not in body:
        return bool(context.trait("typed nodes"))
    if not context.trait("type list"):
        return True
    return bool(context.trait("closed objects")) and not kinds.isdisjoint(("object", "array"))


def lower_shape(
    context: LoweringContext, body: Mapping[str, Any], at: str, *, root: bool = False
) -> LoweredNode:
    """Lower a node that stays one node: the keywords of each of its kinds."""
    kinds = context.kinds(body)
    if root:
        refused = body.keys() & GENERAL & set(context.trait("refused at the root"))
        for keyword in sorted(refused):
            hint(context, at, keyword, body[keyword], body)
        body = {key: value for key, value in body.items() if key not in refused}
        return _add_general(context, body, at, objects.lower_object(context, body, at, root=True))
    if kinds == frozenset(("null",)) and not context.trait("type null"):
        return enums.lower_enum(context, {"const": None}, at)
    wire = _type_of(context, body)
    lenses = {}
    for kind, lower in _FAMILY.items():
        if kind in kinds and (FAMILIES[kind] & body.keys() or names_of(body)):
            part = lower(context, body, at)
            wire.update((k, v) for k, v in part.wire.items() if k != "type" or len(kinds) == 1)
            lenses[kind] = part.lens
    lens = next(iter(lenses.values()), IDENTITY)
    lens = lens if len(kinds) == 1 else kind_lens(KindLens(lenses))
    return _add_general(context, body, at, LoweredNode(wire, lens))


def _type_of(context: LoweringContext, body: Mapping[str, Any]) -> dict[str, Any]:
    names = names_of(body)
    if not names:
        return {}
    if isinstance(body["type"], str) or (context.trait("type list") and len(names) > 1):
        return {"type": body["type"]}
    return {"type": names[0] if len(names) == 1 else "number"}


def _add_general(
    context: LoweringContext, body: Mapping[str, Any], at: str, lowered: LoweredNode
) -> LoweredNode:
    """Add conditions and negations: as they are where they mean the same, else as hints."""
    wire = dict(lowered.wire)
    for keyword in body:
        if keyword in GENERAL:
            _carry_general(context, body, at, keyword, wire, lowered)
        elif keyword in _COMBINED and lowered.lens is not IDENTITY:
            hint(context, at, keyword, body[keyword])
        elif keyword in _COMBINED and keyword not in wire:
            wire[keyword] = [
                lower_node(context, part, pointer(at, keyword, i)).wire
                for i, part in enumerate(body[keyword])
            ]
        elif keyword not in _KNOWN and context.dialect.takes(keyword, body[keyword]):
            wire[keyword] = body[keyword]
    return LoweredNode(wire, lowered.lens)


def _carry_general(
    context: LoweringContext,
    body: Mapping[str, Any],
    at: str,
    keyword: str,
    wire: dict[str, Any],
    as_is: LoweredNode,
) -> None:
    value = body[keyword]
    here = pointer(at, keyword)
    lowered = None
    if as_is.lens is IDENTITY and context.dialect.takes(keyword, value):
        lowered = context.lower_if_exact(lambda: lower_node(context, value, here))
    if lowered is not None:
        same = isinstance(value, bool) and context.trait("boolean schemas")
        wire[keyword] = value if same else lowered.wire
    else:
        hint(context, at, keyword, value, body)


_FAMILY = {
    "object": objects.lower_object,
    "array": arrays.lower_array,
    "string": scalars.lower_string,
    "number": scalars.lower_number,
}
_COMBINED = ("anyOf", "oneOf", "allOf")
_KNOWN = frozenset(("type", "$ref", *_COMBINED)).union(*FAMILIES.values())
