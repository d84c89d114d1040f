"""Turns as Google's Gemini API writes them (google-genai 2.34.0, read 2026-11-28)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolhaft.agents.scripted.writer import Data, Said, Writer, pieces, require_objects
from toolhaft.providers.ending import Usage
from toolhaft.providers.streams import parse_object

__all__ = ["Gemini"]


class Gemini(Writer):
    """Text is a part of the candidate's content, and so is each call; calls come whole."""

    def response(self, said: Said) -> Data:
        text: list[Data] = [{"text": said.text}] if said.text else []
        return _response(said, [*text, *_calls(said)], said.stop or "STOP", said.usage)

    def events(self, said: Said, request: Mapping[str, Any]) -> Iterator[Data]:
        del request
        for part in [*({"text": piece} for piece in pieces(said.text)), *_calls(said)]:
            yield _response(said, [part], None, None)
        yield _response(said, [], said.stop or "STOP", said.usage)

    def to_response(self, data: Data) -> Any:
        from google.genai.types import GenerateContentResponse

        parts = data["candidates"][0]["content"].get("parts", ())
        calls = [part["functionCall"] for part in parts if "functionCall" in part]
        require_objects("Gemini", [call["args"] for call in calls])
        return GenerateContentResponse.model_validate(data)

    def to_event(self, data: Data) -> Any:
        return self.to_response(data)


def _calls(said: Said) -> list[Data]:
    return [
        {
            "functionCall": {
                "id": call.id,
                "name": call.name,
                "args": parse_object(call.arguments),
            }
        }
        for call in said.calls
    ]


def _response(said: Said, parts: list[Data], stop: str | None, usage: Usage | None) -> Data:
    content = {"role": "model", **({"parts": parts} if parts else {})}
    candidate = {"index": 0, "content": content, **({"finishReason": stop} if stop else {})}
    return {
        "candidates": [candidate],
        "modelVersion": said.model,
        "responseId": f"response_{said.number}",
        **({} if usage is None else {"usageMetadata": _usage(usage)}),
    }


def _usage(usage: Usage) -> Data:
    reasoning = usage.reasoning or 0
    return {
        "promptTokenCount": usage.input or 0,
        "cachedContentTokenCount": usage.cached or 0,
        "candidatesTokenCount": max(0, (usage.output or 0) - reasoning),
        "thoughtsTokenCount": reasoning,
        "totalTokenCount": usage.total,
    }
