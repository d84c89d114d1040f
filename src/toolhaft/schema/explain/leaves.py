"""Objects and arrays that are tested faster than a walk looks at them.

The primitives in C test them all. Where these are not there, the compiled check tests objects and
arrays of scalars: then the time of all tests is at most that of the verdict. Values to which a walk
may come more than once are not tested so.
"""

from __future__ import annotations

from typing import Any

from toolhaft.schema import shape
from toolhaft.schema.backtracking import going_back
from toolhaft.schema.branches import types_of
from toolhaft.schema.document.walk import child_nodes, nodes_of
from toolhaft.schema.engine import compiled
from toolhaft.schema.explain.kind_checks import never
from toolhaft.schema.explain.node import Fits
from toolhaft.schema.facts import facts_of
from toolhaft.schema.recursion import IN_PLACE

__all__ = ["leaf_test", "part_test", "visits_once"]

# Keywords that lead out of a schema, so it cannot be compiled alone.
NO_LEAF = frozenset({"$ref", "$id"})
PARTS = frozenset({"additionalProperties", "items", "prefixItems", "properties"})
FORMS = ("allOf", "anyOf", "oneOf")
# Further keywords that hold schemas and do not look at values.
DEFINITIONS = frozenset({"$defs", "contentSchema"})
CONTAINERS = frozenset({"array", "object"})


def part_test(root: Any, schema: dict[str, Any]) -> Fits:
    """Return a test of objects and arrays that passes only valid data, or `never`.

    `root` is the document of the schema's references.
    """
    return shape.part_test(root, schema) or leaf_test(schema)


def leaf_test(schema: dict[str, Any]) -> Fits:
    """Return the engine's test of values of a schema; `never` if it is no leaf or backtracks."""
    if not _is_leaf(schema, levels=1) or going_back(facts_of(schema).patterns):
        return never
    return compiled(schema)


def _is_leaf(schema: Any, levels: int) -> bool:
    """Whether a schema speaks of that many levels of parts at most, and refers to nothing."""
    if not isinstance(schema, dict):
        return True
    if levels < 0 or not NO_LEAF.isdisjoint(schema):
        return False
    if float in map(type, schema.values()):  # the engine compares decimals digit by digit
        return False
    return all(
        _is_leaf(sub, levels - (steps[0] not in IN_PLACE)) for steps, sub in child_nodes(schema)
    )


def visits_once(root: Any) -> bool:
    """Whether no two parts of a schema speak of the same object or array."""
    return all(_speaks_once(root, node) for node in nodes_of(root) if isinstance(node, dict))


def _speaks_once(root: Any, node: dict[str, Any]) -> bool:
    times = int("$ref" in node) + int(not PARTS.isdisjoint(node))
    for (keyword, *_), sub in child_nodes(node):
        if keyword in FORMS:
            names = types_of(root, sub)
            times += names is None or not CONTAINERS.isdisjoint(names)
        elif keyword not in PARTS and keyword not in DEFINITIONS:
            return False
    return times <= 1
