"""References: inlined where they do not recur, else by name where the target takes that."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from toolhaft.definition.names import free_name
from toolhaft.jsonio import jsontext
from toolhaft.lowering.lenses.lens import IDENTITY, NodeLens, ReferenceLens
from toolhaft.lowering.nodes.anything import ANY_JSON, NoValue, lower_to_json_text
from toolhaft.lowering.nodes.context import LoweredNode, LoweringContext
from toolhaft.schema.document.reference_graph import DEFINITIONS
from toolhaft.schema.document.references import map_references, resolve, target_pointer

__all__ = ["PLACES", "lower_joined", "lower_reference", "standalone"]

# The place of definitions, and the prefix of references into it.
PLACES = {
    "$defs": "#/$defs/",
    "definitions": "#/definitions/",
    "components": "#/components/schemas/",
}


def lower_reference(context: LoweringContext, node: Mapping[str, Any], at: str) -> LoweredNode:
    """Lower a reference without siblings."""
    key = target_pointer(node["$ref"])
    recurs = key in context.graph.recursive
    by_name = context.dialect.takes("$ref", node["$ref"]) and _may_recur(context, recurs)
    if by_name and (recurs or not context.graph.is_small_inlined):
        return _lower_by_name(context, node, key, lambda: context.lower(context.resolve(node), key))
    if key in context.expanding:
        return lower_to_json_text(context, at, "$ref", _shape(context, context.resolve(node)))
    context.expanding.append(key)
    try:
        return context.lower(context.resolve(node), key)
    finally:
        context.expanding.pop()


def _may_recur(context: LoweringContext, recurs: bool) -> bool:
    allowed = context.trait("recursive references")
    return not recurs or allowed is True or (allowed == "optional" and context.optional)


def lower_joined(
    context: LoweringContext, node: Mapping[str, Any], at: str, lower: Callable[[], LoweredNode]
) -> LoweredNode:
    """Lower a node of several parts; a recursive one has no name, so it is given one."""
    text = jsontext.write(node)
    if text not in context.joining:
        context.joining.add(text)
        try:
            return lower()
        finally:
            context.joining.discard(text)
    if context.trait("recursive references") is True and context.dialect.takes("$ref", "#"):
        return _lower_by_name(context, node, text, lower)
    keyword = "allOf" if "allOf" in node else "$ref"
    return lower_to_json_text(context, at, keyword, _shape(context, node))


def _shape(context: LoweringContext, node: Any) -> str:
    """Describe the value in a JSON text by a schema that is complete in itself."""
    schema = jsontext.write(standalone(context.root, node))
    return f"JSON text of a value of this schema: {schema}"


def _lower_by_name(
    context: LoweringContext, node: Mapping[str, Any], key: str, lower: Callable[[], LoweredNode]
) -> LoweredNode:
    is_defined = key in context.names
    name = context.names.setdefault(key, _definition_name(context, key))
    if not is_defined:
        _define(context, node, key, lower)
    lens: NodeLens = ReferenceLens(key, context.lenses) if key in context.changed else IDENTITY
    return LoweredNode({"$ref": PLACES[context.trait("definitions place")] + name}, lens)


def _define(
    context: LoweringContext, node: Mapping[str, Any], key: str, lower: Callable[[], LoweredNode]
) -> None:
    name = context.names[key]
    placeholder = {"type": sorted(context.kinds(node))}
    context.definitions[name] = context.changed.get(key, placeholder)
    was_optional, context.optional = context.optional, False
    try:
        lowered = lower()
    except NoValue:
        del context.definitions[name], context.names[key]
        raise
    finally:
        context.optional = was_optional
    context.definitions[name] = lowered.wire
    context.lenses[key] = lowered.lens


def _definition_name(context: LoweringContext, key: str) -> str:
    base = "Joined" if key.startswith("{") else key.rsplit("/", 1)[-1] or "Root"
    base = re.sub(r"[^A-Za-z0-9_-]", "_", base)
    return free_name(base, {*context.names.values(), ANY_JSON})


def standalone(root: Any, node: Any) -> Any:
    """Return a part of the root with all that it refers to; a reference to the part itself is `#`.

    >>> root = {"$defs": {"tree": {"properties": {"left": {"$ref": "#/$defs/tree"}}}}}
    >>> standalone(root, root["$defs"]["tree"])
    {'properties': {'left': {'$ref': '#'}}}
    """
    names: dict[str, str] = {}
    waiting: list[tuple[str, Any]] = []

    def move(ref: str) -> str:
        target, key = resolve(root, ref), target_pointer(ref)
        if target is node:
            return "#"
        if key not in names:
            names[key] = _standalone_name(key, names)
            waiting.append((names[key], target))
        return f"#/$defs/{names[key]}"

    schema = map_references(_without_definitions(node), move)
    definitions: dict[str, Any] = {}
    while waiting:
        name, target = waiting.pop(0)
        definitions[name] = map_references(_without_definitions(target), move)
    return {**schema, "$defs": definitions} if definitions else schema


def _without_definitions(node: Any) -> Any:
    if not isinstance(node, dict):
        return node
    return {keyword: value for keyword, value in node.items() if keyword not in DEFINITIONS}


def _standalone_name(key: str, names: dict[str, str]) -> str:
    """Return a name that needs no escapes and that no other definition has."""
    base = re.sub(r"[^A-Za-z0-9_.-]", "_", key.rpartition("/")[2]) or "whole"
    return free_name(base, names.values())
