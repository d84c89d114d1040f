"""Responses of every provider whose text is the answer, and calls that are it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from toolhaft.jsonio import jsontext

__all__ = ["ANSWERING", "called", "said"]

Write = Callable[[str], dict[str, Any]]


def _chat(text: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    return {"choices": [{"index": 0, "finish_reason": "stop", "message": message}]}


def _openai(text: str) -> dict[str, Any]:
    content = {"type": "output_text", "text": text, "annotations": []}
    message = {"type": "message", "role": "assistant", "content": [content]}
    return {"status": "completed", "output": [message]}


def _anthropic(text: str) -> dict[str, Any]:
    block = {"type": "text", "text": text}
    return {"role": "assistant", "stop_reason": "end_turn", "content": [block]}


def _gemini(text: str) -> dict[str, Any]:
    content = {"role": "model", "parts": [{"text": text}]}
    return {"candidates": [{"content": content, "finishReason": "STOP"}]}


def _bedrock(text: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": [{"text": text}]}
    return {"output": {"message": message}, "stopReason": "end_turn"}


def _cohere(text: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": [{"type": "text", "text": text}]}
    return {"id": "1", "finish_reason": "COMPLETE", "message": message}


def _ollama(text: str) -> dict[str, Any]:
    return {"done": True, "done_reason": "stop", "message": {"role": "assistant", "content": text}}


ANSWERING: Final[dict[str, Write]] = {
    "openai": _openai,
    "openai-chat": _chat,
    "anthropic": _anthropic,
    "gemini": _gemini,
    "gemini-openapi": _gemini,
    "bedrock": _bedrock,
    "mistral": _chat,
    "cohere": _cohere,
    "ollama": _ollama,
    "xai": _chat,
    "text": lambda text: {"text": text},
}


def said(target: str, text: str) -> dict[str, Any]:
    """Make a response whose text is the model's answer."""
    return ANSWERING[target](text)


Calls = tuple[tuple[str, Any], ...]


def _functions(calls: Calls) -> list[dict[str, Any]]:
    return [
        {
            "id": f"c{place}",
            "type": "function",
            "function": {"name": name, "arguments": jsontext.write(arguments)},
        }
        for place, (name, arguments) in enumerate(calls)
    ]


def _chat_calls(calls: Calls) -> dict[str, Any]:
    message = {"role": "assistant", "content": None, "tool_calls": _functions(calls)}
    return {"choices": [{"index": 0, "finish_reason": "tool_calls", "message": message}]}


def _cohere_calls(calls: Calls) -> dict[str, Any]:
    message = {"role": "assistant", "tool_calls": _functions(calls)}
    return {"id": "1", "finish_reason": "TOOL_CALL", "message": message}


def _openai_calls(calls: Calls) -> dict[str, Any]:
    items = [
        {"type": "function_call", "call_id": call["id"], **call["function"]}
        for call in _functions(calls)
    ]
    return {"status": "completed", "output": items}


def _anthropic_calls(calls: Calls) -> dict[str, Any]:
    blocks = [
        {"type": "tool_use", "id": f"c{place}", "name": name, "input": arguments}
        for place, (name, arguments) in enumerate(calls)
    ]
    return {"role": "assistant", "stop_reason": "tool_use", "content": blocks}


def _gemini_calls(calls: Calls) -> dict[str, Any]:
    parts = [
        {"functionCall": {"id": f"c{place}", "name": name, "args": arguments}}
        for place, (name, arguments) in enumerate(calls)
    ]
    content = {"role": "model", "parts": parts}
    return {"candidates": [{"content": content, "finishReason": "STOP"}]}


def _bedrock_calls(calls: Calls) -> dict[str, Any]:
    uses = [
        {"toolUse": {"toolUseId": f"c{place}", "name": name, "input": arguments}}
        for place, (name, arguments) in enumerate(calls)
    ]
    message = {"role": "assistant", "content": uses}
    return {"output": {"message": message}, "stopReason": "tool_use"}


def _ollama_calls(calls: Calls) -> dict[str, Any]:
    functions = [{"function": {"name": name, "arguments": arguments}} for name, arguments in calls]
    return {"done": True, "message": {"role": "assistant", "tool_calls": functions}}


def _text_calls(calls: Calls) -> dict[str, Any]:
    envelopes = ({"name": name, "arguments": arguments} for name, arguments in calls)
    return {"text": "\n".join(map(jsontext.write, envelopes))}


CALLING: Final[dict[str, Callable[[Calls], dict[str, Any]]]] = {
    "openai": _openai_calls,
    "openai-chat": _chat_calls,
    "anthropic": _anthropic_calls,
    "gemini": _gemini_calls,
    "gemini-openapi": _gemini_calls,
    "bedrock": _bedrock_calls,
    "mistral": _chat_calls,
    "cohere": _cohere_calls,
    "ollama": _ollama_calls,
    "xai": _chat_calls,
    "text": _text_calls,
}


def called(target: str, *calls: tuple[str, Any]) -> dict[str, Any]:
    """Make a response with calls, of names and arguments."""
    return CALLING[target](calls)
