"""Null beside a type: a list of types, a branch of its own, or OpenAPI's `nullable`."""

from __future__ import annotations

from typing import Any

from toolhaft.lowering.nodes.context import LoweringContext

__all__ = ["accepts_null", "null_node", "with_null"]


def accepts_null(context: LoweringContext, wire: dict[str, Any]) -> bool:
    """Return whether the wire node already accepts null."""
    types = wire.get("type")
    if types == "null" or (isinstance(types, list) and "null" in types):
        return True
    if wire.get("nullable") is True:
        return True
    return any(accepts_null(context, branch) for branch in wire.get("anyOf", ()))


def null_node(context: LoweringContext) -> dict[str, Any]:
    """Write a node that takes null alone."""
    if context.trait("type null"):
        return {"type": "null"}
    return {"type": "string", "nullable": True, "enum": [None]}


def with_null(context: LoweringContext, wire: dict[str, Any]) -> dict[str, Any]:
    """Let the wire node take null too."""
    if accepts_null(context, wire):
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
