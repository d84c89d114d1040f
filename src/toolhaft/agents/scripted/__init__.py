"""The turns of a scripted model, written as each provider's SDK has them.

Each target has a file here with a `Writer`; `WRITERS` maps the targets to them.
"""

from __future__ import annotations

from typing import Final

from toolhaft.agents.scripted.anthropic import Anthropic
from toolhaft.agents.scripted.bedrock import Bedrock
from toolhaft.agents.scripted.cohere import Cohere
from toolhaft.agents.scripted.gemini import Gemini
from toolhaft.agents.scripted.mistral import Mistral
from toolhaft.agents.scripted.ollama import Ollama
from toolhaft.agents.scripted.openai import OpenAI
from toolhaft.agents.scripted.openai_chat import OpenAIChat
from toolhaft.agents.scripted.text import Text
from toolhaft.agents.scripted.writer import Writer

__all__ = ["WRITERS"]

# Every target that a model answers in: a client of MCP only calls, and a schema has no wire.
WRITERS: Final[dict[str, Writer]] = {
    "openai": OpenAI(),
    "openai-chat": OpenAIChat(),
    "xai": OpenAIChat(),
    "anthropic": Anthropic(),
    "gemini": Gemini(),
    "gemini-openapi": Gemini(),
    "bedrock": Bedrock(),
    "mistral": Mistral(),
    "cohere": Cohere(),
    "ollama": Ollama(),
    "text": Text(),
}
