"""Which types are read in one step, from a dict or from JSON text, without being copied first.

The validator of such a type takes data apart completely: it builds every container anew, runs no
function of an author's, and refuses all that is not plain JSON. What it cannot see is told by the
keys (`keys.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from toolhaft.vendors.adapter import Direct
from toolhaft.vendors.pydantic.keys import Uncounted, keys_of
from toolhaft.vendors.pydantic.scalars import LONGEST
from toolhaft.vendors.pydantic.walk import UNBOUNDED, Node

__all__ = ["direct"]

# pydantic compares with integers below this without making Python's own of them.
NEARER: Final = {"gt": -(1 << 62), "lt": 1 << 62}
BOUNDS: Final = {"gt": -LONGEST, "lt": LONGEST, "max_length": UNBOUNDED}


def direct(schema: Node, config: Mapping[str, Any] | None) -> Direct | None:
    """Give the way to read a strict schema in one step; None where there is none."""
    from pydantic_core import SchemaValidator

    try:
        keys = keys_of(schema)
    except Uncounted:
        return None
    if keys.read is None or keys.fits is None:
        return None
    core_config: Any = config
    by_data, by_text = (
        SchemaValidator(rewritten(schema, rule), core_config, _use_prebuilt=False)
        for rule in (_for_data, _for_text)
    )
    return Direct(
        by_data.validate_python, keys.fits, keys.width, by_text.validate_json, keys.read, keys.fixed
    )


def rewritten(node: Any, rule: Callable[[Node], Node]) -> Any:
    """Rewrite every node of a core schema by a rule, from the innermost."""
    if isinstance(node, dict):
        return rule({key: rewritten(value, rule) for key, value in node.items()})
    if isinstance(node, list | tuple):
        return type(node)(rewritten(one, rule) for one in node)
    return node


def _for_text(node: Node) -> Node:
    """Drop the bounds of what no JSON text can hold: lone surrogates, and integers too long."""
    return {key: value for key, value in node.items() if not _is_bound(key, value)}


def _for_data(node: Node) -> Node:
    """Refuse integers that are as rare as they are dear to compare, and call no text's methods."""
    if node.get("type") == "literal" and {type(one) for one in node["expected"]} == {str}:
        guard = {"type": "str", "strict": True, "max_length": UNBOUNDED}
        return {"type": "chain", "steps": [guard, node]}
    bounds = {key: NEARER[key] for key in NEARER if _is_bound(key, node.get(key))}
    return {**node, **bounds}


def _is_bound(key: str, value: Any) -> bool:
    """Whether a bound is not an author's."""
    return key in BOUNDS and bool(value == BOUNDS[key])
