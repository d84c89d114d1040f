"""Descriptions: the author's annotations, and words for what the target cannot carry."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolhaft.jsonio import jsontext
from toolhaft.lowering.keywords import ANNOTATIONS
from toolhaft.lowering.nodes.context import LoweredNode, LoweringContext

__all__ = ["annotated", "hint", "text_of"]

_LONGEST = 400
_SILENT = ("$comment", "$schema", "$id", "$defs", "definitions", "components", "discriminator")


def text_of(value: Any) -> str:
    """JSON text for a description, cut where it is long."""
    text = jsontext.write(value)
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "..."


def hint(run: LoweringContext, at: str, keyword: str, value: Any) -> None:
    """Move a keyword into the description."""
    run.note(at, f"{keyword}: {value if isinstance(value, str) else text_of(value)}")
    run.lose(at, keyword, "hinted", "said in the description")


def annotated(
    run: LoweringContext, node: Mapping[str, Any], at: str, carried: LoweredNode
) -> LoweredNode:
    """The wire node with the annotations of the original and the words collected for it."""
    wire = dict(carried.wire)
    described = [node["description"]] if isinstance(node.get("description"), str) else []
    if "description" in wire and wire["description"] not in described:
        described.append(wire.pop("description"))
    for keyword in ANNOTATIONS:
        if keyword in node and keyword not in ("description", *_SILENT):
            _annotation(run, at, wire, keyword, node[keyword], carried)
    notes = run.notes.pop(at, [])
    if notes:
        described.append(f"({'; '.join(notes)})")
    if described:
        wire["description"] = " ".join(described)
    return _ordered(run, wire, carried)


def _annotation(
    run: LoweringContext,
    at: str,
    wire: dict[str, Any],
    keyword: str,
    value: Any,
    carried: LoweredNode,
) -> None:
    if keyword == "default":
        value = carried.lens.put(value)
    if run.dialect.takes(keyword, value):
        wire[keyword] = value
    elif keyword != "default" or value is not None:
        hint(run, at, keyword, value)


def _ordered(run: LoweringContext, wire: dict[str, Any], carried: LoweredNode) -> LoweredNode:
    """The description early, where a reader looks for it; a reference alone where it must be."""
    siblings = run.trait("reference siblings")
    if "$ref" in wire and len(wire) > 1 and siblings is not True:
        reference = {"$ref": wire.pop("$ref")}
        wire = {siblings or "anyOf": [reference], **wire}
    first: dict[str, Any] = {
        key: wire[key] for key in ("type", "title", "description") if key in wire
    }
    return LoweredNode({**first, **wire}, carried.lens)
