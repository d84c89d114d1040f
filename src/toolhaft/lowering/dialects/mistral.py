"""Mistral: function parameters; the schemas that its strict mode accepts are not documented."""

from __future__ import annotations

from toolhaft.lowering.dialects import openai
from toolhaft.lowering.dialects.dialect import Dialect, Rule

__all__ = ["PLAIN", "STRICT"]

_ROOT = Rule("root object", True, "types", "2026-11-20", "mistralai 3.7.0, Function.parameters")
_CAREFUL = Rule(
    "other keywords", False, "guess", "2026-11-20", "not documented: OpenAI's strict subset"
)

_REQUEST = (
    Rule("answer", "either", "types", "2026-11-28", "mistralai 3.7.0, JSONSchema"),
    Rule("answer beside tools", "tool", "observed", "2025-04-01", "miquido/draive#39"),
)

PLAIN = Dialect("mistral", False, (*openai.PLAIN_RULES, _ROOT), (), _REQUEST)
STRICT = Dialect("mistral", True, (*openai.STRICT_RULES, _ROOT, _CAREFUL), (), _REQUEST)
