"""Gemini: two fields for the parameters of a function.

`parametersJsonSchema` takes JSON Schema, the older `parameters` a subset of OpenAPI 3.0.
"""

from __future__ import annotations

from dataclasses import replace

from toolhaft.lowering.dialects.dialect import BASIC_KEYWORDS, COMBINATORS, Dialect, Rule, rules

__all__ = ["OPENAPI_PLAIN", "OPENAPI_STRICT", "PLAIN", "STRICT"]

_LIST = "google-genai 2.34.0, GenerateContentConfig.response_json_schema; presumed the same here"

_ROOT = (
    Rule(
        "property key",
        r"^[A-Za-z_][A-Za-z0-9_]{0,63}$",
        "types",
        "2026-11-20",
        "google-genai 2.34.0, FunctionDeclaration",
    ),
    Rule("root object", True, "types", "2026-11-20", "google-genai 2.34.0"),
    Rule("refused at the root", COMBINATORS, "guess", "2026-11-20", "the root must be an object"),
)

_REQUEST = (
    *rules(
        "types",
        "2026-11-20",
        "google-genai 2.34.0, FunctionDeclaration.name",
        {"name characters": "[A-Za-z0-9_.:-]", "name first": "[A-Za-z_]", "name length": 128},
    ),
    Rule("strict scope", "request", "types", "2026-11-20", "google-genai 2.34.0, mode VALIDATED"),
    Rule("tools", 512, "observed", "2026-02-01", "google-gemini/gemini-cli#19083, 400"),
    Rule(
        "answer",
        "strict",
        "types",
        "2026-11-28",
        "google-genai 2.34.0, GenerateContentConfig.response_json_schema",
    ),
    Rule(
        "answer beside tools",
        "tool",
        "observed",
        "2025-10-22",
        "googleapis/python-genai#867, 400 before Gemini 3: no function calling with that MIME type",
    ),
)

PLAIN = Dialect(
    "gemini",
    False,
    (
        *_ROOT,
        *rules(
            "types",
            "2026-11-20",
            _LIST,
            {
                "enum members": ("string", "number"),
                "recursive references": "optional",
                "reference siblings": False,
                "other keywords": False,
                "$id": True,
                "$defs": True,
                "$ref": True,
                "$anchor": True,
                **BASIC_KEYWORDS,
                "format": True,
                "title": True,
                "prefixItems": True,
                "minItems": True,
                "maxItems": True,
                "minimum": True,
                "maximum": True,
                "additionalProperties": True,
                "propertyOrdering": True,
            },
        ),
        Rule("oneOf", False, "types", "2026-11-20", "google-genai 2.34.0: read as anyOf"),
        Rule("union siblings", False, "observed", "2026-11-20", "anyOf must stand alone, 400"),
        Rule("boolean schemas", False, "observed", "2026-11-20", "googleapis/python-genai#2393"),
    ),
    (),
    _REQUEST,
)

# The same schemas, which the API then holds the model to.
STRICT = replace(PLAIN, strict=True)

_SCHEMA = "google-genai 2.34.0, types.Schema (extra fields forbidden)"

OPENAPI_PLAIN = Dialect(
    "gemini-openapi",
    False,
    (
        *_ROOT,
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
    _REQUEST,
)

OPENAPI_STRICT = replace(OPENAPI_PLAIN, strict=True)
