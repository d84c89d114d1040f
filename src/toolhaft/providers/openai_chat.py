"""OpenAI's Chat Completions API, and the many servers that speak it; xAI's has its own dialect.

Read on 2026-11-20 from openai 3.52.0 (`ChatCompletionFunctionToolParam`, `ChatCompletionMessage`,
`ChatCompletionToolMessageParam`). Here a tool without `strict` is not strict. There is no flag
for errors: the text of a result says them. The call at which the token limit stopped the model
stands last, and is not to be run.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from toolhaft.call.outcome import Err, Ok
from toolhaft.errors import WireError
from toolhaft.lowering.plan import PlannedTool
from toolhaft.providers.chat_chunks import ChatChunks
from toolhaft.providers.provider import FoundCall, Provider
from toolhaft.providers.response import Part
from toolhaft.providers.streams import Fold
from toolhaft.tools.tool import AnyTool

__all__ = ["PROVIDERS"]


STOPPED_MIDWAY: Final = ("length", "content_filter", "error")


class OpenAIChat(Provider):
    """Calls are in the message of a choice; each result is a message of its own."""

    def __init__(self, target: str) -> None:
        self.target = target

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
        if message.get("tool_calls") is None:
            return
        calls = message.parts("tool_calls")
        cut_off = calls[-1:] if choice.get("finish_reason") in STOPPED_MIDWAY else []
        for call in calls:
            # Servers that leave out the type mean the one that there was at first.
            if call.get("type") in (None, "function"):
                function = call.part("function")
                name, arguments = function.text("name"), function.get("arguments")
                yield FoundCall(call.at("id"), call.id("id"), name, arguments, call in cut_off)

    def fold(self) -> Fold:
        return ChatChunks()

    def turn(self, response: Any) -> list[Any]:
        return [self.with_ids(response, self._choice(Part(self.target, response)).part("message"))]

    def result(self, outcome: Ok[Any] | Err, name: str, tool: AnyTool | None) -> dict[str, Any]:
        del name, tool
        return {"role": "tool", "tool_call_id": self.call_id(outcome), "content": outcome.text}

    def _choice(self, response: Part) -> Part:
        """The choice that has the assistant's message."""
        if response.get("message") is not None:
            return response
        choices = response.parts("choices")
        if len(choices) != 1:
            reason = f"there are {len(choices)}; pass the choice that is to be answered"
            raise WireError(self.target, "choices", reason)
        return choices[0]


PROVIDERS: Final = {target: OpenAIChat(target) for target in ("openai-chat", "xai")}
