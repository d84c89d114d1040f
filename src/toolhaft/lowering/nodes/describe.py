"""Descriptions: the author's annotations, and notes on what the target cannot carry."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from toolhaft.lowering.keywords import ANNOTATIONS
from toolhaft.lowering.nodes.context import LoweredNode, LoweringContext
from toolhaft.lowering.nodes.sentences import sentence

__all__ = ["annotate", "hint"]

NO_NODE: Final[Mapping[str, Any]] = {}
_SILENT = ("$comment", "$schema", "$id", "$defs", "definitions", "components", "discriminator")


def hint(
    context: LoweringContext,
    at: str,
    keyword: str,
    value: Any,
    node: Mapping[str, Any] = NO_NODE,
) -> None:
    """Move a keyword into the description; `node` is the node of an `if`, with its branches."""
    words = sentence(context.root, node, keyword, value)
    if words:
        context.add_note(at, words)
    context.add_loss(at, keyword, "hinted", "said in the description")


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
