"""The state of one pass of lowering: the dialect, the definitions so far, and the losses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from toolhaft.lowering.conjoin import Conjunction, Node
from toolhaft.lowering.dialects.dialect import Dialect
from toolhaft.lowering.keywords import kinds
from toolhaft.lowering.lenses.lens import IDENTITY, NodeLens
from toolhaft.lowering.loss import Loss, LossKind, LoweringUnsupported
from toolhaft.schema.checker import Checker
from toolhaft.schema.document import references
from toolhaft.schema.document.reference_graph import ReferenceGraph

__all__ = ["LoweredNode", "LoweringContext"]

_MOST_NODES = 20_000


class LoweredNode(NamedTuple):
    """A node as the target takes it, and the lens of its values."""

    wire: dict[str, Any]
    lens: NodeLens = IDENTITY


class LoweringContext:
    """The state that the functions that lower nodes share."""

    def __init__(
        self,
        root: Mapping[str, Any],
        dialect: Dialect,
        lower: Callable[[LoweringContext, Node, str], LoweredNode],
        lower_body: Callable[[LoweringContext, Mapping[str, Any], str], LoweredNode],
        graph: ReferenceGraph,
        changed: Mapping[str, dict[str, Any]],
    ) -> None:
        self.root = root
        self._lower = lower
        self._lower_body = lower_body
        self.graph = graph
        self.dialect = dialect
        self.changed = changed  # definitions that an earlier run rewrote, as they were then
        self.losses: dict[Loss, None] = {}
        self.places: dict[str, str] = {}  # the original places of the parts of joined nodes
        self.notes: dict[str, list[str]] = {}
        self.definitions: dict[str, dict[str, Any]] = {}
        self.lenses: dict[str, NodeLens] = {}
        self.names: dict[str, str] = {}
        self.expanding: list[str] = []
        self.joining: set[str] = set()
        self.optional = False  # whether a property that may be absent encloses this node
        self.nodes_left = _MOST_NODES

    def lower(self, node: Node, at: str) -> LoweredNode:
        """Lower the node at `at`."""
        return self._lower(self, node, at)

    def trait(self, name: str) -> Any:
        """Return the value of the dialect's rule about a shape."""
        return self.dialect.trait(name)

    def resolve(self, node: Mapping[str, Any]) -> Node:
        """Return the target of the node's reference."""
        target: Node = references.resolve(self.root, node["$ref"])
        return target

    def lower_property(self, node: Node, at: str, *, optional: bool) -> LoweredNode:
        """Lower a property; in an optional one some targets allow recursion."""
        was_optional, self.optional = self.optional, self.optional or optional
        try:
            return self.lower(node, at)
        finally:
            self.optional = was_optional

    def kinds(self, node: Node) -> frozenset[str]:
        """Return the JSON kinds that values of the node can have."""
        return kinds(node, self.resolve)

    def add_loss(self, at: str, keyword: str, kind: LossKind, detail: str) -> None:
        """Record what the target cannot carry."""
        self.losses[Loss(at, keyword, kind, detail)] = None

    def place(self, at: str) -> str:
        """Return the original place of the node that is lowered at `at`."""
        steps = at.split("/") if self.places else []
        for end in range(len(steps), 0, -1):
            origin = self.places.get("/".join(steps[:end]))
            if origin is not None:
                return "/".join((origin, *steps[end:]))
        return at

    def add_note(self, at: str, text: str) -> None:
        """Add words to the description of the node at `at`."""
        notes = self.notes.setdefault(at, [])
        if text not in notes:
            notes.append(text)

    def unsupported(self, at: str, keyword: str, reason: str, fix: str) -> LoweringUnsupported:
        """Make the error that says what cannot be lowered."""
        return LoweringUnsupported(self.dialect.target, at, keyword, reason, fix)

    def count_node(self) -> bool:
        """Count a node; give False when references were inlined too often."""
        self.nodes_left -= 1
        return self.nodes_left > 0

    def lower_if_exact(self, lower: Callable[[], LoweredNode]) -> LoweredNode | None:
        """Return the result of `lower` if it loses and rewrites nothing, else None."""
        saved_reports = self.losses, self.notes
        saved_definitions = dict(self.definitions), dict(self.lenses), dict(self.names)
        self.losses, self.notes = {}, {}
        lowered = lower()
        exact = not self.losses and lowered.lens is IDENTITY
        self.losses, self.notes = saved_reports
        if not exact:
            self.definitions, self.lenses, self.names = saved_definitions
        return lowered if exact else None

    def conjunction(self) -> Conjunction:
        """Make a conjunction that follows this document's references."""
        return Conjunction(self.resolve)

    def lower_body(self, body: Mapping[str, Any], at: str) -> LoweredNode:
        """Lower a node without its annotations."""
        return self._lower_body(self, body, at)

    def accepts(self, node: Node, value: Any) -> bool:
        """Return whether a node of the original document accepts a value."""
        return self.validator(node)(value)

    def validator(self, node: Node) -> Callable[[Any], bool]:
        """Make `accepts` for one node, to be kept in a lens: it refers to the document only."""
        from toolhaft.schema.explain.explainer import explain  # only examples and replays need it

        root = self.root
        return lambda value: not explain(node, value, limit=1, root=root)

    def wire_validator(self, lowered: LoweredNode) -> Callable[[Any], bool]:
        """Return the check whether a lowered node accepts a value, for a lens."""
        wire, definitions, place = lowered.wire, self.definitions, self.trait("definitions place")
        parts = {"schemas": definitions} if place == "components" else definitions
        return lambda value: Checker({**wire, place: parts}).is_valid(value)

    def wire_target(self, wire: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the wire node, or the definition that it refers to."""
        name = str(wire.get("$ref", "")).rsplit("/", 1)[-1]
        return self.definitions.get(name, wire) if "$ref" in wire else wire

    def wire_kinds(self, wire: Mapping[str, Any]) -> frozenset[str]:
        """Return the kinds of a wire node; all kinds while its definition is being lowered."""
        return kinds(wire, self.wire_target)

    def closed_object(self, properties: dict[str, Any]) -> dict[str, Any]:
        """Write an object with exactly these properties, as far as the target can express that."""
        wire: dict[str, Any] = {"type": "object", "properties": properties}
        if properties:
            wire["required"] = list(properties)
        if self.dialect.takes("additionalProperties", False):
            wire["additionalProperties"] = False
        return wire
