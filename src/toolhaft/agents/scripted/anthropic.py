"""Turns as Anthropic's Messages API writes them (anthropic 2.11.0, read 2026-11-28)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolhaft.agents.scripted.writer import (
    Data,
    Said,
    Writer,
    arguments_text,
    classes_by_type,
    pieces,
)
from toolhaft.providers.ending import Usage
from toolhaft.providers.streams import parse_object

__all__ = ["Anthropic"]


class Anthropic(Writer):
    """Text is a block of the content, and so is each call."""

    def response(self, said: Said) -> Data:
        text = [{"type": "text", "text": said.text, "citations": None}] if said.text else []
        calls = [
            {
                "type": "tool_use",
                "id": call.id,
                "name": call.name,
                "input": parse_object(call.arguments),
            }
            for call in said.calls
        ]
        return {
            "id": f"msg_{said.number}",
            "type": "message",
            "role": "assistant",
            "model": said.model,
            "content": [*text, *calls],
            "stop_reason": said.stop or ("tool_use" if calls else "end_turn"),
            "stop_sequence": None,
            **({} if said.usage is None else {"usage": _usage(said.usage)}),
        }

    def events(self, said: Said, request: Mapping[str, Any]) -> Iterator[Data]:
        del request
        response = self.response(said)
        yield {
            "type": "message_start",
            "message": {**response, "content": [], "stop_reason": None},
        }
        for index, block in enumerate(response["content"]):
            yield from ({**event, "index": index} for event in _block_events(block, said))
        stop = {key: response[key] for key in ("stop_reason", "stop_sequence")}
        usage = {"usage": response["usage"]} if "usage" in response else {}
        yield {"type": "message_delta", "delta": stop, **usage}
        yield {"type": "message_stop"}

    def to_response(self, data: Data) -> Any:
        from anthropic.types import Message

        return Message.construct(**data)

    def to_event(self, data: Data) -> Any:
        from anthropic.types import RawMessageStreamEvent

        return classes_by_type(RawMessageStreamEvent)[data["type"]].construct(**data)


def _block_events(block: Data, said: Said) -> Iterator[Data]:
    if block["type"] == "text":
        started = {**block, "text": ""}
        deltas = [{"type": "text_delta", "text": piece} for piece in pieces(block["text"])]
    else:
        started = {**block, "input": {}}
        [text] = [arguments_text(call.arguments) for call in said.calls if call.id == block["id"]]
        deltas = [
            {"type": "input_json_delta", "partial_json": piece} for piece in ("", *pieces(text))
        ]
    yield {"type": "content_block_start", "content_block": started}
    for delta in deltas:
        yield {"type": "content_block_delta", "delta": delta}
    yield {"type": "content_block_stop"}


def _usage(usage: Usage) -> Data:
    cached = usage.cached or 0
    return {
        "input_tokens": max(0, (usage.input or 0) - cached),
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": cached,
        "output_tokens": usage.output or 0,
        "output_tokens_details": {"thinking_tokens": usage.reasoning or 0},
    }
