"""Objects: open ones as in JSON Schema, closed ones with pairs for further keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolhaft.lowering.conjoin import Node
from toolhaft.lowering.keywords import FAMILIES, pointer
from toolhaft.lowering.lenses.lens import IDENTITY, NodeLens
from toolhaft.lowering.lenses.objects import ObjectLens, object_lens
from toolhaft.lowering.nodes.anything import NoValue
from toolhaft.lowering.nodes.context import LoweredNode, LoweringContext
from toolhaft.lowering.nodes.describe import hint
from toolhaft.lowering.nodes.maps import (
    HANDLED,
    by_pattern,
    lower_map,
    pairs_of,
    rest_at,
    rest_of,
    say_others,
)
from toolhaft.lowering.nodes.properties import Declared, declared

__all__ = ["lower_object"]

_REST = "additional_properties"


def lower_object(
    run: LoweringContext, body: Mapping[str, Any], at: str, *, root: bool = False
) -> LoweredNode:
    """A node of kind object; the root stays an object whatever it is."""
    rest = rest_of(run, body, at, root=root)
    try:
        return _with_rest(run, body, at, rest, root=root)
    except NoValue as nothing:
        if rest is False or not nothing.at.startswith(rest_at(body, at)):
            raise
        return _with_rest(run, body, at, False, root=root)


def _with_rest(
    run: LoweringContext, body: Mapping[str, Any], at: str, rest: Node, *, root: bool
) -> LoweredNode:
    if run.dialect.takes("additionalProperties", {}):
        return _open_object(run, body, at, rest, root=root)
    if rest is not False and not body.get("properties") and not body.get("required") and not root:
        return lower_map(run, body, at, rest)
    return _closed_object(run, body, at, rest, root=root)


def _closed_object(
    run: LoweringContext, body: Mapping[str, Any], at: str, rest: Node, *, root: bool
) -> LoweredNode:
    """An object whose further keys, if any, stand in a list of pairs."""
    found = declared(run, body, at, rest, root=root)
    lens = ObjectLens(found.members)
    speaks = run.trait("closed objects") or rest_at(body, at) != at
    if rest is not False and speaks:
        lens = _with_pairs(run, body, at, rest, found)
    wire: dict[str, Any] = {"type": "object", "properties": found.properties}
    if found.required or run.trait("all required"):
        wire["required"] = found.required
    if run.dialect.takes("additionalProperties", False):
        wire["additionalProperties"] = False
    elif rest is False:
        run.lose(at, "additionalProperties", "widened", "the target has no word for closed")
    say_others(run, body, at)
    return LoweredNode(wire, object_lens(lens))


def _with_pairs(
    run: LoweringContext, body: Mapping[str, Any], at: str, rest: Node, found: Declared
) -> ObjectLens:
    tries = (_REST if i == 1 else f"{_REST}_{i}" for i in range(1, len(found.properties) + 2))
    key = next(name for name in tries if name not in found.properties)
    pairs, lens = pairs_of(run, body, at, rest, {})
    found.properties[key] = {**pairs, "description": "further keys, each with its value"}
    must = bool(run.trait("all required"))
    if must:
        found.required.append(key)
    return ObjectLens(found.members, IDENTITY, key, lens, must)


def _open_object(
    run: LoweringContext, body: Mapping[str, Any], at: str, rest: Node, *, root: bool
) -> LoweredNode:
    """An object of JSON Schema: further keys stay where they are."""
    found = declared(run, body, at, rest, root=root)
    if not _keeps_patterns(run, body, at, object_lens(ObjectLens(found.members))):
        rest = by_pattern(run, body, at)
        body = {key: value for key, value in body.items() if key != "patternProperties"}
        body["additionalProperties"] = rest
    wire: dict[str, Any] = {"type": "object"}
    if "properties" in body:
        wire["properties"] = found.properties
    if found.required:
        wire["required"] = found.required
    others = IDENTITY
    if isinstance(rest, Mapping):
        value = run.lower(rest, rest_at(body, at))
        wire["additionalProperties"], others = value.wire, value.lens
    elif rest is False or "additionalProperties" in body or run.trait("closed objects"):
        wire["additionalProperties"] = rest
    lens = object_lens(ObjectLens(found.members, others))
    return LoweredNode(wire | _kept(run, body, at, lens), lens)


def _keeps_patterns(run: LoweringContext, body: Mapping[str, Any], at: str, lens: NodeLens) -> bool:
    """Patterns see keys and values as they are: they stay only where nothing is rewritten."""
    patterns = body.get("patternProperties")
    if patterns is None or not run.dialect.takes("patternProperties", patterns):
        return True
    here = pointer(at, "patternProperties")
    return lens is IDENTITY and _schemas(run, patterns, here, "patternProperties") is not None


def _kept(run: LoweringContext, body: Mapping[str, Any], at: str, lens: NodeLens) -> dict[str, Any]:
    """The other keywords of objects: kept where values stand as they are, else in words."""
    wire: dict[str, Any] = {}
    for keyword, value in body.items():
        if keyword not in FAMILIES["object"] or keyword in HANDLED[:3]:
            continue
        takes = run.dialect.takes(keyword, value)
        same = takes and lens is IDENTITY
        kept = _schemas(run, value, pointer(at, keyword), keyword) if same else None
        if kept is not None:
            wire[keyword] = kept
        elif takes or keyword not in ("patternProperties", "unevaluatedProperties"):
            hint(run, at, keyword, value)
    return wire


def _schemas(run: LoweringContext, value: Any, at: str, keyword: str) -> Any:
    """A keyword's value with its schemas lowered, or None when that would change their sense."""
    if keyword in ("patternProperties", "dependentSchemas"):
        lowered = {k: _exactly(run, each, pointer(at, k)) for k, each in value.items()}
        return None if None in lowered.values() else lowered
    if keyword in ("propertyNames", "unevaluatedProperties"):
        return _exactly(run, value, at)
    return value


def _exactly(run: LoweringContext, node: Node, at: str) -> Any:
    if isinstance(node, bool):
        return node if run.trait("boolean schemas") else None
    carried = run.attempt(lambda: run.lower(node, at))
    return None if carried is None else carried.wire
