"""Ollama's chat API.

Read on 2026-11-20 from ollama 0.6.3 (`Tool`, `Message.ToolCall`, `Message`). Calls have no ids:
results are matched by name and order. The Python client drops what its model of a property has no
field for, nested properties among them; plain dicts over HTTP keep what the server keeps. Images
of a result stand beside its text, which names each of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from toolhaft.call.outcome import Err, Ok
from toolhaft.lowering.plan import Planned
from toolhaft.providers.provider import Found, Provider
from toolhaft.providers.response import Part
from toolhaft.tools import AnyTool

__all__ = ["PROVIDERS"]

IMAGES: Final = frozenset({"image/png", "image/jpeg", "image/webp"})


class Ollama(Provider):
    """Calls are in the message; each result is a message of its own, under the tool's name."""

    target = "ollama"

    def declare(self, tool: AnyTool, planned: Planned) -> dict[str, Any]:
        del tool
        body = {"name": planned.wire_name, **planned.described, "parameters": planned.schema}
        return {"type": "function", "function": body}

    def found(self, response: Part) -> Iterator[Found]:
        message = response.part("message")
        if message.get("tool_calls") is None:
            return
        for call in message.parts("tool_calls"):
            function = call.part("function")
            name, arguments = function.text("name"), function.get("arguments")
            yield Found(call.path, None, name, arguments)

    def turn(self, response: Any) -> list[Any]:
        return [Part(self.target, response).part("message").data]

    def result(self, outcome: Ok[Any] | Err, name: str, tool: AnyTool | None) -> dict[str, Any]:
        from toolhaft.content import Image

        del tool
        content = outcome.content
        images = [
            one.base64 for one in content if isinstance(one, Image) and one.media_type in IMAGES
        ]
        shown = {"images": images} if images else {}
        return {"role": "tool", "tool_name": name, "content": outcome.text, **shown}


PROVIDERS: Final = {"ollama": Ollama()}
