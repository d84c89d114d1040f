"""The targets: one data file for each, read on first use."""

from __future__ import annotations

from importlib import import_module

from toolhaft.lowering.dialects.dialect import Dialect

__all__ = ["TARGETS", "dialect", "has_strict"]

# target -> (file, its plain or only record, its strict record)
_RECORDS: dict[str, tuple[str, str, str | None]] = {
    "openai": ("openai", "PLAIN", "STRICT"),
    "openai-chat": ("openai", "CHAT_PLAIN", "CHAT_STRICT"),
    "anthropic": ("anthropic", "PLAIN", "STRICT"),
    "gemini": ("gemini", "PLAIN", "STRICT"),
    "gemini-openapi": ("gemini_openapi", "PLAIN", "STRICT"),
    "bedrock": ("bedrock", "PLAIN", "STRICT"),
    "mistral": ("mistral", "PLAIN", "STRICT"),
    "cohere": ("cohere", "PLAIN", "STRICT"),
    "ollama": ("ollama", "ONLY", None),
    "xai": ("xai", "ONLY", None),
    "mcp": ("mcp", "NEWEST", None),
    "mcp-2025-11-25": ("mcp", "REVISION_2025_11_25", None),
    "text": ("text", "ONLY", None),
    "draft-2020-12": ("json_schema", "DRAFT_2020", None),
    "draft-07": ("json_schema", "DRAFT_7", None),
    "openapi-3.0": ("openapi", "OPENAPI_3_0", None),
    "openapi-3.1": ("openapi", "OPENAPI_3_1", None),
}

TARGETS = tuple(_RECORDS)


def has_strict(target: str) -> bool:
    """Whether the target has a strict mode beside the plain one."""
    return _record(target)[2] is not None


def dialect(target: str, strict: bool = False) -> Dialect:
    """Return the rules of a target; a target with one mode has the same rules for both."""
    file, plain, strict_record = _record(target)
    module = import_module(f"toolhaft.lowering.dialects.{file}")
    record: Dialect = getattr(module, strict_record if strict and strict_record else plain)
    return record


def _record(target: str) -> tuple[str, str, str | None]:
    if target not in _RECORDS:
        raise ValueError(f"unknown target: {target!r}; one of {', '.join(TARGETS)}")
    return _RECORDS[target]
