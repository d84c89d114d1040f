"""Keys that an object does not name: what it says of them, and a list of pairs for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolhaft.lowering.conjoin import Node
from toolhaft.lowering.keywords import FAMILIES, pointer
from toolhaft.lowering.lenses.pairs import PairsLens
from toolhaft.lowering.nodes.anything import closed
from toolhaft.lowering.nodes.context import LoweredNode, LoweringContext
from toolhaft.lowering.nodes.describe import hint

__all__ = ["HANDLED", "by_pattern", "lower_map", "pairs_of", "rest_at", "rest_of", "say_others"]

# The keywords that say which keys an object has; the others are said in words where they must be.
HANDLED = ("properties", "required", "additionalProperties", "patternProperties")
_REST_WORDS = ("additionalProperties", "patternProperties", "unevaluatedProperties")


def rest_of(run: LoweringContext, body: Mapping[str, Any], at: str, *, root: bool) -> Node:
    """What the object says of keys that it does not name; silence closes it in a closed dialect."""
    silent = "additionalProperties" not in body and "patternProperties" not in body
    word = "unevaluatedProperties"
    if silent and word in body and not run.dialect.takes(word, body[word]):
        found: Node = body[word]
        return found
    if silent and run.trait("closed objects") and (root or "properties" in body):
        run.lose(at, "additionalProperties", "closed", "no keys but the named ones")
        return False
    if "patternProperties" in body and not run.dialect.takes("patternProperties", {}):
        return by_pattern(run, body, at)
    rest: Node = body.get("additionalProperties", True)
    return rest


def by_pattern(run: LoweringContext, body: Mapping[str, Any], at: str) -> Node:
    """Keys by pattern, for a target that knows no patterns: any of the values that they name."""
    patterns, rest = body["patternProperties"], body.get("additionalProperties", True)
    values = list(patterns.values())
    places = [pointer(run.place(at), "patternProperties", name) for name in patterns]
    places += [pointer(run.place(at), "additionalProperties")]
    run.note(at, f"keys by pattern: {', '.join(patterns)}")
    run.lose(at, "patternProperties", "hinted", "said in the description")
    values += [rest] if rest is not False else []
    for base in {rest_at(body, at), pointer(at, "additionalProperties")}:
        parts = (pointer(base, "anyOf", str(place)) for place in range(len(values)))
        run.places.update(zip([base] if len(values) == 1 else parts, places, strict=False))
    return values[0] if len(values) == 1 else {"anyOf": values}


def rest_word(body: Mapping[str, Any]) -> str:
    """The keyword that speaks of further keys; `type` where none does."""
    return next((word for word in _REST_WORDS if word in body), "type")


def rest_at(body: Mapping[str, Any], at: str) -> str:
    """Where the schema of further keys stands."""
    word = rest_word(body)
    return at if word == "type" else pointer(at, word)


def lower_map(run: LoweringContext, body: Mapping[str, Any], at: str, rest: Node) -> LoweredNode:
    """An object of further keys alone, as a list of pairs."""
    names = body.get("propertyNames", True)
    pairs, lens = pairs_of(run, body, at, rest, names if isinstance(names, dict) else {})
    for word, items in (("minProperties", "minItems"), ("maxProperties", "maxItems")):
        if word in body and run.dialect.takes(items, body[word]):
            pairs[items] = body[word]
        elif word in body:
            hint(run, at, word, body[word])
    said = {"propertyNames", "minProperties", "maxProperties"}
    say_others(run, {key: value for key, value in body.items() if key not in said}, at)
    return LoweredNode(pairs, lens)


def pairs_of(
    run: LoweringContext, body: Mapping[str, Any], at: str, rest: Node, names: Mapping[str, Any]
) -> tuple[dict[str, Any], PairsLens]:
    """A list of `{"key", "value"}`, and its lens."""
    value = run.lower(rest, rest_at(body, at))
    key = run.lower({"type": "string", **names}, at)
    run.lose(at, rest_word(body), "encoded", "a list of key and value")
    pair = closed(run, {"key": key.wire, "value": value.wire})
    return {"type": "array", "items": pair}, PairsLens(value.lens)


def say_others(run: LoweringContext, body: Mapping[str, Any], at: str) -> None:
    """Put the other keywords of objects into words."""
    for keyword, value in body.items():
        if keyword in FAMILIES["object"] and keyword not in (*HANDLED, "unevaluatedProperties"):
            hint(run, at, keyword, value)
