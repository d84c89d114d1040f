"""Anthropic: a tool's `input_schema`, plain and strict."""

from __future__ import annotations

from typing import Any

from toolhaft.lowering.dialects.dialect import (
    BASIC_KEYWORDS,
    DRAFT_2020_12,
    NO_LOOKAROUND,
    Dialect,
    Rule,
    rules,
)

__all__ = ["PLAIN", "PLAIN_RULES", "STRICT", "STRICT_RULES"]

_DOC = "docs.anthropic.com, structured outputs: JSON Schema limitations"
_FORMATS = [
    "date-time",
    "time",
    "date",
    "duration",
    "email",
    "hostname",
    "uri",
    "ipv4",
    "ipv6",
    "uuid",
]


def _has_no_references(parts: Any) -> bool:
    return isinstance(parts, list) and not any(
        isinstance(part, dict) and "$ref" in part for part in parts
    )


PLAIN_RULES = (
    Rule("root object", True, "types", "2026-11-20", "anthropic 2.11.0, ToolParam"),
    Rule(
        "refused at the root",
        ("anyOf", "oneOf", "allOf"),
        "observed",
        "2026-05-21",
        "marianfoo/mcp-sap-docs#51, 400",
    ),
    Rule(
        "root property key",
        r"^[a-zA-Z0-9_.-]{1,64}$",
        "observed",
        "2026-11-20",
        "anthropics/claude-code#79418, 400",
    ),
    Rule("$schema", (DRAFT_2020_12,), "types", "2026-11-20", "anthropic 2.11.0, ToolParam"),
    *rules(
        "guess",
        "2026-11-20",
        "a schema that is not strict is text to the model; these say something else in 2020-12",
        {"nullable": False, "dependencies": False, "additionalItems": False},
    ),
)

STRICT_RULES = (
    *PLAIN_RULES,
    *rules(
        "documented",
        "2026-11-20",
        _DOC,
        {
            "closed objects": True,
            "typed nodes": True,
            "recursive references": False,
            "enum members": ("string", "number", "boolean", "null"),
            "other keywords": False,
            **BASIC_KEYWORDS,
            "additionalProperties": (False,),
            "allOf": _has_no_references,
            "const": True,
            "$ref": True,
            "$defs": True,
            "title": True,
            "default": True,
            "pattern": NO_LOOKAROUND,
            "format": _FORMATS,
            "minItems": (0, 1),
        },
    ),
    Rule("$schema", False, "guess", "2026-11-20", _DOC),
    Rule("oneOf", False, "types", "2026-11-20", "anthropic 2.11.0, _transform.py rewrites it"),
    Rule("reference siblings", False, "types", "2026-11-20", "_transform.py drops them"),
    Rule("union siblings", False, "guess", "2026-11-20", _DOC),
    Rule("array items", True, "types", "2026-11-20", "anthropic 2.11.0, _transform.py raises"),
    Rule(
        "tuple form", "object", "types", "2026-11-20", "_transform.py moves prefixItems into text"
    ),
    Rule("any value", "text", "types", "2026-11-20", "_transform.py raises; recursion is refused"),
    Rule("boolean schemas", False, "guess", "2026-11-20", _DOC),
)

_REQUEST = (
    *rules(
        "observed",
        "2026-11-20",
        "400 above 128 characters, in issues",
        {"name characters": "[A-Za-z0-9_-]", "name length": 128},
    ),
    *rules(
        "documented",
        "2026-11-20",
        "docs.anthropic.com, structured outputs: schema complexity limits",
        {"strict tools": 20, "strict optional": 24, "strict unions": 16},
    ),
    Rule("answer", "strict", "types", "2026-11-28", "anthropic 2.11.0, JSONOutputFormatParam"),
    Rule(
        "answer beside tools",
        "form",
        "documented",
        "2026-11-28",
        "docs.anthropic.com, structured outputs: with strict tools in one request",
    ),
)

PLAIN = Dialect("anthropic", False, PLAIN_RULES, (), _REQUEST)
STRICT = Dialect("anthropic", True, STRICT_RULES, (), _REQUEST)
