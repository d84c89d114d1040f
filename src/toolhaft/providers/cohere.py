"""Cohere's chat API, version 2.

Read on 2026-11-20 from cohere 7.3.1 (`ToolV2`, `ToolCallV2`, `AssistantMessageResponse`).
Strictness is a flag of the request, `strict_tools`. The plan that the model writes before its
calls belongs to the turn. There is no flag for errors: the text of a result says them.
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


class Cohere(Provider):
    """Calls are in the message; each result is a message of its own."""

    target = "cohere"

    def declare(self, tool: AnyTool, planned: Planned) -> dict[str, Any]:
        del tool
        body = {"name": planned.wire_name, **planned.described, "parameters": planned.schema}
        return {"type": "function", "function": body}

    def request(self, tools: list[Any], *, strict: bool) -> dict[str, Any]:
        flags = {"strict_tools": True} if strict else {}
        return {"tools": tools, **flags} if tools else {}

    def found(self, response: Part) -> Iterator[Found]:
        message = response.part("message")
        if message.get("tool_calls") is None:
            return
        for call in message.parts("tool_calls"):
            function = call.part("function")
            name, arguments = function.text("name"), function.get("arguments")
            yield Found(call.at("id"), call.id("id"), name, arguments)

    def turn(self, response: Any) -> list[Any]:
        return [Part(self.target, response).part("message").data]

    def result(self, outcome: Ok[Any] | Err, name: str, tool: AnyTool | None) -> dict[str, Any]:
        del name, tool
        return {"role": "tool", "tool_call_id": self.call_id(outcome), "content": outcome.text}


PROVIDERS: Final = {"cohere": Cohere()}
