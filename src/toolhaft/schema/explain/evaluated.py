"""The keys or items of a value that some keyword evaluates, which `unevaluated*` leaves out.

JSON Schema 2020-12 core (2022-06-16), 11.2 and 11.3. Branches of a union count if they accept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, TypeAlias

from toolhaft.schema.document.references import extended
from toolhaft.schema.explain.slow_patterns import match_text
from toolhaft.spec import Path

if TYPE_CHECKING:
    from toolhaft.schema.explain.node import Node, Walk

__all__ = ["evaluated_by"]

Places: TypeAlias = set[str | int]
FindEvaluated: TypeAlias = "Callable[[Walk, Node, Any, Any, Path], Iterable[str | int]]"


def evaluated_by(run: Walk, node: Node, value: Any, path: Path) -> Places:
    """Return the keys of an object, or the places of an array, that a node's keywords evaluate.

    The node's own `unevaluated*` is left out; keywords of schemas that apply beside it count.
    """
    places: Places = set()
    finders = OBJECT if isinstance(value, dict) else ARRAY
    for keyword, find in finders.items():
        if keyword in node.schema:
            places.update(find(run, node, node.schema[keyword], value, path))
    for child in _applied(run, node, value, path):
        if isinstance(child.schema, dict):
            places |= evaluated_by(run, child, value, path)
            if UNEVALUATED & child.schema.keys():
                places.update(_all(run, child, None, value, path))
    return places


def _applied(run: Walk, node: Node, value: Any, path: Path) -> Iterator[Node]:
    """The schemas that a node applies to the same value, and that accept it."""
    schema = node.schema
    yield from map(node.child, extended(node.root, schema))
    for keyword in ("anyOf", "oneOf"):
        for child in map(node.child, schema.get(keyword, ())):
            if not run.trial(child, value, path):
                yield child
    if "if" in schema:
        condition = node.child(schema["if"])
        refused = run.trial(condition, value, path)
        if not refused:
            yield condition
        yield node.child(schema.get("else" if refused else "then", True))
    if isinstance(value, dict):
        dependent = schema.get("dependentSchemas", {})
        yield from (node.child(sub) for name, sub in dependent.items() if name in value)


def _named(_: Walk, __: Node, schemas: Any, value: Any, ___: Path) -> Iterable[str]:
    return [name for name in schemas if name in value]


def _matched(run: Walk, node: Node, schemas: Any, value: Any, path: Path) -> Iterable[str]:
    tests = [match_text(node, pattern) for pattern in schemas]
    return (
        name for name in value if any(matches(run, name, (*path, name), True) for matches in tests)
    )


def _all(_: Walk, __: Node, ___: Any, value: Any, ____: Path) -> Iterable[str | int]:
    return value if isinstance(value, dict) else range(len(value))


def _first(_: Walk, __: Node, schemas: Any, value: Any, ___: Path) -> Iterable[int]:
    return range(min(len(schemas), len(value)))


def _contained(run: Walk, node: Node, schema: Any, value: Any, path: Path) -> Iterable[int]:
    child = node.child(schema)
    return (index for index, item in enumerate(value) if not run.trial(child, item, (*path, index)))


UNEVALUATED = frozenset({"unevaluatedItems", "unevaluatedProperties"})
OBJECT: dict[str, FindEvaluated] = {
    "properties": _named,
    "patternProperties": _matched,
    "additionalProperties": _all,
}
ARRAY: dict[str, FindEvaluated] = {"prefixItems": _first, "items": _all, "contains": _contained}
