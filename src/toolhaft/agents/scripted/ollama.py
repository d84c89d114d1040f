"""Turns as Ollama's chat API writes them (ollama 0.6.3, read 2026-11-28)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from toolhaft.agents.scripted.writer import Data, Said, Writer, pieces, require_objects
from toolhaft.providers.streams import parse_object

__all__ = ["Ollama"]

CREATED_AT: Final = "1970-01-01T00:00:00Z"


class Ollama(Writer):
    """Text and calls are in the message; calls come whole, and have no ids."""

    def response(self, said: Said) -> Data:
        return {**_head(said), "message": _message(said.text, _calls(said)), **_ending(said)}

    def events(self, said: Said, request: Mapping[str, Any]) -> Iterator[Data]:
        del request
        texts = [_message(piece, {}) for piece in pieces(said.text)]
        calls = [_message("", _calls(said))] if said.calls else []
        for message in (*texts, *calls):
            yield {**_head(said), "message": message, "done": False}
        yield {**_head(said), "message": _message("", {}), **_ending(said)}

    def to_response(self, data: Data) -> Any:
        from ollama import ChatResponse

        calls = [call["function"] for call in data["message"].get("tool_calls", ())]
        require_objects("Ollama", [function["arguments"] for function in calls])
        return ChatResponse.model_validate(data)

    def to_event(self, data: Data) -> Any:
        return self.to_response(data)


def _head(said: Said) -> Data:
    return {"model": said.model, "created_at": CREATED_AT}


def _message(text: str, calls: Data) -> Data:
    return {"role": "assistant", "content": text, **calls}


def _calls(said: Said) -> Data:
    functions = [
        {"name": call.name, "arguments": parse_object(call.arguments)} for call in said.calls
    ]
    return {"tool_calls": [{"function": one} for one in functions]} if functions else {}


def _ending(said: Said) -> Data:
    usage = {}
    if said.usage is not None:
        counts = said.usage.input or 0, said.usage.output or 0
        usage = dict(zip(("prompt_eval_count", "eval_count"), counts, strict=True))
    return {"done": True, "done_reason": said.stop or "stop", "total_duration": 0, **usage}
