"""Null beside a type, and null for an absent value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolhaft.lowering.conjoin import Node
from toolhaft.lowering.lenses.objects import WrapLens
from toolhaft.lowering.nodes.context import LoweredNode, LoweringContext

__all__ = ["null_node", "or_absent", "with_null"]


def _accepts_null(context: LoweringContext, wire: dict[str, Any]) -> bool:
    """Return whether the wire node already accepts null."""
    types = wire.get("type")
    if types == "null" or (isinstance(types, list) and "null" in types):
        return True
    if wire.get("nullable") is True:
        return True
    return any(_accepts_null(context, branch) for branch in wire.get("anyOf", ()))


def null_node(context: LoweringContext) -> dict[str, Any]:
    """Write a node that takes null alone."""
    if context.trait("type null"):
        return {"type": "null"}
    return {"type": "string", "nullable": True, "enum": [None]}


def with_null(context: LoweringContext, wire: dict[str, Any]) -> dict[str, Any]:
    """Let the wire node take null too."""
    if _accepts_null(context, wire):
        return wire
    if not context.trait("type null"):
        return _mark_nullable(context, wire)
    simple = isinstance(wire.get("type"), str) and "const" not in wire
    if simple and context.trait("type list"):
        wider = {**wire, "type": [wire["type"], "null"]}
        if "enum" not in wire:
            return wider
        if "null" in context.trait("enum members"):
            return {**wider, "enum": [*wire["enum"], None]}
    return _union_with_null(wire, {"type": "null"})


def _mark_nullable(context: LoweringContext, wire: dict[str, Any]) -> dict[str, Any]:
    if "anyOf" in wire:
        branches = list(wire["anyOf"])
        index = next((i for i, each in enumerate(branches) if "type" in each), None)
        if index is None:
            return _union_with_null(wire, null_node(context))
        branches[index] = _mark_nullable(context, branches[index])
        return {**wire, "anyOf": branches}
    if "type" not in wire:
        return _union_with_null(wire, null_node(context))
    wider = {**wire, "nullable": True}
    if "enum" in wire and "null" in context.trait("enum members"):
        wider["enum"] = [*wire["enum"], None]
    return wider


def _union_with_null(wire: dict[str, Any], null: dict[str, Any]) -> dict[str, Any]:
    outer: dict[str, Any] = {
        key: wire[key] for key in ("title", "description", "default") if key in wire
    }
    inner = {key: value for key, value in wire.items() if key not in outer}
    alone = list(inner) == ["anyOf"]
    return {"anyOf": [*inner["anyOf"], null] if alone else [inner, null], **outer}


def or_absent(context: LoweringContext, node: Node, lowered: LoweredNode) -> LoweredNode:
    """Let the node be null for absent; a null of its own is wrapped, unless it is the default."""
    if "null" not in context.kinds(node) or _null_by_default(node):
        return LoweredNode(with_null(context, lowered.wire), lowered.lens)
    texts: dict[str, Any] = {
        key: lowered.wire[key] for key in ("title", "description") if key in lowered.wire
    }
    inner = {key: value for key, value in lowered.wire.items() if key not in texts}
    box = context.closed_object({"value": inner})
    return LoweredNode({"anyOf": [box, {"type": "null"}], **texts}, WrapLens("value", lowered.lens))


def _null_by_default(node: Node) -> bool:
    return isinstance(node, Mapping) and "default" in node and node["default"] is None
