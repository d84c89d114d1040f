"""The responses of a scripted model: words or calls, as each provider writes them."""

from __future__ import annotations

from typing import Any, Final

from toolhaft.call.types import ToolCall
from toolhaft.jsonio import jsontext

__all__ = ["WRITERS"]


def _openai(text: str, calls: list[ToolCall]) -> dict[str, Any]:
    content = {"type": "output_text", "text": text, "annotations": []}
    message = {"type": "message", "role": "assistant", "content": [content]}
    items: list[dict[str, Any]] = [
        {
            "type": "function_call",
            "call_id": call.id,
            "name": call.name,
            "arguments": _text(call.arguments),
        }
        for call in calls
    ]
    return {"output": items or [message]}


def _openai_chat(text: str, calls: list[ToolCall]) -> dict[str, Any]:
    written = [
        {
            "id": call.id,
            "type": "function",
            "function": {"name": call.name, "arguments": _text(call.arguments)},
        }
        for call in calls
    ]
    tool_calls: dict[str, Any] = {"tool_calls": written} if written else {}
    return {"choices": [{"message": {"role": "assistant", "content": text or None, **tool_calls}}]}


def _anthropic(text: str, calls: list[ToolCall]) -> dict[str, Any]:
    blocks: list[dict[str, Any]] = [
        {"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments}
        for call in calls
    ]
    return {"role": "assistant", "content": blocks or [{"type": "text", "text": text}]}


def _gemini(text: str, calls: list[ToolCall]) -> dict[str, Any]:
    parts = [
        {"functionCall": {"id": call.id, "name": call.name, "args": call.arguments}}
        for call in calls
    ]
    text_part: dict[str, Any] = {"text": text}
    return {"candidates": [{"content": {"role": "model", "parts": parts or [text_part]}}]}


def _text(arguments: Any) -> str:
    return arguments if isinstance(arguments, str) else jsontext.write(arguments)


WRITERS: Final = {
    "openai": _openai,
    "openai-chat": _openai_chat,
    "anthropic": _anthropic,
    "gemini": _gemini,
}
