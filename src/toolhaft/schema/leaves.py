"""Objects and arrays of scalars, which the compiled check tests faster than a walk looks at them.

What holds further objects or arrays is not tested so: each level would be read once more.
"""

from __future__ import annotations

from typing import Any

from toolhaft.schema.checker import compiled
from toolhaft.schema.kind_checks import Fits, never
from toolhaft.schema.recursion import IN_PLACE
from toolhaft.schema.walk import subschemas

__all__ = ["leaf_test"]

# What leads out of a schema, so that it is not compiled by itself.
NO_LEAF = frozenset({"$ref", "$id"})


def leaf_test(schema: dict[str, Any]) -> Fits:
    """The engine's verdict on values of a schema; `never` where it is no leaf."""
    return compiled(schema) if _is_leaf(schema, levels=1) else never


def _is_leaf(schema: Any, levels: int) -> bool:
    """Whether a schema speaks of that many levels of parts at most, and refers to nothing."""
    if not isinstance(schema, dict):
        return True
    if levels < 0 or not NO_LEAF.isdisjoint(schema):
        return False
    if float in map(type, schema.values()):  # the engine compares decimals digit by digit
        return False
    return all(
        _is_leaf(sub, levels - (steps[0] not in IN_PLACE)) for steps, sub in subschemas(schema)
    )
