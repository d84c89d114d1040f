"""The schema that data must satisfy before the validator library constructs anything from them.

It is the emitted schema with the formats asserted, with other names of declared keys rejected, and
with holes where an author's function widens a node. The fast gate is narrower: data that it accepts
can be constructed at once, and it rejects data that must be repaired, dropped or recorded first.
"""

from __future__ import annotations

from typing import Any, Final

from toolhaft.schema.branches import are_apart, tag_of
from toolhaft.schema.document.kinds import names_of
from toolhaft.schema.document.references import followed, has_references
from toolhaft.schema.document.walk import child_nodes, nodes_of, replace_children
from toolhaft.schema.facts import Facts, facts_of, whole_bounds
from toolhaft.schema.format_patterns import PATTERNS
from toolhaft.schema.map_keys import key_reader
from toolhaft.schema.marks import MARK, mark, marks_of

__all__ = ["EXACT", "fast_gate_of", "gate_of", "is_meant_by_keys"]

# From 2^53 on a double does not say which integer was meant (RFC 8259, 6).
EXACT: Final = 1 << 53
CONTAINERS: Final = ("array", "object")
OTHERS: Final = ("null", "boolean", "number", "string")
MOST_NODES: Final = 500
INVERTING: Final = ("not", "if", "contains")
# Keywords by which several schemas speak of one place.
COMBINING: Final = frozenset({
    "allOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "patternProperties",
    "contains", "unevaluatedItems", "unevaluatedProperties",
})  # fmt: skip
# Keywords by which a node says itself what its values hold.
CONTENTS: Final = frozenset({"type", "properties", "items", "additionalProperties", "anyOf"})
NULL: Final = {"type": "null"}


def gate_of(schema: Any, *, authored: bool = False, holes: bool = True) -> Any:
    """Return the gate of a marked schema; without `holes`, the author's functions widen nothing.

    With `authored`, a person wrote all of it.
    """
    return _Gate(schema, holes=holes).node(schema, authored=authored)


def fast_gate_of(schema: Any, facts: Facts | None = None, *, authored: bool = False) -> Any:
    """Return the gate of data that can be constructed at once: closed, exact numbers, no holes.

    It accepts nothing if a narrower part would make the whole accept more. The facts of the schema
    may be known.
    """
    gate = _Gate(schema, holes=False, fast=facts or facts_of(schema))
    narrowed = gate.node(schema, authored=authored)
    return False if gate.is_inverted else narrowed


class _Gate:
    def __init__(self, root: Any, *, holes: bool, fast: Facts | None = None) -> None:
        self.root, self.holes, self.fast = root, holes, fast is not None
        self.is_inverted = False
        self.closed = ("ignore", "allow") if fast and is_meant_by_keys(fast) else ("ignore",)
        # Where one integer is of one schema, no float can be meant: each of them is exact.
        mixes = fast is not None and _mixes_numbers(root, fast)
        self.bounded = frozenset({"number", "integer"} if mixes else {"number"})

    def node(self, schema: Any, *, authored: bool = False) -> Any:
        if not isinstance(schema, dict):
            return schema
        facts = marks_of(schema)
        if self.fast and "json_text" in facts:  # what it holds has to be read
            return False
        authored = authored or "authored" in facts
        inner = {s: self.node(sub, authored=authored) for s, sub in child_nodes(schema)}
        if self.fast:
            self.is_inverted |= any(
                has_references(sub) or inner[s] != gate_of(sub, authored=authored, holes=False)
                for s, sub in child_nodes(schema)
                if self.inverts(schema, s[0])
            )
        node = _checked(replace_children(schema, inner))
        if node.get("format") in PATTERNS and not authored:
            node.setdefault("pattern", PATTERNS[node["format"]])
        if "other_names" in facts:
            node["properties"] = {
                **node["properties"],
                **dict.fromkeys(facts["other_names"], False),
            }
        node |= whole_bounds(node)
        if self.fast:
            self.narrow(node, schema)
        if self.holes:
            if "oneOf" in node and any(map(self.is_open, schema["oneOf"])):
                node["anyOf"] = node.pop("oneOf")
            if "open" in facts:
                return self.open_node(schema, node)
        return node

    def inverts(self, schema: dict[str, Any], word: str | int) -> bool:
        """Whether the data that a node takes may be more where a subschema takes less."""
        if word == "oneOf":
            forms = schema["oneOf"]
            return tag_of(self.root, forms) is None and not are_apart(self.root, forms)
        return word in INVERTING

    def narrow(self, node: dict[str, Any], schema: Any) -> None:
        """Leave of a node what is read as it is."""
        extra = marks_of(schema).get("extra")
        if extra in self.closed:
            if extra == "ignore" and node.get("additionalProperties", True) is True:
                mark(node, dropped=True)
            node["additionalProperties"] = False
        if not self.bounded.isdisjoint(names_of(node)):
            node["minimum"] = max(node.get("minimum", 1 - EXACT), 1 - EXACT)
            node["maximum"] = min(node.get("maximum", EXACT - 1), EXACT - 1)
        if "decimal" in marks_of(schema):
            _leave_integers(node)
        if key_reader(self.root, schema) is not None:  # two keys may be one
            node["maxProperties"] = min(node.get("maxProperties", 1), 1)

    def is_open(self, branch: Any) -> bool:
        return any("open" in marks_of(node) for node in (branch, followed(self.root, branch)))

    def open_node(self, schema: Any, node: dict[str, Any]) -> Any:
        """Open a node for what it is no container of: an object is held to its schema."""
        reach = _Reach(self.root)
        allowed = [name for name in CONTAINERS if reach.holds_objects(schema, name)]
        if not allowed:
            return True
        others = [*OTHERS, *(name for name in CONTAINERS if name not in allowed)]
        shared = {"$defs": node.pop("$defs")} if "$defs" in node else {}
        return {"anyOf": [{"type": others}, node], **shared}


def _checked(node: dict[str, Any]) -> dict[str, Any]:
    """Leave out the fields of objects, which no check reads and no JSON is."""
    facts = marks_of(node)
    if "fields" in facts:
        node[MARK] = {fact: value for fact, value in facts.items() if fact != "fields"}
    return node


def is_meant_by_keys(facts: Facts) -> bool:
    """Whether the further keys of an object may decide which branch of a union is meant."""
    return "other_names" in facts.marks and not facts.words.isdisjoint(("anyOf", "oneOf"))


class _Reach:
    """A look at which containers of a node hold objects with declared keys."""

    def __init__(self, root: Any) -> None:
        self.root = root
        self.left = MOST_NODES

    def holds_objects(self, schema: Any, name: str) -> bool:
        """Whether a node takes objects, or arrays with objects in them."""
        self.left -= 1
        if self.left < 0:
            return True
        if not isinstance(schema, dict):
            return False
        target = followed(self.root, schema)
        if target is not schema:
            return self.holds_objects(target, name)
        if name in names_of(schema):
            return name == "object" or any(
                self.holds_objects(sub, inner)
                for (word, *_), sub in child_nodes(schema)
                if word in ("items", "prefixItems")
                for inner in CONTAINERS
            )
        forms = (*schema.get("anyOf", ()), *schema.get("oneOf", ()), *schema.get("allOf", ()))
        return any(self.holds_objects(form, name) for form in forms)


def _mixes_numbers(root: Any, facts: Facts) -> bool:
    """Whether a number may be an integer by one schema and a float by another."""
    if not any("number" in types for types in facts.types):
        return False
    nodes = [node for node in nodes_of(root) if isinstance(node, dict)]
    return any("number" in names_of(node) for node in nodes) and any(map(_combines, nodes))


def _combines(node: dict[str, Any]) -> bool:
    branches = [branch for branch in node.get("anyOf", ()) if branch != NULL]
    is_extended = "$ref" in node and not node.keys().isdisjoint(CONTENTS)
    return is_extended or len(branches) > 1 or not node.keys().isdisjoint(COMBINING)


def _leave_integers(node: dict[str, Any]) -> None:
    """Of the numbers that a Decimal may be read from, leave only those without a lost digit."""
    integers = {"type": "integer", MARK: {"decimal": True}}
    if names_of(node) == ("number",):
        node |= integers
    if "anyOf" in node:
        node["anyOf"] = [
            {**form, **integers} if names_of(form) == ("number",) else form
            for form in node["anyOf"]
        ]
