"""OpenAI's Chat Completions API, and the many servers that speak it; xAI's has its own dialect.

Read on 2026-11-20 from openai 3.52.0 (`ChatCompletionFunctionToolParam`, `ChatCompletionMessage`,
`ChatCompletionToolMessageParam`). Here a tool without `strict` is not strict. There is no flag
for errors: the text of a result says them.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar, Final

from toolhaft.definition.text_format import Regex, TextFormat
from toolhaft.lowering.plan import PlannedTool
from toolhaft.providers.chat import ChatProvider, json_schema_format
from toolhaft.providers.chat_chunks import ChatChunks
from toolhaft.providers.ending import StopReason
from toolhaft.providers.response import Part
from toolhaft.providers.streams import Fold
from toolhaft.tools.tool import AnyTool

__all__ = ["PROVIDERS"]


class OpenAIChat(ChatProvider):
    """Calls are in the message of a choice; each result is a message of its own."""

    stopped_midway = ("length", "content_filter", "error")
    has_strict_flag = True
    answer_parameter = "response_format"
    stop_values: ClassVar[Mapping[str, StopReason]] = MappingProxyType(
        {
            "stop": "done",
            "tool_calls": "done",
            "length": "length",
            "content_filter": "refusal",
            "refusal": "refusal",
            "function_call": "failed",
            "error": "failed",
        }
    )

    def __init__(self, target: str, *, always_strict: bool = False) -> None:
        self.target = target
        self.always_strict = always_strict
        self.has_text_calls = target == "openai-chat"  # xAI has no custom tools

    def declare(self, tool: AnyTool, planned: PlannedTool) -> dict[str, Any]:
        if tool.text_format is None or not self.has_text_calls:
            return super().declare(tool, planned)
        head = {"name": planned.wire_name, **planned.description_field}
        return {"type": "custom", "custom": {**head, "format": _grammar(tool.text_format)}}

    def message_holder(self, response: Part) -> Part:
        return response.only("message", among="choices")

    def answer_request(self, planned: PlannedTool) -> dict[str, Any]:
        return json_schema_format(planned, strict=planned.strict or self.always_strict)

    def fold(self) -> Fold:
        return ChatChunks()


def _grammar(text_format: TextFormat) -> dict[str, Any]:
    """Write the format of a custom tool; the grammar holds for its whole text."""
    if not isinstance(text_format, Regex):
        return {"type": text_format}
    return {"type": "grammar", "grammar": {"syntax": "regex", "definition": text_format.pattern}}


PROVIDERS: Final = {
    "openai-chat": OpenAIChat("openai-chat"),
    "xai": OpenAIChat("xai", always_strict=True),
}
