"""The root of a tool's schema: an object with nothing beside it, where the target wants that."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolhaft.lowering.keywords import ANNOTATIONS, ASSERTIONS, FAMILIES, GENERAL
from toolhaft.lowering.lenses.wrap import WrapLens
from toolhaft.lowering.nodes.anything import closed
from toolhaft.lowering.nodes.context import LoweredNode, LoweringContext
from toolhaft.lowering.nodes.describe import annotated
from toolhaft.lowering.nodes.node import flat, lower_shape
from toolhaft.lowering.nodes.requirements import requirement_words
from toolhaft.lowering.references import key_of

__all__ = ["lower_root"]

_OBJECT = frozenset(("object",))
_UNIONS = ("anyOf", "oneOf")


def lower_root(run: LoweringContext) -> LoweredNode:
    """The whole schema."""
    if not run.trait("root object"):
        return run.lower(run.root, "")
    node, at = flat(run, run.root, "", root=True), ""
    while isinstance(node, Mapping) and "$ref" in node and not ASSERTIONS & node.keys() - {"$ref"}:
        at = key_of(node["$ref"])
        run.expanding.append(at)
        node = flat(run, run.resolve(node), at, root=True)
    if isinstance(node, Mapping):
        body = {key: value for key, value in node.items() if key not in ANNOTATIONS}
        shape = _object_shape(run, body, at)
        if shape is not None:
            kept = {k: v for k, v in node.items() if k in shape or k in ANNOTATIONS}
            return annotated(run, kept, at, lower_shape(run, shape, at, root=True))
    return _wrapped(run)


def _object_shape(run: LoweringContext, body: Mapping[str, Any], at: str) -> dict[str, Any] | None:
    """The root as a node of kind object alone, or None where it is something else."""
    if {"enum", "const"} & body.keys():
        return None
    shape = {key: value for key, value in body.items() if key not in _UNIONS}
    unions = [word for word in _UNIONS if word in body]
    if any(not requirement_words(word, body[word]) for word in unions):
        return _object_union(run, body)
    if run.kinds(shape) != _OBJECT:
        if "type" in shape or not (shape.keys() <= FAMILIES["object"] | GENERAL | {"allOf"}):
            return None
        run.lose(at, "type", "closed", "arguments are an object")
    if unions and not set(unions) & set(run.trait("refused at the root")):
        return {**body, "type": "object"}
    for word in unions:
        run.note(at, requirement_words(word, body[word]))
        run.lose(at, word, "hinted", "said in the description")
    return {**shape, "type": "object"}


def _object_union(run: LoweringContext, body: Mapping[str, Any]) -> dict[str, Any] | None:
    """A union of objects at the root, for a target that takes it there as it is."""
    if body.keys() & set(run.trait("refused at the root")) or run.kinds(body) != _OBJECT:
        return None
    return {**body, "type": "object"}


def _wrapped(run: LoweringContext) -> LoweredNode:
    """Anything else under the key `value`."""
    run.expanding.clear()
    carried = run.lower(run.root, "")
    run.lose("", "type", "encoded", "under the key value")
    wire = closed(run, {"value": carried.wire})
    return LoweredNode(wire, WrapLens("value", carried.lens))
