"""Turns as Mistral's chat API writes them (mistralai 3.7.0, read 2026-11-28)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolhaft.agents.scripted.writer import Data, Said, Writer, function_call, pieces
from toolhaft.providers.ending import Usage

__all__ = ["Mistral"]


class Mistral(Writer):
    """Text and calls are in the message of the one choice; a stream has each call whole."""

    def response(self, said: Said) -> Data:
        message = {"role": "assistant", "content": said.text, **_calls(said)}
        choice = {"index": 0, "finish_reason": _stop(said), "message": message}
        head = {**_head(said), "object": "chat.completion"}
        return {**head, "choices": [choice], **_usage(said.usage)}

    def events(self, said: Said, request: Mapping[str, Any]) -> Iterator[Data]:
        del request
        deltas = [{"content": piece} for piece in pieces(said.text)]
        for delta in ({"role": "assistant", "content": ""}, *deltas):
            yield _event(said, delta, None)
        yield _event(said, {"content": "", **_calls(said)}, _stop(said), **_usage(said.usage))

    def to_response(self, data: Data) -> Any:
        from mistralai.client.models import ChatCompletionResponse

        if "usage" not in data:
            reason = "a response of Mistral without usage"
            raise ValueError(f"ScriptedModel: {reason}; pass Usage(0, 0), or sdk=False")
        return ChatCompletionResponse.model_validate(data)

    def to_event(self, data: Data) -> Any:
        from mistralai.client.models import CompletionEvent

        return CompletionEvent.model_validate(data)


def _head(said: Said) -> Data:
    return {"id": f"chat_{said.number}", "created": 0, "model": said.model}


def _stop(said: Said) -> str:
    return said.stop or ("tool_calls" if said.calls else "stop")


def _calls(said: Said) -> Data:
    calls = [{**function_call(call), "index": index} for index, call in enumerate(said.calls)]
    return {"tool_calls": calls} if calls else {}


def _event(said: Said, delta: Data, stop: str | None, **usage: Any) -> Data:
    choice = {"index": 0, "delta": delta, "finish_reason": stop}
    head = {**_head(said), "object": "chat.completion.chunk"}
    return {"data": {**head, "choices": [choice], **usage}}


def _usage(usage: Usage | None) -> Data:
    if usage is None:
        return {}
    counts = {
        "prompt_tokens": usage.input or 0,
        "completion_tokens": usage.output or 0,
        "total_tokens": usage.total,
    }
    return {"usage": counts}
