"""Cohere v2: function parameters, plain and with `strict_tools` on the request."""

from __future__ import annotations

from toolhaft.lowering.dialects.dialect import COMBINATORS, NO_LOOKAROUND, Dialect, Rule, rules

__all__ = ["PLAIN", "STRICT"]

_DOC = "docs.cohere.com/docs/structured-outputs; what it leaves open is read with care"

_ROOT = Rule("root object", True, "types", "2026-11-20", "cohere 7.3.1, ToolV2Function")
_FOREIGN = rules(
    "guess",
    "2026-11-20",
    "a schema that is not strict is text to the model; these say something else in 2020-12",
    {"nullable": False, "dependencies": False, "additionalItems": False},
)

PLAIN = Dialect("cohere", False, (_ROOT, *_FOREIGN))

STRICT = Dialect(
    "cohere",
    True,
    (
        _ROOT,
        Rule("refused at the root", COMBINATORS, "guess", "2026-11-20", _DOC),
        Rule("required parameter", True, "documented", "2026-11-20", _DOC),
        *rules(
            "documented",
            "2026-11-20",
            _DOC,
            {
                "typed nodes": True,
                "other keywords": False,
                "type": True,
                "properties": True,
                "required": True,
                "items": True,
                "enum": True,
                "const": True,
                "pattern": NO_LOOKAROUND,
                "format": ("date-time", "uuid", "date", "time"),
                "anyOf": True,
                "$ref": True,
                "$defs": True,
                "description": True,
                "title": True,
            },
        ),
        *rules(
            "guess",
            "2026-11-20",
            _DOC,
            {
                "additionalProperties": (False,),
                "closed objects": True,
                "recursive references": False,
                "enum members": ("string", "number", "boolean", "null"),
                "array items": True,
                "tuple form": "object",
                "any value": "text",
                "boolean schemas": False,
                "reference siblings": False,
                "union siblings": False,
            },
        ),
    ),
    (),
    (
        Rule("strict fields", 200, "documented", "2026-11-20", _DOC),
        Rule("strict scope", "request", "documented", "2026-11-20", _DOC),
    ),
)
