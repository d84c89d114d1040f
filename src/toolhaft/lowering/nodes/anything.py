"""Nodes that accept any JSON value, nodes that accept none, and JSON text as the last resort."""

from __future__ import annotations

from typing import Any

from toolhaft.lowering.lenses.values import ANYTHING, SCALAR_OR_TEXT, JsonTextLens
from toolhaft.lowering.nodes.context import LoweredNode, LoweringContext
from toolhaft.lowering.nodes.null import with_null

__all__ = [
    "ANY_JSON",
    "NoValue",
    "lower_anything",
    "lower_nothing",
    "lower_to_json_text",
]

ANY_JSON = "AnyJson"


class NoValue(Exception):
    """Raised if no value is valid at `at`, and the target has no schema that expresses that.

    A parent that does not need the node leaves it out; a parent that needs it accepts no value
    either.
    """

    def __init__(self, at: str) -> None:
        super().__init__(at)
        self.at = at


def lower_anything(context: LoweringContext, at: str) -> LoweredNode:
    """Lower any JSON value: to an empty schema, a recursive definition, or JSON text."""
    match context.trait("any value"):
        case "empty":
            return LoweredNode({})
        case "recursive":
            context.definitions.setdefault(ANY_JSON, _any_json(context))
            context.add_loss(
                at, "type", "encoded", "any JSON value; an object is a list of entries"
            )
            return LoweredNode({"$ref": f"#/$defs/{ANY_JSON}"}, ANYTHING)
        case _:
            context.add_loss(
                at, "type", "encoded", "any scalar, or JSON text of a list or an object"
            )
            return LoweredNode(_scalar_or_text(context), SCALAR_OR_TEXT)


def lower_to_json_text(context: LoweringContext, at: str, keyword: str, words: str) -> LoweredNode:
    """Lower a node to JSON text, where the target has no structure for it."""
    context.add_loss(at, keyword, "encoded", "JSON text")
    return LoweredNode({"type": "string", "description": words}, JsonTextLens())


def lower_nothing(context: LoweringContext, at: str) -> LoweredNode:
    """Lower a node that accepts no value."""
    if context.trait("boolean schemas") and context.dialect.takes("not", {}):
        return LoweredNode({"not": {}})
    raise NoValue(at)


def _any_json(context: LoweringContext) -> dict[str, Any]:
    reference = {"$ref": f"#/$defs/{ANY_JSON}"}
    pair = {"key": {"type": "string"}, "value": reference}
    entries = {"type": "array", "items": context.closed_object(pair)}
    scalars = [{"type": name} for name in ("string", "number", "boolean", "null")]
    array = {"type": "array", "items": reference}
    return {"anyOf": [*scalars, array, context.closed_object({"entries": entries})]}


def _scalar_or_text(context: LoweringContext) -> dict[str, Any]:
    text = {"type": "string", "description": "JSON text of a list or an object"}
    scalars = [{"type": name} for name in ("string", "number", "boolean")]
    return with_null(context, {"anyOf": [*scalars, context.closed_object({"json": text})]})
