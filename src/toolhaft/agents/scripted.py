"""The responses of a scripted model: words or calls, as each provider writes them."""

from __future__ import annotations

from typing import Any, Final

from toolhaft.call.types import ToolCall
from toolhaft.jsonio import jsontext

__all__ = ["WRITERS"]


def _openai(text: str, calls: list[ToolCall]) -> dict[str, Any]:
    said = {"type": "output_text", "text": text, "annotations": []}
    message = {"type": "message", "role": "assistant", "content": [said]}
    items: list[dict[str, Any]] = [
        {
            "type": "function_call",
            "call_id": one.id,
            "name": one.name,
            "arguments": _text(one.arguments),
        }
        for one in calls
    ]
    return {"output": items or [message]}


def _openai_chat(text: str, calls: list[ToolCall]) -> dict[str, Any]:
    listed = [
        {
            "id": one.id,
            "type": "function",
            "function": {"name": one.name, "arguments": _text(one.arguments)},
        }
        for one in calls
    ]
    said: dict[str, Any] = {"tool_calls": listed} if listed else {}
    return {"choices": [{"message": {"role": "assistant", "content": text or None, **said}}]}


def _anthropic(text: str, calls: list[ToolCall]) -> dict[str, Any]:
    blocks: list[dict[str, Any]] = [
        {"type": "tool_use", "id": one.id, "name": one.name, "input": one.arguments}
        for one in calls
    ]
    return {"role": "assistant", "content": blocks or [{"type": "text", "text": text}]}


def _gemini(text: str, calls: list[ToolCall]) -> dict[str, Any]:
    parts = [
        {"functionCall": {"id": one.id, "name": one.name, "args": one.arguments}} for one in calls
    ]
    said: dict[str, Any] = {"text": text}
    return {"candidates": [{"content": {"role": "model", "parts": parts or [said]}}]}


def _text(arguments: Any) -> str:
    return arguments if isinstance(arguments, str) else jsontext.write(arguments)


WRITERS: Final = {
    "openai": _openai,
    "openai-chat": _openai_chat,
    "anthropic": _anthropic,
    "gemini": _gemini,
}
