"""Mistral's chat API.

Read on 2026-11-20 from mistralai 3.7.0 (`Tool`, `ToolCall`, `ToolMessage`). Arguments come as text
or as an object; an id that the model left out comes as the text "null"; there is no flag for
errors: the text of a result says them. A result may hold images.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Final

from toolhaft.call.outcome import Err, Ok
from toolhaft.lowering.plan import PlannedTool
from toolhaft.providers.chat import ChatProvider, json_schema_format
from toolhaft.providers.chat_chunks import ChatChunks
from toolhaft.providers.ending import StopReason
from toolhaft.providers.response import Part
from toolhaft.providers.streams import Fold
from toolhaft.tools.tool import AnyTool

if TYPE_CHECKING:
    from toolhaft.content import Part as ContentPart

__all__ = ["PROVIDERS"]

IMAGES: Final = frozenset({"image/png", "image/jpeg", "image/webp", "image/gif"})
# The model writes this for an id that it leaves out.
NO_ID: Final = "null"


class Mistral(ChatProvider):
    """Calls are in the message of a choice; each result is a message of its own."""

    target = "mistral"
    stopped_midway = ("length", "model_length", "error")
    has_strict_flag = True
    answer_parameter = "response_format"
    stop_values: ClassVar[Mapping[str, StopReason]] = MappingProxyType(
        {
            "stop": "done",
            "tool_calls": "done",
            "length": "length",
            "model_length": "length",
            "error": "failed",
        }
    )

    def message_holder(self, response: Part) -> Part:
        return response.only("message", among="choices")

    def has_calls(self, message: Part) -> bool:
        # The SDK marks unset fields with an object of its own, which is false.
        return bool(message.get("tool_calls"))

    def id_of(self, call: Part) -> str | None:
        call_id = call.id("id")
        return None if call_id == NO_ID else call_id

    def answer_request(self, planned: PlannedTool) -> dict[str, Any]:
        return json_schema_format(planned, strict=planned.strict)

    def fold(self) -> Fold:
        return ChatChunks()

    def result(self, outcome: Ok[Any] | Err, name: str, tool: AnyTool | None) -> dict[str, Any]:
        del tool
        call_id, content = self.call_id(outcome), self.content(outcome)
        return {"role": "tool", "tool_call_id": call_id, "name": name, "content": content}

    def part(self, content_part: ContentPart) -> dict[str, Any] | None:
        from toolhaft.content import Image

        if not isinstance(content_part, Image) or content_part.media_type not in IMAGES:
            return None
        return {"type": "image_url", "image_url": content_part.data_url}


PROVIDERS: Final = {"mistral": Mistral()}
