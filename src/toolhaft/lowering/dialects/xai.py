"""xAI: function parameters; the service is always strict."""

from __future__ import annotations

from typing import Any

from toolhaft.lowering.dialects.dialect import (
    BASIC_KEYWORDS,
    COMBINATORS,
    DRAFT_2020_12,
    Dialect,
    Rule,
    rules,
)

__all__ = ["ONLY"]

_DOC = "docs.x.ai, structured outputs: supported schemas"
_FORMATS = ["date", "time", "date-time", "email", "uuid", "ipv4", "ipv6", "uri"]


def _is_single(parts: Any) -> bool:
    return isinstance(parts, list) and len(parts) == 1


ONLY = Dialect(
    "xai",
    False,
    (
        Rule("root object", True, "guess", "2026-11-20", "the REST interface is OpenAI's"),
        Rule(
            "refused at the root",
            COMBINATORS,
            "guess",
            "2026-11-20",
            "the REST interface is OpenAI's",
        ),
        *rules(
            "documented",
            "2026-11-20",
            _DOC,
            {
                "closed objects": "unless said",
                "recursive references": False,
                "boolean schemas": False,
                "other keywords": False,
                **BASIC_KEYWORDS,
                "additionalProperties": True,
                "prefixItems": True,
                "allOf": _is_single,
                "const": True,
                "$ref": True,
                "$defs": True,
                "pattern": True,
                "format": _FORMATS,
                "minLength": range(2049),
                "maxLength": range(2049),
                "minItems": range(257),
                "maxItems": range(257),
                "minimum": True,
                "maximum": True,
                "exclusiveMinimum": True,
                "exclusiveMaximum": True,
                "multipleOf": True,
                "title": True,
            },
        ),
        Rule("oneOf", False, "documented", "2026-11-20", _DOC + ": read as anyOf"),
        Rule("$schema", (DRAFT_2020_12,), "guess", "2026-11-20", _DOC),
        Rule("reference siblings", False, "guess", "2026-11-20", _DOC),
        Rule("union siblings", False, "guess", "2026-11-20", _DOC),
    ),
    (),
    (
        Rule("tools", 350, "documented", "2026-11-20", "docs.x.ai, quoted by others"),
        Rule("answer", "strict", "documented", "2026-11-28", _DOC),
        Rule("answer beside tools", "form", "documented", "2026-11-28", _DOC + ", with tools"),
    ),
)
