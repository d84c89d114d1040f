"""Nodes that admit any JSON value, nodes that admit none, and JSON text as the last resort."""

from __future__ import annotations

from typing import Any

from toolhaft.lowering.lenses.anything import ANYTHING, SCALAR_OR_TEXT
from toolhaft.lowering.lenses.json_text import JsonTextLens
from toolhaft.lowering.nodes.context import LoweredNode, LoweringContext
from toolhaft.lowering.nodes.null import with_null

__all__ = ["ANY_JSON", "NoValue", "closed", "json_text", "lower_anything", "lower_nothing"]

ANY_JSON = "AnyJson"


class NoValue(Exception):
    """No value is valid at `at`, and the target has no schema that says so.

    What may do without the node leaves it out; what needs it admits no value either.
    """

    def __init__(self, at: str) -> None:
        super().__init__(at)
        self.at = at


def lower_anything(run: LoweringContext, at: str) -> LoweredNode:
    """Any JSON value: an empty schema, a definition that recurs, or JSON text."""
    match run.trait("any value"):
        case "empty":
            return LoweredNode({})
        case "recursive":
            run.definitions.setdefault(ANY_JSON, _any_json(run))
            run.lose(at, "type", "encoded", "any JSON value; an object is a list of entries")
            return LoweredNode({"$ref": f"#/$defs/{ANY_JSON}"}, ANYTHING)
        case _:
            run.lose(at, "type", "encoded", "any scalar, or JSON text of a list or an object")
            return LoweredNode(_scalar_or_text(run), SCALAR_OR_TEXT)


def json_text(run: LoweringContext, at: str, keyword: str, words: str) -> LoweredNode:
    """Text that holds JSON: only where the target has no structure for the node."""
    run.lose(at, keyword, "encoded", "JSON text")
    return LoweredNode({"type": "string", "description": words}, JsonTextLens())


def lower_nothing(run: LoweringContext, at: str) -> LoweredNode:
    """A node that admits no value."""
    if run.trait("boolean schemas") and run.dialect.takes("not", {}):
        return LoweredNode({"not": {}})
    raise NoValue(at)


def _any_json(run: LoweringContext) -> dict[str, Any]:
    itself = {"$ref": f"#/$defs/{ANY_JSON}"}
    pair = {"key": {"type": "string"}, "value": itself}
    entries = {"type": "array", "items": closed(run, pair)}
    scalars = [{"type": name} for name in ("string", "number", "boolean", "null")]
    array = {"type": "array", "items": itself}
    return {"anyOf": [*scalars, array, closed(run, {"entries": entries})]}


def _scalar_or_text(run: LoweringContext) -> dict[str, Any]:
    text = {"type": "string", "description": "JSON text of a list or an object"}
    scalars = [{"type": name} for name in ("string", "number", "boolean")]
    return with_null(run, {"anyOf": [*scalars, closed(run, {"json": text})]})


def closed(run: LoweringContext, properties: dict[str, Any]) -> dict[str, Any]:
    """An object with exactly these properties, as far as the target can say so."""
    wire: dict[str, Any] = {"type": "object", "properties": properties}
    if properties:
        wire["required"] = list(properties)
    if run.dialect.takes("additionalProperties", False):
        wire["additionalProperties"] = False
    return wire
