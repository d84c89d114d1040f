"""Cohere v2: function parameters, plain and with `strict_tools` on the request."""

from __future__ import annotations

import re
from typing import Any

from toolhaft.lowering.dialects.dialect import BASIC_KEYWORDS, COMBINATORS, Dialect, Rule, rules

__all__ = ["PLAIN", "STRICT"]

_DOC = "docs.cohere.com/docs/structured-outputs, parameter types support"
_OPEN = _DOC + ", which leaves it open: read with care"

_ROOT = Rule("root object", True, "types", "2026-11-20", "cohere 7.3.1, ToolV2Function")
_FOREIGN = rules(
    "guess",
    "2026-11-20",
    "a schema that is not strict is text to the model; these say something else in 2020-12",
    {"nullable": False, "dependencies": False, "additionalItems": False},
)


def _is_plain(pattern: Any) -> bool:
    """Whether a pattern has neither anchors nor lookaround, which Cohere names as unsupported."""
    return isinstance(pattern, str) and not re.search(r"[\^$]|\(\?[=!<]|\\[1-9bBk]", pattern)


def _is_scalar(value: Any) -> bool:
    return not isinstance(value, dict | list)


_ANSWER = (
    Rule("answer", "strict", "types", "2026-11-28", "cohere 7.3.1, JsonResponseFormatV2"),
    Rule(
        "answer beside tools", "tool", "types", "2026-11-28", "cohere 7.3.1, TextResponseFormatV2"
    ),
)

PLAIN = Dialect("cohere", False, (_ROOT, *_FOREIGN), (), _ANSWER)

STRICT = Dialect(
    "cohere",
    True,
    (
        _ROOT,
        Rule("refused at the root", COMBINATORS, "guess", "2026-11-20", _OPEN),
        Rule("required parameter", True, "documented", "2026-11-20", _DOC),
        *rules(
            "documented",
            "2025-11-08",
            _DOC,
            {
                "other keywords": False,
                **BASIC_KEYWORDS,
                "const": _is_scalar,
                "pattern": _is_plain,
                "format": ("date-time", "uuid", "date", "time"),
                "$ref": True,
                "$defs": True,
                "title": True,
                "additionalProperties": (False,),
            },
        ),
        *rules(
            "guess",
            "2026-11-20",
            _OPEN,
            {
                "typed nodes": True,
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
        *_ANSWER,
    ),
)
