"""Turns as Cohere's chat API, version 2, writes them (cohere 7.3.1, read 2026-11-28)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from toolhaft.agents.scripted.writer import (
    Data,
    Said,
    Writer,
    arguments_text,
    classes_by_type,
    function_call,
    pieces,
)
from toolhaft.providers.ending import Usage

__all__ = ["Cohere"]


class Cohere(Writer):
    """Text is a part of the message's content, and the calls stand beside it."""

    def response(self, said: Said) -> Data:
        content = [{"type": "text", "text": said.text}] if said.text else []
        calls = [function_call(call) for call in said.calls]
        lists = {"content": content, "tool_calls": calls}
        message = {key: values for key, values in lists.items() if values}
        return {
            "id": f"response_{said.number}",
            "message": {"role": "assistant", **message},
            **_ending(said),
        }

    def events(self, said: Said, request: Mapping[str, Any]) -> Iterator[Data]:
        del request
        head = {"role": "assistant", "content": [], "tool_calls": [], "tool_plan": ""}
        message = {"message": head}
        yield {"type": "message-start", "id": f"response_{said.number}", "delta": message}
        if said.text:
            yield from _pieces("content", 0, said.text, {"type": "text", "text": ""}, _text)
        for index, call in enumerate(said.calls):
            text = arguments_text(call.arguments)
            yield from _pieces("tool-call", index, text, function_call(call, ""), _arguments)
        yield {"type": "message-end", "delta": _ending(said)}

    def to_response(self, data: Data) -> Any:
        from cohere import V2ChatResponse

        return V2ChatResponse.construct(**data)

    def to_event(self, data: Data) -> Any:
        from cohere import V2ChatStreamResponse

        return classes_by_type(V2ChatStreamResponse)[data["type"]].construct(**data)


FIELDS: Final = {"content": "content", "tool-call": "tool_calls"}


def _pieces(
    kind: str, index: int, text: str, begun: Data, write: Callable[[str], Data]
) -> Iterator[Data]:
    """Yield the events of a value: its start, the pieces of its text, and its end."""
    named = [("start", begun), *(("delta", write(piece)) for piece in pieces(text))]
    for name, value in named:
        delta = {"message": {FIELDS[kind]: value}}
        yield {"type": f"{kind}-{name}", "index": index, "delta": delta}
    yield {"type": f"{kind}-end", "index": index}


def _text(piece: str) -> Data:
    return {"text": piece}


def _arguments(piece: str) -> Data:
    return {"function": {"arguments": piece}}


def _ending(said: Said) -> Data:
    stop = said.stop or ("TOOL_CALL" if said.calls else "COMPLETE")
    return {"finish_reason": stop, **({} if said.usage is None else {"usage": _usage(said.usage)})}


def _usage(usage: Usage) -> Data:
    tokens = {"input_tokens": usage.input or 0, "output_tokens": usage.output or 0}
    return {"billed_units": tokens, "tokens": tokens, "cached_tokens": usage.cached or 0}
