"""Ollama: the keywords that the server keeps; the Python client keeps fewer for a property."""

from __future__ import annotations

from toolhaft.lowering.dialects.dialect import BASIC_KEYWORDS, COMBINATORS, Dialect, Rule, rules

__all__ = ["ONLY"]

_SERVER = "ollama/ollama#17142: the server's ToolProperty keeps these alone, open 2026-07"

ONLY = Dialect(
    "ollama",
    False,
    (
        Rule("root object", True, "types", "2026-11-20", "ollama 0.6.3, Tool.Function.Parameters"),
        Rule("refused at the root", COMBINATORS, "types", "2026-11-20", "ollama 0.6.3 drops them"),
        *rules(
            "observed",
            "2026-07-01",
            _SERVER,
            {
                "typed nodes": True,
                "recursive references": False,
                "tuple form": "object",
                "any value": "text",
                "boolean schemas": False,
                "enum members": ("string", "number", "boolean", "null"),
                "other keywords": False,
                **BASIC_KEYWORDS,
                "$ref": False,
                "additionalProperties": False,
            },
        ),
        Rule("array items", True, "guess", "2026-11-20", "an untyped array tells nothing"),
        Rule("type list", False, "observed", "2026-11-20", "ollama/ollama#11444: 400 on some"),
        Rule("union siblings", False, "guess", "2026-11-20", "description alone is kept"),
    ),
    (),
    (
        Rule("answer", "strict", "types", "2026-11-28", "ollama 0.6.3, Client.chat(format=)"),
        Rule(
            "answer beside tools",
            "tool",
            "observed",
            "2025-06-10",
            "ollama/ollama#8095, #11037: with a format the model calls no tool",
        ),
    ),
)
