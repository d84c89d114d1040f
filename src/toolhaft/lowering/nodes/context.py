"""One run of lowering: the dialect, the definitions met so far, and the losses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from toolhaft.lowering.conjoin import Conjunction, Node
from toolhaft.lowering.dialects.dialect import Dialect
from toolhaft.lowering.kinds import kinds
from toolhaft.lowering.lenses.lens import IDENTITY, NodeLens
from toolhaft.lowering.loss import Loss, LossKind, LoweringUnsupported
from toolhaft.lowering.references import References
from toolhaft.schema.checker import Checker
from toolhaft.schema.document import references

__all__ = ["LoweredNode", "LoweringContext"]

_MOST_NODES = 20_000


class LoweredNode(NamedTuple):
    """A node as the target takes it, and how its values are written."""

    wire: dict[str, Any]
    lens: NodeLens = IDENTITY


class LoweringContext:
    """What the functions that lower nodes share."""

    def __init__(
        self,
        root: Mapping[str, Any],
        dialect: Dialect,
        lower: Callable[[LoweringContext, Node, str], LoweredNode],
        lower_body: Callable[[LoweringContext, Mapping[str, Any], str], LoweredNode],
        references: References,
        changed: Mapping[str, dict[str, Any]],
    ) -> None:
        self.root = root
        self._lower = lower
        self._lower_body = lower_body
        self.references = references
        self.dialect = dialect
        self.changed = changed  # definitions that an earlier run rewrote, as they were then
        self.losses: dict[Loss, None] = {}
        self.places: dict[str, str] = {}  # where a node that was put together has its parts from
        self.notes: dict[str, list[str]] = {}
        self.definitions: dict[str, dict[str, Any]] = {}
        self.lenses: dict[str, NodeLens] = {}
        self.names: dict[str, str] = {}
        self.expanding: list[str] = []
        self.joining: set[str] = set()
        self.optional = False  # whether a property that may be absent encloses this node
        self.left = _MOST_NODES

    def lower(self, node: Node, at: str) -> LoweredNode:
        """The node at `at` as the target takes it."""
        return self._lower(self, node, at)

    def trait(self, name: str) -> Any:
        """How the dialect treats a shape."""
        return self.dialect.trait(name)

    def resolve(self, node: Mapping[str, Any]) -> Node:
        """What the node's reference points at."""
        found: Node = references.resolve(self.root, node["$ref"])
        return found

    def lower_below(self, node: Node, at: str, *, optional: bool) -> LoweredNode:
        """A property: one that may be absent makes room for recursion."""
        outside, self.optional = self.optional, self.optional or optional
        try:
            return self.lower(node, at)
        finally:
            self.optional = outside

    def kinds(self, node: Node) -> frozenset[str]:
        """The JSON kinds that the node can have at most."""
        return kinds(node, self.resolve)

    def lose(self, at: str, keyword: str, kind: LossKind, detail: str) -> None:
        """Report what the target cannot carry."""
        self.losses[Loss(at, keyword, kind, detail)] = None

    def place(self, at: str) -> str:
        """Where in the schema the node stands that is lowered at `at`."""
        steps = at.split("/") if self.places else []
        for end in range(len(steps), 0, -1):
            found = self.places.get("/".join(steps[:end]))
            if found is not None:
                return "/".join((found, *steps[end:]))
        return at

    def note(self, at: str, text: str) -> None:
        """Add words to the description of the node at `at`."""
        notes = self.notes.setdefault(at, [])
        if text not in notes:
            notes.append(text)

    def refuse(self, at: str, keyword: str, reason: str, fix: str) -> LoweringUnsupported:
        """The error that says what cannot be lowered."""
        return LoweringUnsupported(self.dialect.target, at, keyword, reason, fix)

    def spend(self) -> bool:
        """Count a node; False when references have been written out too often."""
        self.left -= 1
        return self.left > 0

    def attempt(self, lower: Callable[[], LoweredNode]) -> LoweredNode | None:
        """What `lower` gives when nothing is lost and nothing is rewritten, else None."""
        reported = self.losses, self.notes
        defined = dict(self.definitions), dict(self.lenses), dict(self.names)
        self.losses, self.notes = {}, {}
        carried = lower()
        exact = not self.losses and carried.lens is IDENTITY
        self.losses, self.notes = reported
        if not exact:
            self.definitions, self.lenses, self.names = defined
        return carried if exact else None

    def conjunction(self) -> Conjunction:
        """A fresh joiner of nodes that looks through this document's references."""
        return Conjunction(self.resolve)

    def body(self, body: Mapping[str, Any], at: str) -> LoweredNode:
        """A node without annotations as the target takes it."""
        return self._lower_body(self, body, at)

    def accepts(self, node: Node, value: Any) -> bool:
        """Whether a node of the original document accepts a value."""
        return self.acceptor(node)(value)

    def acceptor(self, node: Node) -> Callable[[Any], bool]:
        """`accepts` for one node, to be kept in a lens: it holds nothing but the document."""
        from toolhaft.schema.explain.explainer import explain  # only examples and replays need it

        root = self.root
        return lambda value: not explain(node, value, limit=1, root=root)

    def taker(self, carried: LoweredNode) -> Callable[[Any], bool]:
        """Whether a lowered node admits a value, to be kept in a lens."""
        wire, definitions, place = carried.wire, self.definitions, self.trait("definitions place")
        parts = {"schemas": definitions} if place == "components" else definitions
        return lambda value: Checker({**wire, place: parts}).is_valid(value)

    def wire_target(self, wire: Mapping[str, Any]) -> Mapping[str, Any]:
        """The wire node itself, or the definition that it names."""
        name = str(wire.get("$ref", "")).rsplit("/", 1)[-1]
        return self.definitions.get(name, wire) if "$ref" in wire else wire

    def wire_kinds(self, wire: Mapping[str, Any]) -> frozenset[str]:
        """The kinds of a wire node; all of them while its definition is being lowered."""
        return kinds(wire, self.wire_target)
