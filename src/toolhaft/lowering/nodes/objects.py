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
    hint_others,
    lower_map,
    lower_pairs,
    merge_patterns,
    rest_pointer,
    rest_schema,
)
from toolhaft.lowering.nodes.properties import LoweredProperties, lower_properties

__all__ = ["lower_object"]

_REST = "additional_properties"


def lower_object(
    context: LoweringContext, body: Mapping[str, Any], at: str, *, root: bool = False
) -> LoweredNode:
    """Lower a node of kind object; the root stays an object whatever it is."""
    rest = rest_schema(context, body, at, root=root)
    try:
        return _lower_with_rest(context, body, at, rest, root=root)
    except NoValue as no_value:
        if rest is False or not no_value.at.startswith(rest_pointer(body, at)):
            raise
        return _lower_with_rest(context, body, at, False, root=root)


def _lower_with_rest(
    context: LoweringContext, body: Mapping[str, Any], at: str, rest: Node, *, root: bool
) -> LoweredNode:
    if context.dialect.takes("additionalProperties", {}):
        return _lower_open(context, body, at, rest, root=root)
    if rest is not False and not body.get("properties") and not body.get("required") and not root:
        return lower_map(context, body, at, rest)
    return _lower_closed(context, body, at, rest, root=root)


def _lower_closed(
    context: LoweringContext, body: Mapping[str, Any], at: str, rest: Node, *, root: bool
) -> LoweredNode:
    """Lower to an object whose undeclared keys, if any, are in a list of pairs."""
    declared_properties = lower_properties(context, body, at, rest, root=root)
    lens = ObjectLens(declared_properties.members)
    writes_rest = context.trait("closed objects") or rest_pointer(body, at) != at
    if rest is not False and writes_rest:
        lens = _add_pairs(context, body, at, rest, declared_properties)
    wire: dict[str, Any] = {"type": "object", "properties": declared_properties.properties}
    if declared_properties.required or context.trait("all required"):
        wire["required"] = declared_properties.required
    if context.dialect.takes("additionalProperties", False):
        wire["additionalProperties"] = False
    elif rest is False:
        context.add_loss(at, "additionalProperties", "widened", "the target has no word for closed")
    hint_others(context, body, at)
    return LoweredNode(wire, object_lens(lens))


def _add_pairs(
    context: LoweringContext,
    body: Mapping[str, Any],
    at: str,
    rest: Node,
    declared_properties: LoweredProperties,
) -> ObjectLens:
    candidates = (
        _REST if i == 1 else f"{_REST}_{i}"
        for i in range(1, len(declared_properties.properties) + 2)
    )
    key = next(name for name in candidates if name not in declared_properties.properties)
    pairs, lens = lower_pairs(context, body, at, rest, {})
    declared_properties.properties[key] = {
        **pairs,
        "description": "further keys, each with its value",
    }
    is_required = bool(context.trait("all required"))
    if is_required:
        declared_properties.required.append(key)
    return ObjectLens(declared_properties.members, IDENTITY, key, lens, is_required)


def _lower_open(
    context: LoweringContext, body: Mapping[str, Any], at: str, rest: Node, *, root: bool
) -> LoweredNode:
    """Lower to an object of JSON Schema: undeclared keys stay where they are."""
    declared_properties = lower_properties(context, body, at, rest, root=root)
    if not _can_keep_patterns(
        context, body, at, object_lens(ObjectLens(declared_properties.members))
    ):
        rest = merge_patterns(context, body, at)
        body = {key: value for key, value in body.items() if key != "patternProperties"}
        body["additionalProperties"] = rest
    wire: dict[str, Any] = {"type": "object"}
    if "properties" in body:
        wire["properties"] = declared_properties.properties
    if declared_properties.required:
        wire["required"] = declared_properties.required
    rest_lens = IDENTITY
    if isinstance(rest, Mapping):
        value = context.lower(rest, rest_pointer(body, at))
        wire["additionalProperties"], rest_lens = value.wire, value.lens
    elif rest is False or "additionalProperties" in body or context.trait("closed objects"):
        wire["additionalProperties"] = rest
    lens = object_lens(ObjectLens(declared_properties.members, rest_lens))
    return LoweredNode(wire | _carry_keywords(context, body, at, lens), lens)


def _can_keep_patterns(
    context: LoweringContext, body: Mapping[str, Any], at: str, lens: NodeLens
) -> bool:
    """Return whether `patternProperties` can stay: only if no key or value is rewritten."""
    patterns = body.get("patternProperties")
    if patterns is None or not context.dialect.takes("patternProperties", patterns):
        return True
    here = pointer(at, "patternProperties")
    return (
        lens is IDENTITY
        and _lower_keyword(context, patterns, here, "patternProperties") is not None
    )


def _carry_keywords(
    context: LoweringContext, body: Mapping[str, Any], at: str, lens: NodeLens
) -> dict[str, Any]:
    """Carry the other keywords of objects: as they are where values are, else as hints."""
    wire: dict[str, Any] = {}
    for keyword, value in body.items():
        if keyword not in FAMILIES["object"] or keyword in HANDLED[:3]:
            continue
        takes = context.dialect.takes(keyword, value)
        unchanged = takes and lens is IDENTITY
        sent = _lower_keyword(context, value, pointer(at, keyword), keyword) if unchanged else None
        if sent is not None:
            wire[keyword] = sent
        elif takes or keyword not in ("patternProperties", "unevaluatedProperties"):
            hint(context, at, keyword, value)
    return wire


def _lower_keyword(context: LoweringContext, value: Any, at: str, keyword: str) -> Any:
    """Lower the schemas in a keyword's value, or return None if that changes their meaning."""
    if keyword in ("patternProperties", "dependentSchemas"):
        lowered = {k: _lower_exactly(context, each, pointer(at, k)) for k, each in value.items()}
        return None if None in lowered.values() else lowered
    if keyword in ("propertyNames", "unevaluatedProperties"):
        return _lower_exactly(context, value, at)
    return value


def _lower_exactly(context: LoweringContext, node: Node, at: str) -> Any:
    if isinstance(node, bool):
        return node if context.trait("boolean schemas") else None
    lowered = context.lower_if_exact(lambda: context.lower(node, at))
    return None if lowered is None else lowered.wire
