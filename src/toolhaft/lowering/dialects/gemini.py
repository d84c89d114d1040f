"""Gemini: `parametersJsonSchema`, the field that takes JSON Schema."""

from __future__ import annotations

from dataclasses import replace

from toolhaft.lowering.dialects.dialect import BASIC_KEYWORDS, COMBINATORS, Dialect, Rule, rules

__all__ = ["PLAIN", "REQUEST", "ROOT", "STRICT"]

_LIST = "google-genai 2.34.0, GenerateContentConfig.response_json_schema; presumed the same here"

ROOT = (
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

REQUEST = (
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
        *ROOT,
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
    REQUEST,
)

# The same schemas, which the API then holds the model to.
STRICT = replace(PLAIN, strict=True)
