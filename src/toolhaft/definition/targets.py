"""The targets: their names, and the files that each one is made of."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple, TypeAlias

__all__ = ["TARGETS", "KnownTarget", "Target", "TargetFiles"]

# An editor completes these names; an unknown name is an error at its use.
KnownTarget: TypeAlias = Literal[
    "openai",
    "openai-chat",
    "anthropic",
    "gemini",
    "gemini-openapi",
    "bedrock",
    "mistral",
    "cohere",
    "ollama",
    "xai",
    "mcp",
    "mcp-2025-11-25",
    "text",
    "draft-2020-12",
    "draft-07",
    "openapi-3.0",
    "openapi-3.1",
]
Target: TypeAlias = KnownTarget | str


class TargetFiles(NamedTuple):
    """Where a target is written. The names are data, so that using one target imports no other.

    Attributes:
        provider: The module of `toolhaft.providers` that has the target in its `PROVIDERS`.
        dialect: The module of `toolhaft.lowering.dialects` with its records.
        plain: The record of its plain mode, or of its only one.
        strict: The record of its strict mode.
    """

    provider: str
    dialect: str
    plain: str
    strict: str | None = None


TARGETS: Final = {
    "openai": TargetFiles("openai", "openai", "PLAIN", "STRICT"),
    "openai-chat": TargetFiles("openai_chat", "openai", "CHAT_PLAIN", "CHAT_STRICT"),
    "anthropic": TargetFiles("anthropic", "anthropic", "PLAIN", "STRICT"),
    "gemini": TargetFiles("gemini", "gemini", "PLAIN", "STRICT"),
    "gemini-openapi": TargetFiles("gemini", "gemini", "OPENAPI_PLAIN", "OPENAPI_STRICT"),
    "bedrock": TargetFiles("bedrock", "bedrock", "PLAIN", "STRICT"),
    "mistral": TargetFiles("mistral", "mistral", "PLAIN", "STRICT"),
    "cohere": TargetFiles("cohere", "cohere", "PLAIN", "STRICT"),
    "ollama": TargetFiles("ollama", "ollama", "ONLY"),
    "xai": TargetFiles("openai_chat", "xai", "ONLY"),
    "mcp": TargetFiles("mcp", "mcp", "NEWEST"),
    "mcp-2025-11-25": TargetFiles("mcp", "mcp", "REVISION_2025_11_25"),
    "text": TargetFiles("text", "text", "ONLY"),
    "draft-2020-12": TargetFiles("schemas", "schemas", "DRAFT_2020"),
    "draft-07": TargetFiles("schemas", "schemas", "DRAFT_7"),
    "openapi-3.0": TargetFiles("schemas", "schemas", "OPENAPI_3_0"),
    "openapi-3.1": TargetFiles("schemas", "schemas", "OPENAPI_3_1"),
}
