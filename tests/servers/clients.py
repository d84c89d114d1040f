"""The official clients, each beside the server that speaks its wire; unmodified, and only pointed
at it by the address that the SDK itself reads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.util import find_spec
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest

from tests.servers.anthropic_messages import AnthropicMessages
from tests.servers.gemini_generate import GeminiGenerate
from tests.servers.loopback import Wire
from tests.servers.openai_chat import OpenAIChat
from tests.servers.openai_responses import OpenAIResponses

__all__ = ["VENDORS", "Vendor", "absent", "vendors"]


class Vendor(NamedTuple):
    """One interface of one SDK: how to make its clients, and what a first message looks like."""

    target: str
    sdk: str
    wire: type[Wire]
    asynchronous: Callable[[str], Any]
    synchronous: Callable[[str], Any]
    options: Mapping[str, Any] = MappingProxyType({})

    def said(self, text: str) -> dict[str, Any]:
        """Write a user's message."""
        if self.target == "gemini":
            return {"role": "user", "parts": [{"text": text}]}
        return {"role": "user", "content": text}


def _openai(url: str) -> Any:
    import openai

    return openai.AsyncOpenAI(api_key="x", base_url=url)


def _openai_sync(url: str) -> Any:
    import openai

    return openai.OpenAI(api_key="x", base_url=url)


def _anthropic(url: str) -> Any:
    import anthropic

    return anthropic.AsyncAnthropic(api_key="x", base_url=url)


def _anthropic_sync(url: str) -> Any:
    import anthropic

    return anthropic.Anthropic(api_key="x", base_url=url)


def _gemini_sync(url: str) -> Any:
    from google import genai

    return genai.Client(api_key="x", http_options={"base_url": url})


def _gemini(url: str) -> Any:
    return _gemini_sync(url).aio


VENDORS = (
    Vendor("openai", "openai", OpenAIResponses, _openai, _openai_sync),
    Vendor("openai-chat", "openai", OpenAIChat, _openai, _openai_sync),
    Vendor(
        "anthropic",
        "anthropic",
        AnthropicMessages,
        _anthropic,
        _anthropic_sync,
        MappingProxyType({"max_tokens": 99}),
    ),
    Vendor("gemini", "google.genai", GeminiGenerate, _gemini, _gemini_sync),
)


def absent(sdk: str) -> bool:
    """Whether an SDK is not installed."""
    try:
        return find_spec(sdk) is None
    except ModuleNotFoundError:
        return True


vendors = pytest.mark.parametrize(
    "vendor",
    [
        pytest.param(
            one,
            id=one.target,
            marks=pytest.mark.skipif(absent(one.sdk), reason=f"{one.sdk} is not installed"),
        )
        for one in VENDORS
    ],
)
