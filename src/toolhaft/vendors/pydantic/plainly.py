"""The commonest faults, read off pydantic's own error: missing keys and wrong types of scalars.

They say what walking the emitted schema would say, in its words and its order, in a third of the
time. Whatever is not as simple as that is left to the walk.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from toolhaft.schema.forms import NAMES, kind_of
from toolhaft.spec import Issue

__all__ = ["plain_issues"]

MOST: Final = 20
KINDS: Final = {
    "int_type": "integer",
    "float_type": "number",
    "bool_type": "boolean",
    "string_type": "string",
}
# Other words that speak about a value of any type.
BESIDE: Final = frozenset({"enum", "const", "anyOf", "oneOf", "allOf", "not", "if", "$ref"})


def plain_issues(error: Any, schema: Mapping[str, Any]) -> list[Issue] | None:
    """Give the issues of a `ValidationError`; None where some fault is of another kind."""
    if not hasattr(error, "error_count") or error.error_count() > MOST:
        return None
    properties = schema.get("properties", {})
    missing: list[Issue] = []
    wrong: list[Issue] = []
    for one in error.errors(include_url=False, include_context=False):
        at, kind = one["loc"], one["type"]
        if len(at) != 1 or at[0] not in properties:
            return None
        if kind == "missing":
            missing.append(Issue("required", at, "missing"))
            continue
        node, expected, received = (
            properties[at[0]],
            KINDS.get(kind),
            NAMES.get(kind_of(one["input"])),
        )
        if not expected or not received or node.get("type") != expected:
            return None
        if not BESIDE.isdisjoint(node):
            return None
        message = f"expected {expected}, received {received}"
        wrong.append(Issue(message, at, "type", expected, received))
    return missing + wrong
