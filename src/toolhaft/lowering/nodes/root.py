"""The root of a tool's schema: a plain object, where the target requires that."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolhaft.lowering.keywords import ANNOTATIONS, ASSERTIONS, FAMILIES, GENERAL
from toolhaft.lowering.lenses.objects import WrapLens
from toolhaft.lowering.nodes.context import LoweredNode, LoweringContext
from toolhaft.lowering.nodes.describe import annotate
from toolhaft.lowering.nodes.node import flatten, lower_shape
from toolhaft.lowering.nodes.sentences import requirement_words
from toolhaft.schema.document.references import target_pointer

__all__ = ["lower_root"]

_OBJECT = frozenset(("object",))
_UNIONS = ("anyOf", "oneOf")


def lower_root(context: LoweringContext) -> LoweredNode:
    """Lower the whole schema."""
    if not context.trait("root object"):
        return context.lower(context.root, "")
    node, at = flatten(context, context.root, "", root=True), ""
    while isinstance(node, Mapping) and "$ref" in node and not ASSERTIONS & node.keys() - {"$ref"}:
        at = target_pointer(node["$ref"])
        context.expanding.append(at)
        node = flatten(context, context.resolve(node), at, root=True)
    if isinstance(node, Mapping):
        body = {key: value for key, value in node.items() if key not in ANNOTATIONS}
        shape = _object_shape(context, body, at)
        if shape is not None:
            shape_and_annotations = {
                k: v for k, v in node.items() if k in shape or k in ANNOTATIONS
            }
            return annotate(
                context, shape_and_annotations, at, lower_shape(context, shape, at, root=True)
            )
    return _lower_wrapped(context)


def _object_shape(
    context: LoweringContext, body: Mapping[str, Any], at: str
) -> dict[str, Any] | None:
    """Return the root as a node of kind object alone, or None if it is something else."""
    if {"enum", "const"} & body.keys():
        return None
    shape = {key: value for key, value in body.items() if key not in _UNIONS}
    unions = [word for word in _UNIONS if word in body]
    if any(not requirement_words(word, body[word]) for word in unions):
        return _object_union(context, body)
    if context.kinds(shape) != _OBJECT:
        if "type" in shape or not (shape.keys() <= FAMILIES["object"] | GENERAL | {"allOf"}):
            return None
        context.add_loss(at, "type", "closed", "arguments are an object")
    if unions and not set(unions) & set(context.trait("refused at the root")):
        return {**body, "type": "object"}
    for word in unions:
        context.add_note(at, requirement_words(word, body[word]))
        context.add_loss(at, word, "hinted", "said in the description")
    return {**shape, "type": "object"}


def _object_union(context: LoweringContext, body: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return a union of objects at the root, or None unless the target accepts one there."""
    if body.keys() & set(context.trait("refused at the root")) or context.kinds(body) != _OBJECT:
        return None
    return {**body, "type": "object"}


def _lower_wrapped(context: LoweringContext) -> LoweredNode:
    """Wrap a root that is not an object under the key `value`."""
    context.expanding.clear()
    lowered = context.lower(context.root, "")
    context.add_loss("", "type", "encoded", "under the key value")
    wire = context.closed_object({"value": lowered.wire})
    return LoweredNode(wire, WrapLens("value", lowered.lens))
