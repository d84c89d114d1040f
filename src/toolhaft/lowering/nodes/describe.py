"""Descriptions: the author's annotations, and notes on what the target cannot carry."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from toolhaft.jsonio import jsontext
from toolhaft.lowering.keywords import ANNOTATIONS
from toolhaft.lowering.nodes.context import LoweredNode, LoweringContext
from toolhaft.schema.explain.reasons import reason_of
from toolhaft.schema.explain.requirements import demands_of, forbidden_together

__all__ = ["annotate", "hint", "json_excerpt"]

_LONGEST = 400
_SILENT = ("$comment", "$schema", "$id", "$defs", "definitions", "components", "discriminator")


def json_excerpt(value: Any) -> str:
    """Write JSON text for a description, cut where it is long."""
    text = jsontext.write(value)
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "..."


def hint(context: LoweringContext, at: str, keyword: str, value: Any) -> None:
    """Move a keyword into the description."""
    context.add_note(at, _sentence(keyword, value))
    context.add_loss(at, keyword, "hinted", "said in the description")


def _sentence(keyword: str, value: Any) -> str:
    """Say what a keyword means, in the schema's own names."""
    write = _SENTENCES.get(keyword)
    words = None if write is None else write(value)
    if words is not None:
        return words
    is_text = isinstance(value, str) and keyword not in _QUOTED
    return f"{keyword} {value if is_text else json_excerpt(value)}"


def _dependent_sentence(names: Any) -> str:
    return "; ".join(f"with {name} also give {', '.join(more)}" for name, more in names.items())


def _not_sentence(schema: Any) -> str | None:
    return forbidden_together(schema["required"]) if demands_of([schema]) else None


def _if_sentence(condition: Any) -> str | None:
    reason = reason_of(condition)
    return None if reason is None else f"if {reason}, the next holds"


def _branch_sentence(word: str) -> Callable[[Any], str | None]:
    def write(schema: Any) -> str | None:
        return f"{word} give {', '.join(schema['required'])}" if demands_of([schema]) else None

    return write


_QUOTED = frozenset({"default", "const", "examples"})
_SENTENCES: Final[Mapping[str, Callable[[Any], str | None]]] = {
    "dependentRequired": _dependent_sentence,
    "not": _not_sentence,
    "if": _if_sentence,
    "then": _branch_sentence("then"),
    "else": _branch_sentence("else"),
}


def annotate(
    context: LoweringContext, node: Mapping[str, Any], at: str, lowered: LoweredNode
) -> LoweredNode:
    """Add the annotations of the original node and the notes collected for it."""
    wire = dict(lowered.wire)
    texts = [node["description"]] if isinstance(node.get("description"), str) else []
    if "description" in wire and wire["description"] not in texts:
        texts.append(wire.pop("description"))
    for keyword in ANNOTATIONS:
        if keyword in node and keyword not in ("description", *_SILENT):
            _add_annotation(context, at, wire, keyword, node[keyword], lowered)
    notes = context.notes.pop(at, [])
    if notes:
        texts.append(f"({'; '.join(notes)})")
    if texts:
        wire["description"] = " ".join(texts)
    return _order_keywords(context, wire, lowered)


def _add_annotation(
    context: LoweringContext,
    at: str,
    wire: dict[str, Any],
    keyword: str,
    value: Any,
    lowered: LoweredNode,
) -> None:
    if keyword == "default":
        value = lowered.lens.put(value)
    if context.dialect.takes(keyword, value):
        wire[keyword] = value
    elif keyword != "default" or value is not None:
        hint(context, at, keyword, value)


def _order_keywords(
    context: LoweringContext, wire: dict[str, Any], lowered: LoweredNode
) -> LoweredNode:
    """Put type, title and description first, and a reference alone where it must be."""
    siblings = context.trait("reference siblings")
    if "$ref" in wire and len(wire) > 1 and siblings is not True:
        reference = {"$ref": wire.pop("$ref")}
        wire = {siblings or "anyOf": [reference], **wire}
    first: dict[str, Any] = {
        key: wire[key] for key in ("type", "title", "description") if key in wire
    }
    return LoweredNode({**first, **wire}, lowered.lens)
