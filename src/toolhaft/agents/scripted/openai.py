"""Turns as OpenAI's Responses API writes them (openai 3.52.0, read 2026-11-28)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from toolhaft.agents.scripted.writer import (
    Data,
    Said,
    Writer,
    arguments_text,
    classes_by_type,
    pieces,
)
from toolhaft.call.types import ToolCall
from toolhaft.providers.ending import Usage

__all__ = ["OpenAI"]

STATUSES: Final = ("completed", "failed", "in_progress", "cancelled", "queued", "incomplete")
# The parts of a call, and the events that write it.
WRITTEN: Final = {
    "function_call": ("arguments", "response.function_call_arguments"),
    "custom_tool_call": ("input", "response.custom_tool_call_input"),
}
# The last event of a response; one that is neither is incomplete.
LAST: Final = {"completed": "response.completed", "failed": "response.failed"}


class OpenAI(Writer):
    """Text is an item of the output, and so is each call."""

    def response(self, said: Said) -> Data:
        stop = said.stop or "completed"
        status = stop if stop in STATUSES else "incomplete"
        details = None if stop == status else {"reason": stop}
        error = {"code": "server_error", "message": "The model failed."}
        return {
            "id": f"resp_{said.number}",
            "object": "response",
            "created_at": 0,
            "status": status,
            "error": error if status == "failed" else None,
            "incomplete_details": details,
            "instructions": None,
            "metadata": {},
            "model": said.model,
            "output": _items(said),
            "parallel_tool_calls": True,
            "temperature": None,
            "tool_choice": "auto",
            "tools": [],
            "top_p": None,
            **({} if said.usage is None else {"usage": _usage(said.usage)}),
        }

    def events(self, said: Said, request: Mapping[str, Any]) -> Iterator[Data]:
        del request
        for number, event in enumerate(self._events(said)):
            yield {**event, "sequence_number": number}

    def _events(self, said: Said) -> Iterator[Data]:
        response = self.response(said)
        begun = {**response, "status": "in_progress", "output": [], "usage": None}
        yield {"type": "response.created", "response": begun}
        yield {"type": "response.in_progress", "response": begun}
        for index, item in enumerate(response["output"]):
            place = {"output_index": index, "item_id": item["id"]}
            status = {"status": "in_progress"} if "status" in item else {}
            started = {**item, **status, **_emptied(item)}
            yield {"type": "response.output_item.added", "output_index": index, "item": started}
            yield from ({**place, **delta} for delta in _deltas(item))
            yield {"type": "response.output_item.done", "output_index": index, "item": item}
        yield {"type": LAST.get(response["status"], "response.incomplete"), "response": response}

    def to_response(self, data: Data) -> Any:
        from openai.types.responses import Response

        return Response.construct(**data)

    def to_event(self, data: Data) -> Any:
        from openai.types.responses import ResponseStreamEvent

        return classes_by_type(ResponseStreamEvent)[data["type"]].construct(**data)


def _items(said: Said) -> list[Data]:
    message = {
        "id": f"msg_{said.number}",
        "type": "message",
        "role": "assistant",
        "status": "completed",
        "content": [{"type": "output_text", "text": said.text, "annotations": []}],
    }
    calls = [_text_call(call) if said.is_text(call) else _call(call) for call in said.calls]
    return [*([message] if said.text or not calls else []), *calls]


def _call(call: ToolCall) -> Data:
    return {
        "id": f"fc_{call.id}",
        "type": "function_call",
        "call_id": call.id,
        "name": call.name,
        "arguments": arguments_text(call.arguments),
        "status": "completed",
    }


def _text_call(call: ToolCall) -> Data:
    return {
        "id": f"ctc_{call.id}",
        "type": "custom_tool_call",
        "call_id": call.id,
        "name": call.name,
        "input": call.arguments,
    }


def _emptied(item: Data) -> Data:
    return {"content": []} if item["type"] == "message" else {WRITTEN[item["type"]][0]: ""}


def _deltas(item: Data) -> Iterator[Data]:
    if item["type"] == "message":
        [part] = item["content"]
        place = {"content_index": 0}
        yield {"type": "response.content_part.added", **place, "part": {**part, "text": ""}}
        for piece in pieces(part["text"]):
            yield {"type": "response.output_text.delta", **place, "delta": piece, "logprobs": []}
        yield {"type": "response.output_text.done", **place, "text": part["text"], "logprobs": []}
        yield {"type": "response.content_part.done", **place, "part": part}
        return
    field, event = WRITTEN[item["type"]]
    for piece in pieces(item[field]):
        yield {"type": f"{event}.delta", "delta": piece}
    named = {"name": item["name"]} if item["type"] == "function_call" else {}
    yield {"type": f"{event}.done", field: item[field], **named}


def _usage(usage: Usage) -> Data:
    return {
        "input_tokens": usage.input or 0,
        "input_tokens_details": {"cached_tokens": usage.cached or 0, "cache_write_tokens": 0},
        "output_tokens": usage.output or 0,
        "output_tokens_details": {"reasoning_tokens": usage.reasoning or 0},
        "total_tokens": usage.total,
    }
