"""Null beside a type: a list of types, a branch of its own, or OpenAPI's `nullable`."""

from __future__ import annotations

from typing import Any

from toolhaft.lowering.nodes.context import LoweringContext

__all__ = ["admits_null", "null_node", "with_null"]


def admits_null(run: LoweringContext, wire: dict[str, Any]) -> bool:
    """Whether the wire node takes null as it stands."""
    named = wire.get("type")
    if named == "null" or (isinstance(named, list) and "null" in named):
        return True
    if wire.get("nullable") is True:
        return True
    return any(admits_null(run, branch) for branch in wire.get("anyOf", ()))


def null_node(run: LoweringContext) -> dict[str, Any]:
    """A node that takes null alone."""
    if run.trait("type null"):
        return {"type": "null"}
    return {"type": "string", "nullable": True, "enum": [None]}


def with_null(run: LoweringContext, wire: dict[str, Any]) -> dict[str, Any]:
    """The wire node, or null."""
    if admits_null(run, wire):
        return wire
    if not run.trait("type null"):
        return _nullable(run, wire)
    simple = isinstance(wire.get("type"), str) and "const" not in wire
    if simple and run.trait("type list"):
        wider = {**wire, "type": [wire["type"], "null"]}
        if "enum" not in wire:
            return wider
        if "null" in run.trait("enum members"):
            return {**wider, "enum": [*wire["enum"], None]}
    return _either(wire, {"type": "null"})


def _nullable(run: LoweringContext, wire: dict[str, Any]) -> dict[str, Any]:
    if "anyOf" in wire:
        branches = list(wire["anyOf"])
        place = next((i for i, each in enumerate(branches) if "type" in each), None)
        if place is None:
            return _either(wire, null_node(run))
        branches[place] = _nullable(run, branches[place])
        return {**wire, "anyOf": branches}
    if "type" not in wire:
        return _either(wire, null_node(run))
    wider = {**wire, "nullable": True}
    if "enum" in wire and "null" in run.trait("enum members"):
        wider["enum"] = [*wire["enum"], None]
    return wider


def _either(wire: dict[str, Any], null: dict[str, Any]) -> dict[str, Any]:
    outer: dict[str, Any] = {
        key: wire[key] for key in ("title", "description", "default") if key in wire
    }
    inner = {key: value for key, value in wire.items() if key not in outer}
    alone = list(inner) == ["anyOf"]
    return {"anyOf": [*inner["anyOf"], null] if alone else [inner, null], **outer}
