"""Keys that an object does not declare: their schema, and a list of pairs for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolhaft.lowering.conjoin import Node
from toolhaft.lowering.keywords import EVALUATING, FAMILIES, pointer
from toolhaft.lowering.lenses.objects import PairsLens
from toolhaft.lowering.nodes.context import LoweredNode, LoweringContext
from toolhaft.lowering.nodes.describe import hint

__all__ = [
    "HANDLED",
    "hint_others",
    "lower_map",
    "lower_pairs",
    "merge_patterns",
    "rest_pointer",
    "rest_schema",
]

# The keywords that say which keys an object has; the others may become hints.
HANDLED = ("properties", "required", "additionalProperties", "patternProperties")
_REST_WORDS = ("additionalProperties", "patternProperties", "unevaluatedProperties")


def rest_schema(context: LoweringContext, body: Mapping[str, Any], at: str, *, root: bool) -> Node:
    """Return the schema of undeclared keys; without one, a closed dialect accepts no such key."""
    silent = "additionalProperties" not in body and "patternProperties" not in body
    word = "unevaluatedProperties"
    if silent and word in body and not context.dialect.takes(word, body[word]):
        if not EVALUATING.isdisjoint(body):
            reason = "keys that another keyword declares cannot be distinguished from others"
            context.add_loss(at, word, "widened", reason)
            return True
        schema: Node = body[word]
        return schema
    if silent and context.trait("closed objects") and (root or "properties" in body):
        context.add_loss(at, "additionalProperties", "closed", "no keys but the named ones")
        return False
    if "patternProperties" in body and not context.dialect.takes("patternProperties", {}):
        return merge_patterns(context, body, at)
    rest: Node = body.get("additionalProperties", True)
    return rest


def merge_patterns(context: LoweringContext, body: Mapping[str, Any], at: str) -> Node:
    """Join the schemas of keys by pattern into one, for a target without patterns."""
    patterns, rest = body["patternProperties"], body.get("additionalProperties", True)
    values = list(patterns.values())
    places = [pointer(context.place(at), "patternProperties", name) for name in patterns]
    places += [pointer(context.place(at), "additionalProperties")]
    context.add_note(at, f"keys {'must' if rest is False else 'may'} match {' or '.join(patterns)}")
    context.add_loss(at, "patternProperties", "hinted", "said in the description")
    values += [rest] if rest is not False else []
    for base in {rest_pointer(body, at), pointer(at, "additionalProperties")}:
        parts = (pointer(base, "anyOf", str(place)) for place in range(len(values)))
        context.places.update(zip([base] if len(values) == 1 else parts, places, strict=False))
    return values[0] if len(values) == 1 else {"anyOf": values}


def rest_keyword(body: Mapping[str, Any]) -> str:
    """Return the keyword about undeclared keys; `type` if there is none."""
    return next((word for word in _REST_WORDS if word in body), "type")


def rest_pointer(body: Mapping[str, Any], at: str) -> str:
    """Return the pointer to the schema of undeclared keys."""
    word = rest_keyword(body)
    return at if word == "type" else pointer(at, word)


def lower_map(
    context: LoweringContext, body: Mapping[str, Any], at: str, rest: Node
) -> LoweredNode:
    """Lower an object without declared keys to a list of pairs."""
    names = body.get("propertyNames", True)
    pairs, lens = lower_pairs(context, body, at, rest, names if isinstance(names, dict) else {})
    for word, items in (("minProperties", "minItems"), ("maxProperties", "maxItems")):
        if word in body and context.dialect.takes(items, body[word]):
            pairs[items] = body[word]
        elif word in body:
            hint(context, at, word, body[word])
    handled = {"propertyNames", "minProperties", "maxProperties"}
    hint_others(context, {key: value for key, value in body.items() if key not in handled}, at)
    return LoweredNode(pairs, lens)


def lower_pairs(
    context: LoweringContext, body: Mapping[str, Any], at: str, rest: Node, names: Mapping[str, Any]
) -> tuple[dict[str, Any], PairsLens]:
    """Write a list of `{"key", "value"}`, and its lens."""
    value = context.lower(rest, rest_pointer(body, at))
    key = context.lower({"type": "string", **names}, at)
    context.add_loss(at, rest_keyword(body), "encoded", "a list of key and value")
    pair = context.closed_object({"key": key.wire, "value": value.wire})
    return {"type": "array", "items": pair}, PairsLens(value.lens)


def hint_others(context: LoweringContext, body: Mapping[str, Any], at: str) -> None:
    """Move the other keywords of objects into the description."""
    for keyword, value in body.items():
        if keyword in FAMILIES["object"] and keyword not in (*HANDLED, "unevaluatedProperties"):
            hint(context, at, keyword, value)
