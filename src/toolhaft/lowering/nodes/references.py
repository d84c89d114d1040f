"""References: written out where they do not recur, by name where they do and the target can."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from toolhaft.jsonio import jsontext
from toolhaft.lowering.lenses.lens import IDENTITY, NodeLens
from toolhaft.lowering.lenses.reference import ReferenceLens
from toolhaft.lowering.nodes.anything import ANY_JSON, NoValue, json_text
from toolhaft.lowering.nodes.context import LoweredNode, LoweringContext
from toolhaft.lowering.nodes.describe import text_of
from toolhaft.lowering.references import key_of

__all__ = ["PLACES", "lower_joined", "lower_reference"]

# Where a target keeps its definitions.
PLACES = {
    "$defs": "#/$defs/",
    "definitions": "#/definitions/",
    "components": "#/components/schemas/",
}


def lower_reference(run: LoweringContext, node: Mapping[str, Any], at: str) -> LoweredNode:
    """A reference alone."""
    key = key_of(node["$ref"])
    recurs = key in run.references.recursive
    by_name = run.dialect.takes("$ref", node["$ref"]) and _may_recur(run, recurs)
    if by_name and (recurs or not run.references.inline):
        return _named(run, node, key, lambda: run.lower(run.resolve(node), key))
    if key in run.expanding:
        shape = text_of(run.resolve(node))
        return json_text(run, at, "$ref", f"JSON text of a value of this schema: {shape}")
    run.expanding.append(key)
    try:
        return run.lower(run.resolve(node), key)
    finally:
        run.expanding.pop()


def _may_recur(run: LoweringContext, recurs: bool) -> bool:
    allowed = run.trait("recursive references")
    return not recurs or allowed is True or (allowed == "optional" and run.optional)


def lower_joined(
    run: LoweringContext, node: Mapping[str, Any], at: str, lower: Callable[[], LoweredNode]
) -> LoweredNode:
    """A node of several parts; it has no name by which it could hold itself, so it is given one."""
    text = jsontext.write(node)
    if text not in run.joining:
        run.joining.add(text)
        try:
            return lower()
        finally:
            run.joining.discard(text)
    if run.trait("recursive references") is True and run.dialect.takes("$ref", "#"):
        return _named(run, node, text, lower)
    return json_text(run, at, "allOf", "JSON text of a value like the one that holds it")


def _named(
    run: LoweringContext, node: Mapping[str, Any], key: str, lower: Callable[[], LoweredNode]
) -> LoweredNode:
    known = key in run.names
    name = run.names.setdefault(key, _name(run, key))
    if not known:
        _define(run, node, key, lower)
    lens: NodeLens = ReferenceLens(key, run.lenses) if key in run.changed else IDENTITY
    return LoweredNode({"$ref": PLACES[run.trait("definitions place")] + name}, lens)


def _define(
    run: LoweringContext, node: Mapping[str, Any], key: str, lower: Callable[[], LoweredNode]
) -> None:
    name = run.names[key]
    before = {"type": sorted(run.kinds(node))}
    run.definitions[name] = run.changed.get(key, before)
    outside, run.optional = run.optional, False
    try:
        carried = lower()
    except NoValue:
        del run.definitions[name], run.names[key]
        raise
    finally:
        run.optional = outside
    run.definitions[name] = carried.wire
    run.lenses[key] = carried.lens


def _name(run: LoweringContext, key: str) -> str:
    last = "Joined" if key.startswith("{") else key.rsplit("/", 1)[-1] or "Root"
    last = re.sub(r"[^A-Za-z0-9_-]", "_", last)
    taken = {*run.names.values(), ANY_JSON}
    tries = (last if i == 1 else f"{last}_{i}" for i in range(1, len(taken) + 2))
    return next(name for name in tries if name not in taken)
