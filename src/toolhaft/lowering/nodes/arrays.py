"""Arrays: one schema for every item, or a tuple in the way that the target has for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolhaft.lowering.conjoin import Node
from toolhaft.lowering.keywords import FAMILIES, asserts, pointer
from toolhaft.lowering.lenses.arrays import ArrayLens, TupleLens, array_lens
from toolhaft.lowering.lenses.lens import IDENTITY, NodeLens
from toolhaft.lowering.nodes.anything import NoValue, closed
from toolhaft.lowering.nodes.context import LoweredNode, LoweringContext
from toolhaft.lowering.nodes.describe import hint
from toolhaft.lowering.nodes.optional import or_absent
from toolhaft.schema.document.kinds import json_equal

__all__ = ["lower_array"]

_TUPLE = ("items", "prefixItems")


def lower_array(run: LoweringContext, body: Mapping[str, Any], at: str) -> LoweredNode:
    """A node of kind array."""
    if body.get("prefixItems"):
        return _lower_tuple(run, body, at)
    return _lower_list(run, body, at, body.get("items", True))


def _lower_list(run: LoweringContext, body: Mapping[str, Any], at: str, node: Node) -> LoweredNode:
    try:
        return _list_of(run, body, at, node)
    except NoValue:
        return _list_of(run, body, at, False)


def _list_of(run: LoweringContext, body: Mapping[str, Any], at: str, node: Node) -> LoweredNode:
    wire: dict[str, Any] = {"type": "array"}
    lens = ArrayLens(IDENTITY)
    if not run.kinds(node):
        body = {**body, "maxItems": 0}
        if run.trait("array items"):
            wire["items"] = run.lower({"type": "string"}, at).wire
    elif "items" in body or "prefixItems" in body or run.trait("array items"):
        items = run.lower(node, pointer(at, "items") if "items" in body else at)
        wire["items"] = items.wire
        lens = ArrayLens(items.lens)
    found = array_lens(lens)
    return LoweredNode(wire | _limits(run, body, at, found), found)


def _limits(
    run: LoweringContext, body: Mapping[str, Any], at: str, lens: NodeLens
) -> dict[str, Any]:
    """The other keywords of arrays; those that look into items only where items are unchanged."""
    wire: dict[str, Any] = {}
    looks_inside = {"contains", "unevaluatedItems", "uniqueItems"}
    for keyword, value in body.items():
        if keyword not in FAMILIES["array"] or keyword in _TUPLE:
            continue
        same = keyword not in looks_inside or array_lens(ArrayLens(lens)) is lens
        may = same and run.dialect.takes(keyword, value)
        kept = _kept(run, keyword, value, at) if may else None
        if kept is not None:
            wire[keyword] = kept
        elif value is not False:
            hint(run, at, keyword, value)
    return wire


def _kept(run: LoweringContext, keyword: str, value: Any, at: str) -> Any:
    if keyword not in ("contains", "unevaluatedItems") or isinstance(value, bool):
        return value
    carried = run.attempt(lambda: run.lower(value, pointer(at, keyword)))
    return None if carried is None else carried.wire


def _lower_tuple(run: LoweringContext, body: Mapping[str, Any], at: str) -> LoweredNode:
    """A tuple as the target writes it; it ends before an item that nothing can be."""
    try:
        return _tuple_of(run, body, at)
    except NoValue as nothing:
        places = (f"{pointer(at, 'prefixItems', i)}/" for i in range(len(body["prefixItems"])))
        length = next((i for i, it in enumerate(places) if f"{nothing.at}/".startswith(it)), None)
        if length is None or body.get("minItems", 0) > length:
            raise
    shorter = {**body, "prefixItems": body["prefixItems"][:length], "items": False}
    return lower_array(run, shorter, at) if length else _lower_list(run, shorter, at, False)


def _tuple_of(run: LoweringContext, body: Mapping[str, Any], at: str) -> LoweredNode:
    match run.trait("tuple form"):
        case "prefixItems" | "items" as way:
            return _native(run, body, at, way)
        case "widen":
            return _widened(run, body, at)
        case _:
            first: list[Node] = body["prefixItems"]
            alike = all(json_equal(each, first[0]) for each in first)
            if alike and _length(body) == (len(first), len(first)):
                return _same_items(run, body, at, first[0])
            return _as_object(run, body, at)


def _length(body: Mapping[str, Any]) -> tuple[int, int | None]:
    """The least and the greatest number of items."""
    first = len(body["prefixItems"])
    most = body.get("maxItems")
    if body.get("items") is False:
        most = first if most is None else min(first, most)
    return body.get("minItems", 0), most


def _same_items(run: LoweringContext, body: Mapping[str, Any], at: str, item: Node) -> LoweredNode:
    """A tuple of one kind and fixed length is a list of that length."""
    length = len(body["prefixItems"])
    if not (run.dialect.takes("minItems", length) and run.dialect.takes("maxItems", length)):
        return _as_object(run, body, at)
    fixed = {**body, "minItems": length, "maxItems": length}
    items = run.lower(item, pointer(at, "prefixItems", 0))
    lens = array_lens(ArrayLens(items.lens))
    wire = {"type": "array", "items": items.wire}
    return LoweredNode(wire | _limits(run, fixed, at, lens), lens)


def _native(run: LoweringContext, body: Mapping[str, Any], at: str, way: str) -> LoweredNode:
    """A tuple in JSON Schema's own words: 2020-12's, or draft-07's list under `items`."""
    first = [
        run.lower(node, pointer(at, "prefixItems", i)) for i, node in enumerate(body["prefixItems"])
    ]
    rest: Node = body.get("items", True)
    wire: dict[str, Any] = {"type": "array", way: [each.wire for each in first]}
    word = "items" if way == "prefixItems" else "additionalItems"
    others: NodeLens = IDENTITY
    if isinstance(rest, Mapping):
        wire[word], others = run.lower(rest, pointer(at, "items"))
    elif run.trait("boolean schemas") and ("items" in body or run.trait("array items")):
        wire[word] = rest
    elif rest is False:
        body = {**body, "maxItems": _length(body)[1]}
    lens = array_lens(ArrayLens(others, tuple(each.lens for each in first)))
    return LoweredNode(wire | _limits(run, body, at, lens), lens)


def _widened(run: LoweringContext, body: Mapping[str, Any], at: str) -> LoweredNode:
    """A list whose items are any of the tuple's: wider, and said so."""
    rest: Node = body.get("items", True)
    most = _length(body)[1]
    open_end = rest is not False and (most is None or most > len(body["prefixItems"]))
    parts = [*body["prefixItems"], *([rest] if open_end else [])]
    node: Node = {"anyOf": parts} if all(asserts(part) for part in parts) else {}
    run.lose(at, "prefixItems", "widened", "any item may stand at any place")
    limited = {**body, **({} if most is None else {"maxItems": most})}
    return _lower_list(run, {k: v for k, v in limited.items() if k not in _TUPLE}, at, node)


def _as_object(run: LoweringContext, body: Mapping[str, Any], at: str) -> LoweredNode:
    """A tuple as an object: `item_0`, `item_1`, and `rest` where more may follow."""
    nodes: list[Node] = body["prefixItems"]
    least, most = _length(body)
    nodes = nodes if most is None else nodes[:most]
    properties: dict[str, Any] = {}
    lenses: list[NodeLens] = []
    for index, node in enumerate(nodes):
        item = _item(run, node, pointer(at, "prefixItems", index), index < least)
        properties[f"item_{index}"] = item.wire
        lenses.append(item.lens)
    rest = _rest(run, body, at, most, least - len(nodes))
    if rest is not None:
        properties["rest"] = rest.wire
    wire = closed(run, properties)
    if not run.trait("all required"):
        wire["required"] = [f"item_{i}" for i in range(min(least, len(nodes)))]
        if not wire["required"]:
            del wire["required"]
    run.lose(at, "prefixItems", "encoded", "an object with a key for each item")
    _said(run, body, at)
    lens = TupleLens(
        tuple(lenses), rest.lens if rest else None, least, bool(run.trait("all required"))
    )
    return LoweredNode(wire, lens)


def _said(run: LoweringContext, body: Mapping[str, Any], at: str) -> None:
    for keyword in FAMILIES["array"] - {*_TUPLE, "minItems", "maxItems"}:
        if body.get(keyword, False) is not False:
            hint(run, at, keyword, body[keyword])


def _item(run: LoweringContext, node: Node, at: str, required: bool) -> LoweredNode:
    carried = run.lower(node, at)
    if required or not run.trait("all required"):
        return carried
    return or_absent(run, node, carried)


def _rest(
    run: LoweringContext, body: Mapping[str, Any], at: str, most: int | None, missing: int
) -> LoweredNode | None:
    """The items after the named ones, as a list of their own."""
    first = len(body["prefixItems"])
    if body.get("items") is False or (most is not None and most <= first):
        return None
    limits: dict[str, Any] = {"minItems": missing} if missing > 0 else {}
    if most is not None:
        limits["maxItems"] = most - first
    limits |= {"items": body["items"]} if "items" in body else {}
    return _lower_list(run, limits, at, body.get("items", True))
