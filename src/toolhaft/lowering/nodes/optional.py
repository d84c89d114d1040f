"""Optional values, where the target requires every key: null means absent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolhaft.lowering.conjoin import Node
from toolhaft.lowering.lenses.objects import WrapLens
from toolhaft.lowering.nodes.anything import closed_object
from toolhaft.lowering.nodes.context import LoweredNode, LoweringContext
from toolhaft.lowering.nodes.null import with_null

__all__ = ["or_absent"]


def or_absent(context: LoweringContext, node: Node, lowered: LoweredNode) -> LoweredNode:
    """Let the node be null for absent; a null of its own is wrapped, unless it is the default."""
    if "null" not in context.kinds(node) or _null_by_default(node):
        return LoweredNode(with_null(context, lowered.wire), lowered.lens)
    texts: dict[str, Any] = {
        key: lowered.wire[key] for key in ("title", "description") if key in lowered.wire
    }
    inner = {key: value for key, value in lowered.wire.items() if key not in texts}
    box = closed_object(context, {"value": inner})
    return LoweredNode({"anyOf": [box, {"type": "null"}], **texts}, WrapLens("value", lowered.lens))


def _null_by_default(node: Node) -> bool:
    return isinstance(node, Mapping) and "default" in node and node["default"] is None
