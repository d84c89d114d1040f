"""The names of the targets, which options and exports know."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

__all__ = ["TARGET_NAMES", "KnownTarget", "Target"]

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

TARGET_NAMES: tuple[str, ...] = get_args(KnownTarget)
