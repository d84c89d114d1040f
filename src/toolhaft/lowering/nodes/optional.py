"""What may be absent, where everything must be there: null stands for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolhaft.lowering.conjoin import Node
from toolhaft.lowering.lenses.wrap import WrapLens
from toolhaft.lowering.nodes.anything import closed
from toolhaft.lowering.nodes.context import LoweredNode, LoweringContext
from toolhaft.lowering.nodes.null import with_null

__all__ = ["or_absent"]


def or_absent(run: LoweringContext, node: Node, carried: LoweredNode) -> LoweredNode:
    """The lowered node, or null; a null of its own goes into a box, unless it is the default."""
    if "null" not in run.kinds(node) or _null_by_default(node):
        return LoweredNode(with_null(run, carried.wire), carried.lens)
    words: dict[str, Any] = {
        key: carried.wire[key] for key in ("title", "description") if key in carried.wire
    }
    inner = {key: value for key, value in carried.wire.items() if key not in words}
    box = closed(run, {"value": inner})
    return LoweredNode({"anyOf": [box, {"type": "null"}], **words}, WrapLens("value", carried.lens))


def _null_by_default(node: Node) -> bool:
    return isinstance(node, Mapping) and "default" in node and node["default"] is None
