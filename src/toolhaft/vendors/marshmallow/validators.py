"""What the author of a marshmallow Schema adds to it: validators, as keywords, and hooks.

marshmallow gives hooks no public name. This is the one place that reads the private one, and the
tests of the adapter run on the oldest and the newest version that is supported.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite
from typing import Any, Final

from toolhaft.vendors.schema_writer import constants, enum_schema, exclusion_schema, regex_pattern

__all__ = ["all_hooks", "constrain", "hooks_of"]

NUMBERS: Final = ("integer", "number")
SIZES: Final = {"string": "Length", "array": "Items", "object": "Properties"}


def constrain(node: dict[str, Any], validators: Any) -> tuple[dict[str, Any], list[str]]:
    """Add the keywords of validators to a node, and name the validators without keywords."""
    conjuncts: list[dict[str, Any]] = []
    unsaid: list[str] = []
    for validator in _flatten(validators):
        keywords = _keywords_of(validator, node)
        if keywords is None:
            unsaid.append(_name(validator))
            continue
        if "type" in node:
            keywords.pop("type", None)
        if keywords.keys() & node.keys():
            conjuncts.append(keywords)
        else:
            node = {**node, **keywords}
    return ({**node, "allOf": conjuncts} if conjuncts else node), unsaid


def _flatten(validators: Any) -> Iterator[Any]:
    for validator in validators:
        if _kind(validator) == "And":
            yield from _flatten(validator.validators)
        else:
            yield validator


def _kind(validator: Any) -> str:
    kind = type(validator)
    return kind.__name__ if kind.__module__ == "marshmallow.validate" else ""


def _name(validator: Any) -> str:
    name = getattr(validator, "__name__", type(validator).__name__)
    return f"validate={name}"


def _keywords_of(validator: Any, node: dict[str, Any]) -> dict[str, Any] | None:
    write = _WRITERS.get(_kind(validator))
    return None if write is None else write(validator, node)


def _range(validator: Any, node: dict[str, Any]) -> dict[str, Any] | None:
    bounds = (validator.min, validator.max)
    is_number = all(
        limit is None or (type(limit) in (int, float) and isfinite(limit)) for limit in bounds
    )
    if node.get("type") not in NUMBERS or not is_number:
        return None
    low = "minimum" if validator.min_inclusive else "exclusiveMinimum"
    high = "maximum" if validator.max_inclusive else "exclusiveMaximum"
    pairs = zip((low, high), bounds, strict=True)
    return {word: bound for word, bound in pairs if bound is not None}


def _length(validator: Any, node: dict[str, Any]) -> dict[str, Any] | None:
    size = SIZES.get(str(node.get("type")))
    if size is None or node.get("format") not in (None, "email", "uri"):
        return None
    low, high = validator.min, validator.max
    if validator.equal is not None:
        low = high = validator.equal
    return {f"{word}{size}": bound for word, bound in (("min", low), ("max", high))
            if bound is not None}  # fmt: skip


def _one_of(validator: Any, node: dict[str, Any]) -> dict[str, Any] | None:
    values = _comparable(validator.choices, node)
    return enum_schema(values) if values else None


def _none_of(validator: Any, node: dict[str, Any]) -> dict[str, Any] | None:
    values = _comparable(validator.iterable, node)
    return None if values is None else exclusion_schema(values)


def _equal(validator: Any, node: dict[str, Any]) -> dict[str, Any] | None:
    values = _comparable([validator.comparable], node)
    return enum_schema(values) if values else None


def _comparable(values: Any, node: dict[str, Any]) -> list[Any] | None:
    """Return the constants that loaded values are compared with, if those are JSON too."""
    if "format" in node and node["format"] not in ("email", "uri"):
        return None
    return None if node.get("type") in ("array", "object") else constants(values)


def _regexp(validator: Any, node: dict[str, Any]) -> dict[str, Any] | None:
    pattern = regex_pattern(validator.regex) if node.get("type") == "string" else None
    return None if pattern is None else {"pattern": pattern}


def _email(validator: Any, node: dict[str, Any]) -> dict[str, Any] | None:
    del validator
    return {"format": "email"} if node.get("type") == "string" else None


def _url(validator: Any, node: dict[str, Any]) -> dict[str, Any] | None:
    keywords = {"format": "uri-reference" if validator.relative else "uri"}
    return keywords if node.get("type") == "string" else None


def _contains_only(validator: Any, node: dict[str, Any]) -> dict[str, Any] | None:
    values = _items(validator.choices, node)
    return {"allOf": [{"items": {"enum": values}}]} if values else None


def _contains_none_of(validator: Any, node: dict[str, Any]) -> dict[str, Any] | None:
    values = _items(validator.iterable, node)
    return {"allOf": [{"items": exclusion_schema(values)}]} if values else None


def _items(values: Any, node: dict[str, Any]) -> list[Any] | None:
    return _comparable(values, node["items"]) if "items" in node else None


_WRITERS: Final = {
    "Range": _range, "Length": _length, "OneOf": _one_of, "NoneOf": _none_of, "Equal": _equal,
    "Regexp": _regexp, "Email": _email, "URL": _url, "ContainsOnly": _contains_only,
    "ContainsNoneOf": _contains_none_of,
}  # fmt: skip


def hooks_of(schema: Any, tag: str) -> list[str]:
    """Return the names of the methods that a Schema runs at `pre_load` and the like."""
    hooks: Any = schema._hooks  # noqa: SLF001 - see above
    return [name for name, *_ in hooks[tag]]


def all_hooks(schema: Any) -> list[str]:
    """Return the names of all hook methods of a Schema."""
    hooks: Any = schema._hooks  # noqa: SLF001 - see above
    return [name for methods in hooks.values() for name, *_ in methods]
