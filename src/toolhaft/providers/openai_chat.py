"""OpenAI's Chat Completions API, and the many servers that speak it; xAI's has its own dialect.

Read on 2026-11-20 from openai 3.52.0 (`ChatCompletionFunctionToolParam`, `ChatCompletionMessage`,
`ChatCompletionToolMessageParam`). Here a tool without `strict` is not strict. There is no flag
for errors: the text of a result says them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from toolhaft.call.outcome import Err, Ok
from toolhaft.errors import WireError
from toolhaft.lowering.plan import Planned
from toolhaft.providers.provider import Found, Provider
from toolhaft.providers.response import Part
from toolhaft.tools import AnyTool

__all__ = ["PROVIDERS"]


class OpenAIChat(Provider):
    """Calls are in the message of a choice; each result is a message of its own."""

    def __init__(self, target: str) -> None:
        self.target = target

    def declare(self, tool: AnyTool, planned: Planned) -> dict[str, Any]:
        del tool
        strict = {"strict": True} if planned.strict else {}
        body = {"name": planned.wire_name, **planned.described, "parameters": planned.schema}
        return {"type": "function", "function": {**body, **strict}}

    def found(self, response: Part) -> Iterator[Found]:
        message = self._message(response)
        if message.get("tool_calls") is None:
            return
        for call in message.parts("tool_calls"):
            # Servers that leave out the type mean the one that there was at first.
            if call.get("type") in (None, "function"):
                function = call.part("function")
                name, arguments = function.text("name"), function.get("arguments")
                yield Found(call.at("id"), call.id("id"), name, arguments)

    def turn(self, response: Any) -> list[Any]:
        return [self._message(Part(self.target, response)).data]

    def result(self, outcome: Ok[Any] | Err, name: str, tool: AnyTool | None) -> dict[str, Any]:
        del name, tool
        return {"role": "tool", "tool_call_id": self.call_id(outcome), "content": outcome.text}

    def _message(self, response: Part) -> Part:
        """The assistant's message, of a response or of one choice."""
        if response.get("message") is not None:
            return response.part("message")
        choices = response.parts("choices")
        if len(choices) != 1:
            reason = f"there are {len(choices)}; pass the choice that is to be answered"
            raise WireError(self.target, "choices", reason)
        return choices[0].part("message")


PROVIDERS: Final = {target: OpenAIChat(target) for target in ("openai-chat", "xai")}
