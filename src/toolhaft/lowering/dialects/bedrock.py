"""Amazon Bedrock Converse: `toolSpec.inputSchema.json`, plain and strict (Claude's grammar)."""

from __future__ import annotations

from toolhaft.lowering.dialects import anthropic
from toolhaft.lowering.dialects.dialect import Dialect, Rule, rules

__all__ = ["PLAIN", "STRICT"]

_PROVIDER = "pydantic-ai-slim 2.68.0, providers/bedrock.py, verified against the service"

_ROOT = Rule("root object", True, "types", "2026-11-20", "botocore 1.44.5, service-2.json")

_REQUEST = rules(
    "types",
    "2026-11-20",
    "botocore 1.44.5, service-2.json, ToolName",
    {"name characters": "[A-Za-z0-9_-]", "name length": 64, "answer": "strict"},
) + tuple(
    rule
    for rule in anthropic.STRICT.request
    if rule.keyword.startswith("strict") or rule.keyword == "answer beside tools"
)

PLAIN = Dialect("bedrock", False, (*anthropic.PLAIN_RULES, _ROOT), (), _REQUEST)

STRICT = Dialect(
    "bedrock",
    True,
    (
        *anthropic.STRICT_RULES,
        _ROOT,
        *rules("observed", "2026-05-01", _PROVIDER, {"minLength": True, "maxLength": True}),
        Rule("allOf", False, "guess", "2026-11-20", "not documented"),
    ),
    (),
    _REQUEST,
)
