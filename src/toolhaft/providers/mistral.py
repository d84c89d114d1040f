"""Mistral's chat API.

Read on 2026-11-20 from mistralai 3.7.0 (`Tool`, `ToolCall`, `ToolMessage`). Arguments come as text
or as an object; an id that the model left out comes as the text "null"; there is no flag for
errors: the text of a result says them. The call at which the token limit stopped the model stands
last, and is not to be run. A result may hold images.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from toolhaft.call.outcome import Err, Ok
from toolhaft.errors import WireError
from toolhaft.lowering.plan import PlannedTool
from toolhaft.providers.chat_chunks import ChatChunks
from toolhaft.providers.provider import FoundCall, Provider
from toolhaft.providers.response import Part
from toolhaft.providers.streams import Fold
from toolhaft.tools.tool import AnyTool

if TYPE_CHECKING:
    from toolhaft.content import Part as ContentPart

__all__ = ["PROVIDERS"]

IMAGES: Final = frozenset({"image/png", "image/jpeg", "image/webp", "image/gif"})

NO_ID = "null"
STOPPED_MIDWAY: Final = ("length", "model_length", "error")


class Mistral(Provider):
    """Calls are in the message of a choice; each result is a message of its own."""

    target = "mistral"

    def declare(self, tool: AnyTool, planned: PlannedTool) -> dict[str, Any]:
        del tool
        strict = {"strict": True} if planned.strict else {}
        body = {
            "name": planned.wire_name,
            **planned.description_field,
            "parameters": planned.schema,
        }
        return {"type": "function", "function": {**body, **strict}}

    def find_calls(self, response: Part) -> Iterator[FoundCall]:
        choice = self._choice(response)
        message = choice.part("message")
        # The SDK has a mark of its own for what was not set.
        if not isinstance(message.get("tool_calls"), list | tuple):
            return
        calls = message.parts("tool_calls")
        cut_off = calls[-1:] if choice.get("finish_reason") in STOPPED_MIDWAY else []
        for call in calls:
            function = call.part("function")
            call_id = None if call.id("id") == NO_ID else call.id("id")
            name, arguments = function.text("name"), function.get("arguments")
            yield FoundCall(call.at("id"), call_id, name, arguments, call in cut_off)

    def fold(self) -> Fold:
        return ChatChunks()

    def turn(self, response: Any) -> list[Any]:
        return [self.with_ids(response, self._choice(Part(self.target, response)).part("message"))]

    def result(self, outcome: Ok[Any] | Err, name: str, tool: AnyTool | None) -> dict[str, Any]:
        del tool
        call_id, content = self.call_id(outcome), self.content(outcome)
        return {"role": "tool", "tool_call_id": call_id, "name": name, "content": content}

    def part(self, content_part: ContentPart) -> dict[str, Any] | None:
        from toolhaft.content import Image

        if not isinstance(content_part, Image) or content_part.media_type not in IMAGES:
            return None
        return {"type": "image_url", "image_url": content_part.data_url}

    def _choice(self, response: Part) -> Part:
        """The choice that has the assistant's message."""
        if response.get("message") is not None:
            return response
        choices = response.parts("choices")
        if len(choices) != 1:
            reason = f"there are {len(choices)}; pass the choice that is to be answered"
            raise WireError(self.target, "choices", reason)
        return choices[0]


PROVIDERS: Final = {"mistral": Mistral()}
