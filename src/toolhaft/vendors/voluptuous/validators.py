"""voluptuous's validators as keywords of JSON Schema.

Each writer takes a validator and the node that earlier validators wrote, and returns the keywords
of the validator, or None if no schema can express it.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import Any, Final

from toolhaft.vendors.schema_writer import (
    constants,
    enum_schema,
    exclusion_schema,
    regex_pattern,
    strptime_pattern,
)

__all__ = ["WRITERS", "kind_of", "validator_label"]

Node = dict[str, Any]

SIZES: Final = {"string": "Length", "array": "Items", "object": "Properties"}


def kind_of(validator: Any) -> str | None:
    """Name the class of a validator of voluptuous's own; None for everything else."""
    kind = type(validator)
    if kind.__module__.partition(".")[0] == "voluptuous":
        return kind.__name__
    is_marked = getattr(validator, "__module__", None) == "voluptuous.schema_builder"
    name = getattr(validator, "__name__", "") if is_marked else ""
    return name if name in ("Extra", "Self") else None


def validator_label(validator: Any) -> str:
    """Name a validator in an error: a function by its name, an object by its class."""
    name = getattr(validator, "__name__", None)
    if name is None:
        return type(validator).__name__
    return str(name) if isinstance(validator, type) else f"the function {name}"


def _range(validator: Any, node: Node) -> Node | None:
    bounds = (validator.min, validator.max)
    if not _types(node) <= {"integer", "number"}:
        return None
    if not all(
        limit is None or (type(limit) in (int, float) and isfinite(limit)) for limit in bounds
    ):
        return None
    low = "minimum" if validator.min_included else "exclusiveMinimum"
    high = "maximum" if validator.max_included else "exclusiveMaximum"
    pairs = zip((low, high), bounds, strict=True)
    keywords = {word: bound for word, bound in pairs if bound is not None}
    return keywords if node else {"type": "number", **keywords}


def _types(node: Node) -> set[str]:
    """Return the types of a node; none if it is empty."""
    forms = node.get("anyOf", [node] if node else [])
    return {str(form.get("type", "any")) for form in forms}


def _length(validator: Any, node: Node) -> Node | None:
    size = SIZES.get(str(node.get("type")))
    if size is None:
        return None
    pairs = (("min", validator.min), ("max", validator.max))
    return {f"{word}{size}": bound for word, bound in pairs if bound is not None}


def _match(validator: Any, node: Node) -> Node | None:
    del node
    pattern = regex_pattern(validator.pattern)
    return None if pattern is None else {"type": "string", "pattern": pattern}


def _in(validator: Any, node: Node) -> Node | None:
    values = constants(validator.container)
    if not values:
        return None
    keywords = enum_schema(values)
    return (
        keywords
        if "type" not in node
        else {key: keywords[key] for key in keywords if key != "type"}
    )


def _not_in(validator: Any, node: Node) -> Node | None:
    del node
    values = constants(validator.container)
    return None if values is None else exclusion_schema(values)


def _equal(validator: Any, node: Node) -> Node | None:
    del node
    values = constants([validator.target])
    return None if values is None else enum_schema(values)


def _contains(validator: Any, node: Node) -> Node | None:
    values = constants([validator.item])
    if values is None or node.get("type") != "array":
        return None
    return {"contains": {"const": values[0]}}


def _unique(validator: Any, node: Node) -> Node | None:
    del validator
    return {"uniqueItems": True} if node.get("type") == "array" else None


def _date(validator: Any, node: Node) -> Node | None:
    del node
    if validator.format == "%Y-%m-%d":
        return {"type": "string", "format": "date"}
    pattern = strptime_pattern(validator.format)
    return None if pattern is None else {"type": "string", "pattern": pattern}


WRITERS: Final[dict[str, Callable[[Any, Node], Node | None]]] = {
    "Range": _range,
    "Length": _length,
    "Match": _match,
    "In": _in,
    "NotIn": _not_in,
    "Equal": _equal,
    "Contains": _contains,
    "Unique": _unique,
    "Date": _date,
    "Datetime": _date,
}
