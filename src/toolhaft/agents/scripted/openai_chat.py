"""Turns as OpenAI's Chat Completions API writes them (openai 3.52.0, read 2026-11-28)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolhaft.agents.scripted.writer import (
    Data,
    Said,
    Writer,
    arguments_text,
    function_call,
    pieces,
)
from toolhaft.call.types import ToolCall
from toolhaft.providers.ending import Usage

__all__ = ["OpenAIChat"]


class OpenAIChat(Writer):
    """Text and calls are in the message of the one choice."""

    def response(self, said: Said) -> Data:
        message: Data = {"role": "assistant", "content": said.text or None, "refusal": None}
        calls = [
            _text_call(call) if said.is_text(call) else function_call(call) for call in said.calls
        ]
        choice = {
            "index": 0,
            "finish_reason": _stop(said),
            "logprobs": None,
            "message": {**message, "tool_calls": calls} if calls else message,
        }
        usage = {} if said.usage is None else {"usage": _usage(said.usage)}
        return {**_head(said), "object": "chat.completion", "choices": [choice], **usage}

    def events(self, said: Said, request: Mapping[str, Any]) -> Iterator[Data]:
        options = request.get("stream_options") or {}
        head = {**_head(said), "object": "chat.completion.chunk"}
        for delta in _deltas(said):
            yield {**head, "choices": [_choice(delta, None)]}
        yield {**head, "choices": [_choice({}, _stop(said))]}
        if options.get("include_usage") and said.usage is not None:
            yield {**head, "choices": [], "usage": _usage(said.usage)}

    def to_response(self, data: Data) -> Any:
        from openai.types.chat import ChatCompletion

        return ChatCompletion.construct(**data)

    def to_event(self, data: Data) -> Any:
        from openai.types.chat import ChatCompletionChunk

        return ChatCompletionChunk.construct(**data)


def _head(said: Said) -> Data:
    return {"id": f"chatcmpl-{said.number}", "created": 0, "model": said.model}


def _stop(said: Said) -> str:
    return said.stop or ("tool_calls" if said.calls else "stop")


def _text_call(call: ToolCall) -> Data:
    custom = {"name": call.name, "input": call.arguments}
    return {"id": call.id, "type": "custom", "custom": custom}


def _choice(delta: Data, stop: str | None) -> Data:
    return {"index": 0, "delta": delta, "finish_reason": stop, "logprobs": None}


def _deltas(said: Said) -> Iterator[Data]:
    yield {"role": "assistant", "content": "" if said.text else None, "refusal": None}
    for piece in pieces(said.text):
        yield {"content": piece}
    for index, call in enumerate(said.calls):
        if said.is_text(call):  # whole: the SDK's type of a piece has functions only
            yield {"tool_calls": [{"index": index, **_text_call(call)}]}
            continue
        yield {"tool_calls": [{"index": index, **function_call(call, "")}]}
        for piece in pieces(arguments_text(call.arguments)):
            yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}


def _usage(usage: Usage) -> Data:
    return {
        "prompt_tokens": usage.input or 0,
        "completion_tokens": usage.output or 0,
        "total_tokens": usage.total,
        "prompt_tokens_details": {"cached_tokens": usage.cached or 0},
        "completion_tokens_details": {"reasoning_tokens": usage.reasoning or 0},
    }
