"""OpenAI: function parameters, plain and strict (Chat Completions and Responses take the same)."""

from __future__ import annotations

from toolhaft.lowering.dialects.dialect import BASIC_KEYWORDS, NO_LOOKAROUND, Dialect, Rule, rules

__all__ = ["CHAT_PLAIN", "CHAT_STRICT", "PLAIN", "PLAIN_RULES", "STRICT", "STRICT_RULES"]

_GUIDE = "platform.openai.com/docs/guides/structured-outputs, supported schemas"
_FORMATS = (
    "date-time",
    "time",
    "date",
    "duration",
    "email",
    "hostname",
    "ipv4",
    "ipv6",
    "uuid",
)

_ROOT = (
    Rule("root object", True, "documented", "2026-11-20", "openai 3.52.0, FunctionDefinition"),
    Rule(
        "refused at the root",
        ("anyOf", "oneOf", "allOf", "enum", "not"),
        "observed",
        "2026-01-14",
        "langchain-ai/langchainjs#9804, 400",
    ),
    Rule("array items", True, "observed", "2026-11-20", "400 array schema missing items"),
)

PLAIN_RULES = (
    *_ROOT,
    *rules(
        "guess",
        "2026-11-20",
        "a schema that is not strict is text to the model; these say something else in 2020-12",
        {"nullable": False, "dependencies": False, "additionalItems": False},
    ),
)

STRICT_RULES = (
    *_ROOT,
    *rules(
        "documented",
        "2026-11-20",
        _GUIDE,
        {
            "closed objects": True,
            "all required": True,
            "typed nodes": True,
            "enum members": ("string", "number", "boolean", "null"),
            "definitions place": "$defs",
            "recursive references": True,
            "other keywords": False,
            **BASIC_KEYWORDS,
            "additionalProperties": (False,),
            "const": True,
            "$ref": True,
            "$defs": True,
            "title": True,
            "pattern": NO_LOOKAROUND,
            "format": _FORMATS,
            "minimum": True,
            "maximum": True,
            "exclusiveMinimum": True,
            "exclusiveMaximum": True,
            "multipleOf": True,
            "minItems": True,
            "maxItems": True,
        },
    ),
    *rules(
        "observed",
        "2026-11-20",
        "pydantic-ai-slim 2.68.0, profiles/openai.py: kept for this host, though the guide wavers",
        {"minLength": True, "maxLength": True},
    ),
    *rules(
        "observed",
        "2026-11-20",
        "400s quoted in issues: 'oneOf' is not permitted, 'default' is not permitted, uniqueItems",
        {"oneOf": False, "default": False, "uniqueItems": False},
    ),
    Rule("reference siblings", "anyOf", "observed", "2026-11-20", "pydantic-ai-slim 2.68.0"),
    Rule("union siblings", False, "guess", "2026-11-20", "the guide shows anyOf alone"),
    Rule("tuple form", "object", "documented", "2026-11-20", _GUIDE + ": no prefixItems"),
    Rule("any value", "recursive", "documented", "2026-11-20", _GUIDE + ": every node has a type"),
    Rule("boolean schemas", False, "guess", "2026-11-20", _GUIDE),
)

_LIMITS = rules(
    "documented",
    "2026-11-20",
    _GUIDE,
    {
        "properties": 5000,
        "depth": 10,
        "enum members": 1000,
        "name and enum characters": 120_000,
        "characters of an enum of more than 250 texts": 15_000,
    },
)

_REQUEST = (
    *rules(
        "types",
        "2026-11-20",
        "openai 3.52.0, FunctionDefinition.name",
        {"name characters": "[A-Za-z0-9_-]", "name length": 64},
    ),
    *rules(
        "observed",
        "2025-09-01",
        "400 array_above_max_length and string_above_max_length in many threads; in no document",
        {"tools": 128, "description length": 1024},
    ),
    Rule("answer", "either", "types", "2026-11-28", "openai 3.52.0, ResponseFormatJSONSchema"),
    Rule("answer beside tools", "form", "documented", "2026-11-28", _GUIDE),
)

PLAIN = Dialect("openai", False, PLAIN_RULES, (), _REQUEST)
STRICT = Dialect("openai", True, STRICT_RULES, _LIMITS, _REQUEST)
CHAT_PLAIN = Dialect("openai-chat", False, PLAIN_RULES, (), _REQUEST)
CHAT_STRICT = Dialect("openai-chat", True, STRICT_RULES, _LIMITS, _REQUEST)
