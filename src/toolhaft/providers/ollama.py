"""Ollama's chat API.

Read on 2026-11-20 from ollama 0.6.3 (`Tool`, `Message.ToolCall`, `Message`). Calls have no ids:
results are matched by name and order. The Python client drops what its model of a property has no
field for, nested properties among them; plain dicts over HTTP keep what the server keeps. Images
of a result stand beside its text, which names each of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, ClassVar, Final

from toolhaft.call.outcome import Err, Ok
from toolhaft.lowering.plan import PlannedTool
from toolhaft.providers.chat import ChatProvider
from toolhaft.providers.ending import StopReason, Usage, count_of
from toolhaft.providers.provider import arguments_as_object
from toolhaft.providers.response import FoundCall, Part
from toolhaft.providers.streams import (
    Fold,
    join_pieces,
    package_of,
    reported_error,
    to_valid_object,
)
from toolhaft.tools.tool import AnyTool

__all__ = ["PROVIDERS"]

IMAGES: Final = frozenset({"image/png", "image/jpeg", "image/webp"})


class Ollama(ChatProvider):
    """Calls are in the message; each result is a message of its own, under the tool's name."""

    target = "ollama"
    answer_parameter = "format"
    stop_values: ClassVar[Mapping[str, StopReason]] = MappingProxyType(
        {"stop": "done", "length": "length", "load": "failed", "unload": "failed"}
    )

    def usage(self, response: Part) -> Usage | None:
        sent, generated = (count_of(response, key) for key in ("prompt_eval_count", "eval_count"))
        return None if sent is None and generated is None else Usage(sent, generated)

    def stop_value(self, response: Part) -> str | None:
        return response.word("done_reason")

    def find_calls(self, response: Part) -> Iterator[FoundCall]:
        message = response.part("message")
        if message.get("tool_calls") is None:
            return
        for call in message.parts("tool_calls"):
            function = call.part("function")
            name, arguments = function.text("name"), function.get("arguments")
            yield FoundCall(call.path, None, name, arguments)

    def answer_request(self, planned: PlannedTool) -> dict[str, Any]:
        return {"format": planned.schema}

    def fold(self) -> Fold:
        return Chunks()

    def turn(self, response: Any) -> list[Any]:
        message = Part(self.target, response).part("message")
        calls = message.parts("tool_calls") if message.get("tool_calls") else []
        if all(isinstance(call.part("function").get("arguments"), Mapping) for call in calls):
            return [message.data]
        return [{**message.plain(), "tool_calls": [_to_request_call(call) for call in calls]}]

    def result(self, outcome: Ok[Any] | Err, name: str, tool: AnyTool | None) -> dict[str, Any]:
        from toolhaft.content import Image

        del tool
        content = outcome.content
        images = [
            part.base64 for part in content if isinstance(part, Image) and part.media_type in IMAGES
        ]
        images_field = {"images": images} if images else {}
        return {"role": "tool", "tool_name": name, "content": outcome.text, **images_field}


def _to_request_call(call: Part) -> dict[str, Any]:
    """A call as the server takes it: with arguments that are an object."""
    function = call.part("function")
    arguments = arguments_as_object(function.get("arguments"))
    return {**call.plain(), "function": {**function.plain(), "arguments": arguments}}


class Chunks(Fold):
    """Responses that each have a piece of the message, and calls whole; the last is `done`."""

    def __init__(self) -> None:
        self._last: dict[str, Any] = {}
        self._class: type | None = None
        self._messages: list[dict[str, Any]] = []

    def take(self, event: Part) -> None:
        if event.get("error") is not None:
            raise reported_error(event)
        self._messages.append(event.part("message").plain())
        self._last = event.plain()
        self._class = type(event.data) if package_of(event) == "ollama" else None

    def text(self, event: Part) -> str:
        return event.part("message").word("content") or ""

    def missing(self) -> str | None:
        return None if self._last.get("done") else "done"

    def response(self) -> Any:
        return {**self._last, "message": join_pieces(self._messages) or {}}

    def whole(self) -> Any:
        response = self.response()
        return response if self._class is None else to_valid_object(self._class, response)


PROVIDERS: Final = {"ollama": Ollama()}
