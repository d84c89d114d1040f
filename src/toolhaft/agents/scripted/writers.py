"""Which targets a scripted model can speak."""

from __future__ import annotations

from typing import Final

from toolhaft.agents.scripted.anthropic import Anthropic
from toolhaft.agents.scripted.gemini import Gemini
from toolhaft.agents.scripted.openai import OpenAI
from toolhaft.agents.scripted.openai_chat import OpenAIChat
from toolhaft.agents.scripted.writer import Writer

__all__ = ["WRITERS"]

WRITERS: Final[dict[str, Writer]] = {
    "openai": OpenAI(),
    "openai-chat": OpenAIChat(),
    "xai": OpenAIChat(),
    "anthropic": Anthropic(),
    "gemini": Gemini(),
    "gemini-openapi": Gemini(),
}
