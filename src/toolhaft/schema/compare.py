"""What changed from one schema to another, and which way: more values, fewer, or hard to say.

The two are walked side by side. A schema is the conjunction of its keywords, so if each keyword
lets through at least what it did, the whole does; that is what makes `widened` and `same` certain
(no value that was valid is refused). Where keywords depend on each other in ways that are not
followed here, the answer is `unknown`, never a guess.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from toolhaft.schema.checker import Checker
from toolhaft.schema.faults import SchemaRefused
from toolhaft.schema.normalise import normalise
from toolhaft.schema.refs import resolve
from toolhaft.schema.walk import pointer
from toolhaft.spec import Path

__all__ = ["Difference", "Direction", "compared"]

Direction: TypeAlias = Literal["same", "widened", "narrowed", "unknown"]


class Difference(NamedTuple):
    """One change: where in the new schema (in the old, for what is gone), what, and which way."""

    pointer: str
    what: str
    direction: Direction


GONE: Final = "is gone"
NOTES: Final = (
    "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly",
)  # fmt: skip
SILENT: Final = frozenset({"$schema", "$id", "$comment", "$defs", "definitions"})
AT_LEAST: Final = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties")
AT_MOST: Final = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties")
ALONE: Final = ("pattern", "format")
OBJECT: Final = frozenset({"properties", "required", "additionalProperties"})
ARRAY: Final = frozenset({"items", "prefixItems"})
TYPES: Final = frozenset({"null", "boolean", "integer", "number", "string", "array", "object"})


def compared(old: Any, new: Any) -> list[Difference]:
    """List what changed between two schemas, in the order of the new one.

    Raises:
        SchemaRefused: One of them cannot be a schema.

    >>> compared({"type": "integer", "maximum": 9}, {"type": "integer", "maximum": 5})
    [Difference(pointer='/maximum', what='maximum 9 became 5', direction='narrowed')]
    """
    comparison = _Comparison(normalise(old), normalise(new))
    return list(comparison.nodes(comparison.old, comparison.new, ()))


@dataclass
class _Comparison:
    """Two documents, and the pairs of references that are being compared already."""

    old: Any
    new: Any
    seen: set[tuple[str, str]] = field(default_factory=set)

    def nodes(self, old: Any, new: Any, at: Path) -> Iterator[Difference]:
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
            old, new = self.followed(self.old, old), self.followed(self.new, new)
        if isinstance(old, bool) or isinstance(new, bool):
            yield from _booleans(old, new, at)
            return
        yield from self.keywords(old, new, at)

    def followed(self, root: Any, node: Any) -> Any:
        """What a node says once its reference is followed; what stands beside it holds too."""
        for _ in range(100):
            if not isinstance(node, Mapping) or "$ref" not in node:
                break
            beside = {key: value for key, value in node.items() if key != "$ref"}
            meant = resolve(root, node["$ref"])
            asserts = beside.keys() - {*NOTES, *SILENT}
            if not isinstance(meant, Mapping) or (asserts & meant.keys()):
                return {"allOf": [meant, beside]}
            node = {**meant, **beside}
        return node

    def keywords(self, old: Any, new: Any, at: Path) -> Iterator[Difference]:
        """Compare what two nodes say, keyword by keyword."""
        yield from _notes(old, new, at)
        if _takes_all_of(self.new, new, old):
            if not _takes_all_of(self.old, old, new):
                yield _difference(at, "enum", "takes more than it listed", "widened")
            return
        yield from _types(old, new, at)
        yield from self.members(old, new, at)
        yield from _limits(old, new, at)
        if (OBJECT & {*old, *new}) or "patternProperties" in old or "patternProperties" in new:
            yield from self.objects(old, new, at)
        if ARRAY & {*old, *new}:
            yield from self.arrays(old, new, at)
        yield from self.unions(old, new, at)
        known = {*NOTES, *SILENT, *AT_LEAST, *AT_MOST, *ALONE, *OBJECT, *ARRAY}
        known |= {"type", "enum", "const", "uniqueItems", "multipleOf", "anyOf", "oneOf"}
        for keyword in dict.fromkeys((*new, *old)):
            if keyword not in known:
                yield from self.others(keyword, old.get(keyword), new.get(keyword), at)

    def others(self, keyword: str, then: Any, now: Any, at: Path) -> Iterator[Difference]:
        """Keywords that are not followed: the same words with the same meaning, or unknown."""
        if keyword == "allOf" and then and now and len(then) == len(now):
            for place, (before, after) in enumerate(zip(then, now, strict=True)):
                yield from self.nodes(before, after, (*at, keyword, place))
        elif then != now or (_refers(now) and self.old != self.new):
            yield _difference(at, keyword, f"{keyword} changed", "unknown")

    def members(self, old: Any, new: Any, at: Path) -> Iterator[Difference]:
        """Enumerations and constants: which values are new, and which are gone."""
        then, now = _listed(old), _listed(new)
        if then is None and now is None:
            return
        if then is None or now is None:
            what = "is an enumeration now" if then is None else "is no enumeration any more"
            yield _difference(at, "enum", what, "narrowed" if then is None else "widened")
            return
        gone = [one for one in then if not _has(now, one)]
        added = [one for one in now if not _has(then, one)]
        if gone:
            yield _difference(at, "enum", f"{len(gone)} enum members are gone", "narrowed")
        if added:
            yield _difference(at, "enum", f"{len(added)} enum members are new", "widened")

    def objects(self, old: Any, new: Any, at: Path) -> Iterator[Difference]:
        """Properties, and what may stand beside them."""
        required = set(old.get("required", ())), set(new.get("required", ()))
        for name in sorted(required[1] - required[0]):
            yield _difference((*at, "properties", name), None, "is required now", "narrowed")
        for name in sorted(required[0] - required[1]):
            yield _difference((*at, "properties", name), None, "is optional now", "widened")
        patterns = old.get("patternProperties", {}), new.get("patternProperties", {})
        if patterns[0] != patterns[1] or (patterns[0] and _names(old) != _names(new)):
            yield _difference(at, "patternProperties", "the patterns of keys changed", "unknown")
            return
        then, now = old.get("properties", {}), new.get("properties", {})
        rest = old.get("additionalProperties", True), new.get("additionalProperties", True)
        for name in dict.fromkeys((*now, *then)):
            where = (*at, "properties", name)
            if name in then and name in now:
                yield from self.nodes(then[name], now[name], where)
            elif name in now:
                yield from self.added(rest[0], now[name], where)
            else:
                yield from self.removed(rest[1], where)
        yield from self.nodes(*rest, (*at, "additionalProperties"))

    def added(self, rest: Any, node: Any, at: Path) -> Iterator[Difference]:
        """A property that is declared now; what the key could hold before decides."""
        if rest is False:
            yield _difference(at, None, "is new", "widened")
        elif any(one.direction in ("narrowed", "unknown") for one in self.quietly(rest, node)):
            yield _difference(at, None, "is new; the key could hold anything before", "unknown")
        else:
            yield _difference(at, None, "is new", "same")

    def removed(self, rest: Any, at: Path) -> Iterator[Difference]:
        """A property that is gone; what may still be sent under its key is another matter."""
        if rest is False:
            yield _difference(at, None, GONE, "narrowed")
        else:
            yield _difference(at, None, f"{GONE}; the key is free", "unknown")

    def arrays(self, old: Any, new: Any, at: Path) -> Iterator[Difference]:
        """Items by their places, then all others."""
        then, now = old.get("prefixItems", []), new.get("prefixItems", [])
        rest = old.get("items", True), new.get("items", True)
        for place in range(max(len(then), len(now))):
            before = then[place] if place < len(then) else rest[0]
            after = now[place] if place < len(now) else rest[1]
            yield from self.nodes(before, after, (*at, "prefixItems", place))
        yield from self.nodes(*rest, (*at, "items"))

    def unions(self, old: Any, new: Any, at: Path) -> Iterator[Difference]:
        """Alternatives: each old one within some new one, or not."""
        for keyword in ("anyOf", "oneOf"):
            then, now = old.get(keyword), new.get(keyword)
            if then is None or now is None:
                if then is not now:
                    what = f"{keyword} is {'new' if then is None else 'gone'}"
                    yield _difference(at, keyword, what, "narrowed" if then is None else "widened")
            elif not self.are_alike(then, now):
                direction = self.direction(then, now) if keyword == "anyOf" else "unknown"
                what = f"the alternatives of {keyword} changed"
                yield _difference(at, keyword, what, direction)

    def are_alike(self, then: list[Any], now: list[Any]) -> bool:
        """Whether two lists of alternatives are the same, one by one."""
        return len(then) == len(now) and all(
            found.direction == "same"
            for before, after in zip(then, now, strict=True)
            for found in self.quietly(before, after)
        )

    def direction(self, then: list[Any], now: list[Any]) -> Direction:
        """Which way a union of alternatives went."""
        if all(self.within(one, now) for one in then):
            back = all(self.within(one, then, backwards=True) for one in now)
            return "same" if back else "widened"
        back = all(self.within(one, then, backwards=True) for one in now)
        return "narrowed" if back else "unknown"

    def within(self, one: Any, others: list[Any], *, backwards: bool = False) -> bool:
        """Whether one alternative certainly lies within another of the other side."""
        good = ("same", "narrowed") if backwards else ("same", "widened")
        return any(
            all(
                found.direction in good
                for found in (self.quietly(it, one) if backwards else self.quietly(one, it))
            )
            for it in others
        )

    def quietly(self, old: Any, new: Any) -> list[Difference]:
        """Compare a pair on the side, without a memory of it."""
        kept = set(self.seen)
        found = list(self.nodes(old, new, ()))
        self.seen = kept
        return found


def _booleans(old: Any, new: Any, at: Path) -> Iterator[Difference]:
    """Schemas that let all or nothing through, on one side at least."""
    then, now = _open(old), _open(new)
    if then == now and then is not None:
        return
    if now is True or then is False:
        yield _difference(
            at, None, "takes more values" if then is None else "is open now", "widened"
        )
    elif now is False or then is True:
        yield _difference(
            at, None, "is closed now" if now is False else "has a schema now", "narrowed"
        )


def _open(node: Any) -> bool | None:
    if isinstance(node, bool):
        return node
    return True if not {*node} - {*NOTES, *SILENT} else None


def _notes(old: Any, new: Any, at: Path) -> Iterator[Difference]:
    for keyword in NOTES:
        if old.get(keyword) != new.get(keyword):
            yield _difference(at, keyword, f"{keyword} changed", "same")


def _types(old: Any, new: Any, at: Path) -> Iterator[Difference]:
    then, now = _kinds(old), _kinds(new)
    if then - now:
        what = f"type {' or '.join(sorted(then - now))} is gone"
        yield _difference(at, "type", what, "narrowed")
    if now - then:
        what = f"type {' or '.join(sorted(now - then))} is new"
        yield _difference(at, "type", what, "widened")


def _kinds(node: Any) -> frozenset[str]:
    named = node.get("type", list(TYPES))
    kinds = frozenset([named] if isinstance(named, str) else named)
    return kinds | {"integer"} if "number" in kinds else kinds


def _limits(old: Any, new: Any, at: Path) -> Iterator[Difference]:
    for keyword in (*AT_LEAST, *AT_MOST):
        yield from _limit(keyword, old.get(keyword), new.get(keyword), at)
    for keyword in ALONE:
        then, now = old.get(keyword), new.get(keyword)
        if then != now:
            way: Direction = "narrowed" if then is None else "widened" if now is None else "unknown"
            yield _difference(at, keyword, f"{keyword} {_became(then, now)}", way)
    if bool(old.get("uniqueItems")) != bool(new.get("uniqueItems")):
        way = "narrowed" if new.get("uniqueItems") else "widened"
        yield _difference(at, "uniqueItems", "items must differ" if way == "narrowed" else
                          "items may be equal", way)  # fmt: skip
    yield from _multiples(old.get("multipleOf"), new.get("multipleOf"), at)


def _limit(keyword: str, then: Any, now: Any, at: Path) -> Iterator[Difference]:
    if then == now:
        return
    if then is None or now is None:
        direction: Direction = "narrowed" if then is None else "widened"
    else:
        direction = "narrowed" if (now > then) == (keyword in AT_LEAST) else "widened"
    yield _difference(at, keyword, f"{keyword} {_became(then, now)}", direction)


def _multiples(then: Any, now: Any, at: Path) -> Iterator[Difference]:
    if then == now:
        return
    direction: Direction = "unknown"
    if then is None:
        direction = "narrowed"
    elif now is None or (isinstance(then, int) and isinstance(now, int) and then % now == 0):
        direction = "widened"
    elif isinstance(then, int) and isinstance(now, int) and now % then == 0:
        direction = "narrowed"
    yield _difference(at, "multipleOf", f"multipleOf {_became(then, now)}", direction)


def _became(then: Any, now: Any) -> str:
    if then is None:
        return "is new"
    return "is gone" if now is None else f"{then} became {now}"


def _listed(node: Any) -> list[Any] | None:
    """The values that a node lists, those alone that its other words let through."""
    listed = node.get("enum", [node["const"]] if "const" in node else None)
    return None if listed is None else list(listed)


def _takes_all_of(root: Any, node: Any, other: Any) -> bool:
    """Whether the other node lists its values, and this one takes each of them."""
    listed = _listed(other)
    if listed is None:
        return False
    definitions = {"$defs": root["$defs"]} if "$defs" in root else {}
    try:
        return all(map(Checker({**definitions, **node}).is_valid, listed))
    except SchemaRefused:  # it refers to another place
        return False


def _has(members: list[Any], value: Any) -> bool:
    return Checker({"enum": members}).is_valid(value)


def _names(node: Any) -> set[str]:
    return set(node.get("properties", ()))


def _refers(node: Any) -> bool:
    return "$ref" in str(node)


def _difference(at: Path, keyword: str | None, what: str, way: Direction) -> Difference:
    return Difference(pointer(at if keyword is None else (*at, keyword)), what, way)
