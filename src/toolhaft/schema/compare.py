"""What changed from one schema to another, and which way: more values, fewer, or hard to say.

The two are walked side by side. A schema is the conjunction of its keywords, so if each keyword
lets through at least what it did, the whole does; that is what makes `widened` and `same` certain
(no value that was valid is refused). Where keywords depend on each other in ways that are not
followed here, the answer is `unknown`, never a guess.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from toolhaft.schema.checker import Checker
from toolhaft.schema.differences import (
    GONE,
    KEYWORDS,
    NOTES,
    SILENT,
    Difference,
    Direction,
    compare_booleans,
    compare_limits,
    compare_members,
    compare_notes,
    compare_types,
    difference,
    listed_values,
)
from toolhaft.schema.document.references import beside_reference, followed
from toolhaft.schema.faults import SchemaRefused
from toolhaft.schema.normalise import normalise
from toolhaft.spec import Path

__all__ = ["compare_schemas"]

OBJECT: Final = frozenset({"properties", "required", "additionalProperties"})
ARRAY: Final = frozenset({"items", "prefixItems"})


def compare_schemas(old: Any, new: Any) -> list[Difference]:
    """List what changed between two schemas, in the order of the new one.

    Raises:
        SchemaRefused: One of them cannot be a schema.

    >>> compare_schemas({"type": "integer", "maximum": 9}, {"type": "integer", "maximum": 5})
    [Difference(pointer='/maximum', what='maximum 9 became 5', direction='narrowed')]
    """
    comparison = _Comparison(normalise(old), normalise(new))
    return list(comparison.compare_nodes(comparison.old, comparison.new, ()))


@dataclass
class _Comparison:
    """Two documents, and the pairs of references that are being compared already."""

    old: Any
    new: Any
    seen: set[tuple[str, str]] = field(default_factory=set)

    def compare_nodes(self, old: Any, new: Any, at: Path) -> Iterator[Difference]:
        """Compare two nodes; a reference that comes back to itself adds nothing."""
        if (
            isinstance(old, Mapping)
            and isinstance(new, Mapping)
            and ("$ref" in old or "$ref" in new)
        ):
            key = (str(old.get("$ref", at)), str(new.get("$ref", at)))
            if key in self.seen:
                return
            self.seen.add(key)
            old, new = self.resolve(self.old, old), self.resolve(self.new, new)
        if isinstance(old, bool) or isinstance(new, bool):
            yield from compare_booleans(old, new, at)
            return
        yield from self.compare_keywords(old, new, at)

    def resolve(self, root: Any, node: Any) -> Any:
        """Follow a node's reference, and keep the keywords beside it, which apply too."""
        for _ in range(100):
            if not isinstance(node, Mapping) or "$ref" not in node:
                break
            beside, meant = beside_reference(node), followed(root, node)
            asserts = beside.keys() - {*NOTES, *SILENT}
            if not isinstance(meant, Mapping) or (asserts & meant.keys()):
                return {"allOf": [meant, beside]}
            node = {**meant, **beside}
        return node

    def compare_keywords(self, old: Any, new: Any, at: Path) -> Iterator[Difference]:
        """Compare what two nodes say, keyword by keyword."""
        yield from compare_notes(old, new, at)
        if _takes_all_of(self.new, new, old):
            if not _takes_all_of(self.old, old, new):
                yield difference(at, "enum", "takes more than it listed", "widened")
            return
        yield from compare_types(old, new, at)
        yield from compare_members(old, new, at)
        yield from compare_limits(old, new, at)
        if (OBJECT & {*old, *new}) or "patternProperties" in old or "patternProperties" in new:
            yield from self.compare_objects(old, new, at)
        if ARRAY & {*old, *new}:
            yield from self.compare_arrays(old, new, at)
        yield from self.compare_unions(old, new, at)
        known = {*KEYWORDS, *OBJECT, *ARRAY, "anyOf", "oneOf"}
        for keyword in dict.fromkeys((*new, *old)):
            if keyword not in known:
                yield from self.compare_others(keyword, old.get(keyword), new.get(keyword), at)

    def compare_others(self, keyword: str, then: Any, now: Any, at: Path) -> Iterator[Difference]:
        """Keywords that are not followed: the same words with the same meaning, or unknown."""
        if keyword == "allOf" and then and now and len(then) == len(now):
            for index, (before, after) in enumerate(zip(then, now, strict=True)):
                yield from self.compare_nodes(before, after, (*at, keyword, index))
        elif then != now or (_refers(now) and self.old != self.new):
            yield difference(at, keyword, f"{keyword} changed", "unknown")

    def compare_objects(self, old: Any, new: Any, at: Path) -> Iterator[Difference]:
        """Properties, and what may stand beside them."""
        required = set(old.get("required", ())), set(new.get("required", ()))
        for name in sorted(required[1] - required[0]):
            yield difference((*at, "properties", name), None, "is required now", "narrowed")
        for name in sorted(required[0] - required[1]):
            yield difference((*at, "properties", name), None, "is optional now", "widened")
        patterns = old.get("patternProperties", {}), new.get("patternProperties", {})
        if patterns[0] != patterns[1]:
            return  # `compare_others` reports it
        if patterns[0] and _names(old) != _names(new):
            yield difference(at, "patternProperties", "applies to other keys now", "unknown")
            return
        then, now = old.get("properties", {}), new.get("properties", {})
        rest = old.get("additionalProperties", True), new.get("additionalProperties", True)
        for name in dict.fromkeys((*now, *then)):
            where = (*at, "properties", name)
            if name in then and name in now:
                yield from self.compare_nodes(then[name], now[name], where)
            elif name in now:
                yield from self.compare_added(rest[0], now[name], where)
            else:
                yield from self.compare_removed(rest[1], where)
        yield from self.compare_nodes(*rest, (*at, "additionalProperties"))

    def compare_added(self, rest: Any, node: Any, at: Path) -> Iterator[Difference]:
        """Compare a property that is declared now with the values that its key could have."""
        if rest is False:
            yield difference(at, None, "is new", "widened")
        elif any(
            change.direction in ("narrowed", "unknown") for change in self.compare_pair(rest, node)
        ):
            yield difference(at, None, "is new; the key could hold anything before", "unknown")
        else:
            yield difference(at, None, "is new", "same")

    def compare_removed(self, rest: Any, at: Path) -> Iterator[Difference]:
        """Report a property that is gone; other code decides whether its key may be sent."""
        if rest is False:
            yield difference(at, None, GONE, "narrowed")
        else:
            yield difference(at, None, f"{GONE}; the key is free", "unknown")

    def compare_arrays(self, old: Any, new: Any, at: Path) -> Iterator[Difference]:
        """Items by their places, then all others."""
        then, now = old.get("prefixItems", []), new.get("prefixItems", [])
        rest = old.get("items", True), new.get("items", True)
        for place in range(max(len(then), len(now))):
            before = then[place] if place < len(then) else rest[0]
            after = now[place] if place < len(now) else rest[1]
            yield from self.compare_nodes(before, after, (*at, "prefixItems", place))
        yield from self.compare_nodes(*rest, (*at, "items"))

    def compare_unions(self, old: Any, new: Any, at: Path) -> Iterator[Difference]:
        """Alternatives: each old one within some new one, or not."""
        for keyword in ("anyOf", "oneOf"):
            then, now = old.get(keyword), new.get(keyword)
            if then is None or now is None:
                if then is not now:
                    what = f"{keyword} is {'new' if then is None else 'gone'}"
                    yield difference(at, keyword, what, "narrowed" if then is None else "widened")
            elif not self.are_alike(then, now):
                direction = self.direction_of(then, now) if keyword == "anyOf" else "unknown"
                what = f"the alternatives of {keyword} changed"
                yield difference(at, keyword, what, direction)

    def are_alike(self, then: list[Any], now: list[Any]) -> bool:
        """Whether two lists of alternatives are the same, one by one."""
        return len(then) == len(now) and all(
            change.direction == "same"
            for before, after in zip(then, now, strict=True)
            for change in self.compare_pair(before, after)
        )

    def direction_of(self, then: list[Any], now: list[Any]) -> Direction:
        """Which way a union of alternatives went."""
        if all(self.is_within(alternative, now) for alternative in then):
            back = all(self.is_within(branch, then, backwards=True) for branch in now)
            return "same" if back else "widened"
        back = all(self.is_within(alternative, then, backwards=True) for alternative in now)
        return "narrowed" if back else "unknown"

    def is_within(self, one: Any, others: list[Any], *, backwards: bool = False) -> bool:
        """Whether one alternative certainly lies within another of the other side."""
        good = ("same", "narrowed") if backwards else ("same", "widened")
        return any(
            all(
                change.direction in good
                for change in (
                    self.compare_pair(alternative, one)
                    if backwards
                    else self.compare_pair(one, alternative)
                )
            )
            for alternative in others
        )

    def compare_pair(self, old: Any, new: Any) -> list[Difference]:
        """Compare a pair on the side, without a memory of it."""
        kept = set(self.seen)
        changes = list(self.compare_nodes(old, new, ()))
        self.seen = kept
        return changes


def _takes_all_of(root: Any, node: Any, other: Any) -> bool:
    """Whether the other node lists its values, and this one takes each of them."""
    values = listed_values(other)
    if values is None:
        return False
    definitions = {"$defs": root["$defs"]} if "$defs" in root else {}
    try:
        return all(map(Checker({**definitions, **node}).is_valid, values))
    except SchemaRefused:  # it refers to another place
        return False


def _names(node: Any) -> set[str]:
    return set(node.get("properties", ()))


def _refers(node: Any) -> bool:
    return "$ref" in str(node)
