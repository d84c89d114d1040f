"""Gemini: `parameters`, the older field that takes a subset of OpenAPI 3.0."""

from __future__ import annotations

from dataclasses import replace

from toolhaft.lowering.dialects.dialect import BASIC_KEYWORDS, Dialect, Rule, rules
from toolhaft.lowering.dialects.gemini import REQUEST, ROOT

__all__ = ["PLAIN", "STRICT"]

_SCHEMA = "google-genai 2.34.0, types.Schema (extra fields forbidden)"

PLAIN = Dialect(
    "gemini-openapi",
    False,
    (
        *ROOT,
        *rules(
            "types",
            "2026-11-20",
            _SCHEMA,
            {
                "typed nodes": True,
                "type list": False,
                "type null": False,
                "enum members": ("string",),
                "recursive references": False,
                "tuple form": "object",
                "any value": "text",
                "boolean schemas": False,
                "other keywords": False,
                **BASIC_KEYWORDS,
                "format": True,
                "title": True,
                "default": True,
                "example": True,
                "nullable": True,
                "minItems": True,
                "maxItems": True,
                "minimum": True,
                "maximum": True,
                "minLength": True,
                "maxLength": True,
                "minProperties": True,
                "maxProperties": True,
                "pattern": True,
                "propertyOrdering": True,
                "const": False,
                "$ref": False,
                "oneOf": False,
                "prefixItems": False,
                "exclusiveMinimum": False,
                "exclusiveMaximum": False,
            },
        ),
        Rule(
            "additionalProperties",
            False,
            "types",
            "2026-11-20",
            "google-genai 2.34.0 raises for the Gemini API; Vertex takes it",
        ),
        Rule("declared required", True, "observed", "2026-11-20", "400 property is not defined"),
        Rule("array items", True, "observed", "2026-11-20", "400 items: missing field"),
        Rule("union siblings", False, "observed", "2026-11-20", "anyOf must stand alone, 400"),
    ),
    (),
    REQUEST,
)

# The same schemas, which the API then holds the model to.
STRICT = replace(PLAIN, strict=True)
