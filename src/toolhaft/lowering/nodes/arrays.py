"""Arrays: one schema for every item, or a tuple in the way that the target has for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolhaft.lowering.conjoin import Node
from toolhaft.lowering.keywords import EVALUATING, FAMILIES, asserts, pointer
from toolhaft.lowering.lenses.arrays import ArrayLens, TupleLens, array_lens
from toolhaft.lowering.lenses.lens import IDENTITY, NodeLens
from toolhaft.lowering.nodes.anything import NoValue
from toolhaft.lowering.nodes.context import LoweredNode, LoweringContext
from toolhaft.lowering.nodes.describe import hint
from toolhaft.lowering.nodes.null import or_absent
from toolhaft.schema.document.kinds import json_equal

__all__ = ["lower_array"]

_TUPLE = ("items", "prefixItems")
_CONTAINS = ("contains", "minContains", "maxContains")


def lower_array(context: LoweringContext, body: Mapping[str, Any], at: str) -> LoweredNode:
    """Lower a node of kind array."""
    body = _without_unevaluated(context, _without_empty_contains(context, body, at), at)
    if body.get("prefixItems"):
        return _lower_tuple(context, body, at)
    return _lower_list(context, body, at, body.get("items", True))


def _without_empty_contains(
    context: LoweringContext, body: Mapping[str, Any], at: str
) -> Mapping[str, Any]:
    """Drop a `contains` that no item has to fit, if the target cannot express that."""
    if body.get("minContains") != 0 or context.dialect.takes("minContains", 0):
        return body
    if "maxContains" in body:
        counted = {key: body[key] for key in ("contains", "maxContains") if key in body}
        hint(context, at, "contains", counted)
    return {key: value for key, value in body.items() if key not in _CONTAINS}


def _without_unevaluated(
    context: LoweringContext, body: Mapping[str, Any], at: str
) -> Mapping[str, Any]:
    """Apply `unevaluatedItems` to all further items by `items`, if the target lacks the keyword."""
    word = "unevaluatedItems"
    if word not in body or context.dialect.takes(word, body[word]):
        return body
    further = {key: value for key, value in body.items() if key != word}
    if "items" in body:
        return further  # which has a say in every item already
    if "contains" in body or not EVALUATING.isdisjoint(body):
        reason = "items that another keyword reads cannot be distinguished from others"
        context.add_loss(at, word, "widened", reason)
        return further
    return {**further, "items": body[word]}


def _lower_list(
    context: LoweringContext, body: Mapping[str, Any], at: str, node: Node
) -> LoweredNode:
    try:
        return _lower_items(context, body, at, node)
    except NoValue:
        return _lower_items(context, body, at, False)


def _lower_items(
    context: LoweringContext, body: Mapping[str, Any], at: str, node: Node
) -> LoweredNode:
    wire: dict[str, Any] = {"type": "array"}
    lens = ArrayLens(IDENTITY)
    if not context.kinds(node):
        body = {**body, "maxItems": 0}
        if context.trait("array items"):
            wire["items"] = context.lower({"type": "string"}, at).wire
    elif "items" in body or "prefixItems" in body or context.trait("array items"):
        items = context.lower(node, pointer(at, "items") if "items" in body else at)
        wire["items"] = items.wire
        lens = ArrayLens(items.lens)
    simplified = array_lens(lens)
    return LoweredNode(wire | _carry_keywords(context, body, at, simplified), simplified)


def _carry_keywords(
    context: LoweringContext, body: Mapping[str, Any], at: str, lens: NodeLens
) -> dict[str, Any]:
    """Carry the other keywords of arrays; those about items only where items are unchanged."""
    wire: dict[str, Any] = {}
    looks_inside = {"contains", "unevaluatedItems", "uniqueItems"}
    for keyword, value in body.items():
        if keyword not in FAMILIES["array"] or keyword in _TUPLE:
            continue
        unchanged = keyword not in looks_inside or array_lens(ArrayLens(lens)) is lens
        is_taken = unchanged and context.dialect.takes(keyword, value)
        sent = _lower_keyword(context, keyword, value, at) if is_taken else None
        if sent is not None:
            wire[keyword] = sent
        elif value is not False:
            hint(context, at, keyword, value)
    return wire


def _lower_keyword(context: LoweringContext, keyword: str, value: Any, at: str) -> Any:
    if keyword not in ("contains", "unevaluatedItems") or isinstance(value, bool):
        return value
    lowered = context.lower_if_exact(lambda: context.lower(value, pointer(at, keyword)))
    return None if lowered is None else lowered.wire


def _lower_tuple(context: LoweringContext, body: Mapping[str, Any], at: str) -> LoweredNode:
    """Lower a tuple; it ends before an item that accepts no value."""
    try:
        return _lower_tuple_form(context, body, at)
    except NoValue as no_value:
        places = (f"{pointer(at, 'prefixItems', i)}/" for i in range(len(body["prefixItems"])))
        length = next(
            (i for i, place in enumerate(places) if f"{no_value.at}/".startswith(place)), None
        )
        if length is None or body.get("minItems", 0) > length:
            raise
    shorter = {**body, "prefixItems": body["prefixItems"][:length], "items": False}
    return lower_array(context, shorter, at) if length else _lower_list(context, shorter, at, False)


def _lower_tuple_form(context: LoweringContext, body: Mapping[str, Any], at: str) -> LoweredNode:
    match context.trait("tuple form"):
        case "prefixItems" | "items" as keyword:
            return _lower_native_tuple(context, body, at, keyword)
        case "widen":
            return _lower_widened_tuple(context, body, at)
        case _:
            first: list[Node] = body["prefixItems"]
            alike = all(json_equal(each, first[0]) for each in first)
            if alike and _length_range(body) == (len(first), len(first)):
                return _lower_as_list(context, body, at, first[0])
            return _lower_as_object(context, body, at)


def _length_range(body: Mapping[str, Any]) -> tuple[int, int | None]:
    """Return the least and the greatest number of items; None if there is no greatest."""
    first = len(body["prefixItems"])
    most = body.get("maxItems")
    if body.get("items") is False:
        most = first if most is None else min(first, most)
    return body.get("minItems", 0), most


def _lower_as_list(
    context: LoweringContext, body: Mapping[str, Any], at: str, item: Node
) -> LoweredNode:
    """Lower a tuple of equal items and fixed length to a list of that length."""
    length = len(body["prefixItems"])
    if not (
        context.dialect.takes("minItems", length) and context.dialect.takes("maxItems", length)
    ):
        return _lower_as_object(context, body, at)
    fixed = {**body, "minItems": length, "maxItems": length}
    items = context.lower(item, pointer(at, "prefixItems", 0))
    lens = array_lens(ArrayLens(items.lens))
    wire = {"type": "array", "items": items.wire}
    return LoweredNode(wire | _carry_keywords(context, fixed, at, lens), lens)


def _lower_native_tuple(
    context: LoweringContext, body: Mapping[str, Any], at: str, keyword: str
) -> LoweredNode:
    """Lower a tuple to JSON Schema's own: `prefixItems`, or draft-07's list under `items`."""
    first = [
        context.lower(node, pointer(at, "prefixItems", i))
        for i, node in enumerate(body["prefixItems"])
    ]
    rest: Node = body.get("items", True)
    wire: dict[str, Any] = {"type": "array", keyword: [each.wire for each in first]}
    rest_keyword = "items" if keyword == "prefixItems" else "additionalItems"
    rest_lens: NodeLens = IDENTITY
    if isinstance(rest, Mapping):
        wire[rest_keyword], rest_lens = context.lower(rest, pointer(at, "items"))
    elif context.trait("boolean schemas") and ("items" in body or context.trait("array items")):
        wire[rest_keyword] = rest
    elif rest is False:
        body = {**body, "maxItems": _length_range(body)[1]}
    lens = array_lens(ArrayLens(rest_lens, tuple(each.lens for each in first)))
    return LoweredNode(wire | _carry_keywords(context, body, at, lens), lens)


def _lower_widened_tuple(context: LoweringContext, body: Mapping[str, Any], at: str) -> LoweredNode:
    """Lower a tuple to a list of any of its items, which is reported as wider."""
    rest: Node = body.get("items", True)
    most = _length_range(body)[1]
    open_end = rest is not False and (most is None or most > len(body["prefixItems"]))
    parts = [*body["prefixItems"], *([rest] if open_end else [])]
    node: Node = {"anyOf": parts} if all(asserts(part) for part in parts) else {}
    context.add_loss(at, "prefixItems", "widened", "any item may stand at any place")
    limited = {**body, **({} if most is None else {"maxItems": most})}
    return _lower_list(context, {k: v for k, v in limited.items() if k not in _TUPLE}, at, node)


def _lower_as_object(context: LoweringContext, body: Mapping[str, Any], at: str) -> LoweredNode:
    """Lower a tuple to an object: `item_0`, `item_1`, and `rest` where more may follow."""
    nodes: list[Node] = body["prefixItems"]
    least, most = _length_range(body)
    nodes = nodes if most is None else nodes[:most]
    properties: dict[str, Any] = {}
    lenses: list[NodeLens] = []
    for index, node in enumerate(nodes):
        item = _lower_item(context, node, pointer(at, "prefixItems", index), index < least)
        properties[f"item_{index}"] = item.wire
        lenses.append(item.lens)
    rest = _lower_rest(context, body, at, most, least - len(nodes))
    if rest is not None:
        properties["rest"] = rest.wire
    wire = context.closed_object(properties)
    if not context.trait("all required"):
        wire["required"] = [f"item_{i}" for i in range(min(least, len(nodes)))]
        if not wire["required"]:
            del wire["required"]
    context.add_loss(at, "prefixItems", "encoded", "an object with a key for each item")
    _hint_keywords(context, body, at)
    lens = TupleLens(
        tuple(lenses), rest.lens if rest else None, least, bool(context.trait("all required"))
    )
    return LoweredNode(wire, lens)


def _hint_keywords(context: LoweringContext, body: Mapping[str, Any], at: str) -> None:
    for keyword in FAMILIES["array"] - {*_TUPLE, "minItems", "maxItems"}:
        if body.get(keyword, False) is not False:
            hint(context, at, keyword, body[keyword])


def _lower_item(context: LoweringContext, node: Node, at: str, required: bool) -> LoweredNode:
    lowered = context.lower(node, at)
    if required or not context.trait("all required"):
        return lowered
    return or_absent(context, node, lowered)


def _lower_rest(
    context: LoweringContext, body: Mapping[str, Any], at: str, most: int | None, min_items: int
) -> LoweredNode | None:
    """Lower the items after the first ones, as a list of their own."""
    first = len(body["prefixItems"])
    if body.get("items") is False or (most is not None and most <= first):
        return None
    limits: dict[str, Any] = {"minItems": min_items} if min_items > 0 else {}
    if most is not None:
        limits["maxItems"] = most - first
    limits |= {"items": body["items"]} if "items" in body else {}
    return _lower_list(context, limits, at, body.get("items", True))
