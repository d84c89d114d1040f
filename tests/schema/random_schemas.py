"""Random schemas and values for the laws: small, valid in their draft, and prone to disagree."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

__all__ = ["draft_7_schemas", "schemas", "values"]

KEYS = st.sampled_from(["a", "b", "ab", "c"])
TEXTS = st.sampled_from(["", "a", "b", "ab", "abc", "é", "1", "😀"])
# 2**53 + 1 is no float, 0.3 is no binary fraction, 1.0 is 1.
NUMBERS = st.sampled_from([0, 1, 2, -1, 3, 10, 2**53 + 1, 1.0, 0.5, 0.3, 2.5, -1.5, 1e300])
SCALARS = st.none() | st.booleans() | NUMBERS | TEXTS
PATTERNS = st.sampled_from(["^a", "b$", "^[a-b]+$", "^.$", r"^\d*$"])
TYPES = st.sampled_from(["null", "boolean", "integer", "number", "string", "array", "object"])
COUNTS = st.integers(0, 3)
NAMES = st.lists(KEYS, unique=True, max_size=2)


def values() -> st.SearchStrategy[Any]:
    return st.recursive(
        SCALARS,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
        max_leaves=6,
    )


def _draws(inner: st.SearchStrategy[Any]) -> dict[str, st.SearchStrategy[Any]]:
    """The values of each keyword that all drafts share."""
    some = st.lists(inner, min_size=1, max_size=3)
    mapped = st.dictionaries(KEYS, inner, max_size=3)
    return {
        "additionalProperties": inner,
        "allOf": some,
        "anyOf": some,
        "const": values(),
        "contains": inner,
        "else": inner,
        "enum": st.lists(values(), min_size=1, max_size=3),
        "exclusiveMaximum": NUMBERS,
        "exclusiveMinimum": NUMBERS,
        "if": inner,
        "items": inner,
        "maxItems": COUNTS,
        "maxLength": COUNTS,
        "maxProperties": COUNTS,
        "maximum": NUMBERS,
        "minItems": COUNTS,
        "minLength": COUNTS,
        "minProperties": COUNTS,
        "minimum": NUMBERS,
        "multipleOf": st.sampled_from([1, 2, 0.1, 0.5, 3.0]),
        "not": inner,
        "oneOf": some,
        "pattern": PATTERNS,
        "patternProperties": st.dictionaries(PATTERNS, inner, max_size=2),
        "properties": mapped,
        "propertyNames": inner,
        "required": NAMES,
        "then": inner,
        "type": TYPES | st.lists(TYPES, unique=True, min_size=1, max_size=3),
        "uniqueItems": st.booleans(),
    }


def _modern(inner: st.SearchStrategy[Any]) -> dict[str, st.SearchStrategy[Any]]:
    return {
        **_draws(inner),
        "dependentRequired": st.dictionaries(KEYS, NAMES, max_size=2),
        "dependentSchemas": st.dictionaries(KEYS, inner, max_size=2),
        "maxContains": COUNTS,
        "minContains": COUNTS,
        "prefixItems": st.lists(inner, min_size=1, max_size=2),
        "unevaluatedItems": inner,
        "unevaluatedProperties": inner,
    }


def _old(inner: st.SearchStrategy[Any]) -> dict[str, st.SearchStrategy[Any]]:
    """Draft 7, with words that it does not know yet and must not heed."""
    return {
        **_draws(inner),
        "additionalItems": inner,
        "dependencies": st.dictionaries(KEYS, inner | NAMES, max_size=2),
        "items": inner | st.lists(inner, min_size=1, max_size=2),
        "prefixItems": st.lists(inner, min_size=1, max_size=2),
        "unevaluatedProperties": inner,
    }


@st.composite
def _node(draw: st.DrawFn, draws: dict[str, st.SearchStrategy[Any]]) -> dict[str, Any]:
    chosen = draw(st.lists(st.sampled_from(sorted(draws)), unique=True, min_size=1, max_size=5))
    return {keyword: draw(draws[keyword]) for keyword in chosen}


def schemas() -> st.SearchStrategy[Any]:
    """Draft 2020-12, some with two definitions that anything may refer to."""
    refs = st.sampled_from([{"$ref": "#/$defs/x"}, {"$ref": "#/$defs/y"}])

    def larger(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
        return _node(_modern(inner | refs)) | _node({"$ref": st.just("#/$defs/x"), **_draws(inner)})

    parts = st.recursive(st.booleans(), larger, max_leaves=8)
    return st.builds(
        lambda root, x, y: {**root, "$defs": {"x": x, "y": y}} if isinstance(root, dict) else root,
        parts, parts, parts,
    )  # fmt: skip


def draft_7_schemas() -> st.SearchStrategy[Any]:
    """Draft 7, with definitions that anything may refer to; keywords beside `$ref` are ignored."""
    ref = st.just({"$ref": "#/definitions/x", "maximum": 0})
    parts = st.recursive(st.booleans() | ref, lambda s: _node(_old(s)), max_leaves=8)
    return st.builds(
        lambda root, x: {
            **({"allOf": [root]} if isinstance(root, bool) or "$ref" in root else root),
            "$schema": "http://json-schema.org/draft-07/schema#",
            "definitions": {"x": x},
        },
        parts, parts,
    )  # fmt: skip
