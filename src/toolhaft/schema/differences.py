"""The effect of a change of one keyword: more values, fewer, the same, or unknown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from toolhaft.schema.checker import Checker
from toolhaft.schema.document.walk import pointer
from toolhaft.spec import Path

__all__ = [
    "GONE",
    "KEYWORDS",
    "NOTES",
    "SILENT",
    "Difference",
    "Direction",
    "compare_booleans",
    "compare_limits",
    "compare_members",
    "compare_notes",
    "compare_types",
    "difference",
    "listed_values",
]

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
TYPES: Final = frozenset({"null", "boolean", "integer", "number", "string", "array", "object"})
# The keywords that this module's functions compare.
KEYWORDS: Final = frozenset({
    *NOTES, *SILENT, *AT_LEAST, *AT_MOST, *ALONE, "type", "enum", "const", "uniqueItems",
    "multipleOf",
})  # fmt: skip


def difference(at: Path, keyword: str | None, what: str, way: Direction) -> Difference:
    """Return the difference at a place, or at one of its keywords."""
    return Difference(pointer(at if keyword is None else (*at, keyword)), what, way)


def compare_booleans(old: Any, new: Any, at: Path) -> Iterator[Difference]:
    """Schemas that let all or nothing through, on one side at least."""
    then, now = _openness(old), _openness(new)
    if then == now and then is not None:
        return
    if now is True or then is False:
        what = "takes more values" if then is None else "is open now"
        yield difference(at, None, what, "widened")
    elif now is False or then is True:
        what = "is closed now" if now is False else "has a schema now"
        yield difference(at, None, what, "narrowed")


def _openness(node: Any) -> bool | None:
    if isinstance(node, bool):
        return node
    return True if not {*node} - {*NOTES, *SILENT} else None


def compare_notes(old: Any, new: Any, at: Path) -> Iterator[Difference]:
    """Keywords that say something, and refuse nothing."""
    for keyword in NOTES:
        if old.get(keyword) != new.get(keyword):
            yield difference(at, keyword, f"{keyword} changed", "same")


def compare_types(old: Any, new: Any, at: Path) -> Iterator[Difference]:
    """Kinds of values that are new or gone."""
    then, now = _kinds(old), _kinds(new)
    if then - now:
        what = f"type {' or '.join(sorted(then - now))} is gone"
        yield difference(at, "type", what, "narrowed")
    if now - then:
        what = f"type {' or '.join(sorted(now - then))} is new"
        yield difference(at, "type", what, "widened")


def _kinds(node: Any) -> frozenset[str]:
    named = node.get("type", list(TYPES))
    kinds = frozenset([named] if isinstance(named, str) else named)
    return kinds | {"integer"} if "number" in kinds else kinds


def compare_members(old: Any, new: Any, at: Path) -> Iterator[Difference]:
    """Enumerations and constants: which values are new, and which are gone."""
    then, now = listed_values(old), listed_values(new)
    if then is None and now is None:
        return
    if then is None or now is None:
        what = "is an enumeration now" if then is None else "is no enumeration any more"
        yield difference(at, "enum", what, "narrowed" if then is None else "widened")
        return
    removed = [member for member in then if not _contains(now, member)]
    added = [member for member in now if not _contains(then, member)]
    if removed:
        yield difference(at, "enum", f"{len(removed)} enum members are gone", "narrowed")
    if added:
        yield difference(at, "enum", f"{len(added)} enum members are new", "widened")


def listed_values(node: Any) -> list[Any] | None:
    """The values that a node lists, those alone that its other words let through."""
    listed = node.get("enum", [node["const"]] if "const" in node else None)
    return None if listed is None else list(listed)


def _contains(members: list[Any], value: Any) -> bool:
    return Checker({"enum": members}).is_valid(value)


def compare_limits(old: Any, new: Any, at: Path) -> Iterator[Difference]:
    """Compare the limits on single values: bounds, patterns, formats, steps."""
    for keyword in (*AT_LEAST, *AT_MOST, *ALONE):
        yield from _compare_limit(keyword, old, new, at)
    then, now = bool(old.get("uniqueItems")), bool(new.get("uniqueItems"))
    if now and not then:
        yield difference(at, "uniqueItems", "items must differ", "narrowed")
    elif then and not now:
        yield difference(at, "uniqueItems", "items may be equal", "widened")
    yield from _compare_limit("multipleOf", old, new, at)


def _compare_limit(keyword: str, old: Any, new: Any, at: Path) -> Iterator[Difference]:
    then, now = old.get(keyword), new.get(keyword)
    if then != now:
        became = "is new" if then is None else GONE if now is None else f"{then} became {now}"
        yield difference(at, keyword, f"{keyword} {became}", _direction_of(keyword, then, now))


def _direction_of(keyword: str, then: Any, now: Any) -> Direction:
    if then is None or now is None:
        return "narrowed" if then is None else "widened"
    if keyword in AT_LEAST:
        return "narrowed" if now > then else "widened"
    if keyword in AT_MOST:
        return "narrowed" if now < then else "widened"
    if keyword == "multipleOf" and isinstance(then, int) and isinstance(now, int):
        return "widened" if then % now == 0 else "narrowed" if now % then == 0 else "unknown"
    return "unknown"
