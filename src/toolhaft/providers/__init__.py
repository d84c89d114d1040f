"""Providers and protocols: which targets there are, and where each one's wire is written.

The table is data, so that asking for one target imports one file.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

from toolhaft.definition import names
from toolhaft.errors import ToolhaftError

if TYPE_CHECKING:
    from toolhaft.providers.provider import Provider

__all__ = ["TARGETS", "for_target"]

# Target -> the module here that has it in its `PROVIDERS`.
TARGETS: Final = {
    "anthropic": "anthropic",
    "bedrock": "bedrock",
    "cohere": "cohere",
    "draft-07": "schemas",
    "draft-2020-12": "schemas",
    "gemini": "gemini",
    "gemini-openapi": "gemini",
    "mcp": "mcp",
    "mcp-2025-11-25": "mcp",
    "mistral": "mistral",
    "ollama": "ollama",
    "openai": "openai",
    "openai-chat": "openai_chat",
    "openapi-3.0": "schemas",
    "openapi-3.1": "schemas",
    "text": "text",
    "xai": "openai_chat",
}


def for_target(target: str) -> Provider:
    """Return the provider of a target, and import no other.

    Raises:
        ToolhaftError: The target is unknown; the error lists the known targets.
    """
    if target not in TARGETS:
        near = names.nearest(target, TARGETS)
        hint = f"did you mean {near}? " if near else ""
        raise ToolhaftError(f"export: no such target; {hint}use one of {', '.join(TARGETS)}")
    providers: dict[str, Provider] = import_module(f"{__name__}.{TARGETS[target]}").PROVIDERS
    return providers[target]
