"""Amazon Bedrock's Converse API.

Read on 2026-11-20 from botocore 1.44.5 (service model of bedrock-runtime: `ToolSpecification`,
`ToolUseBlock`, `ToolResultBlock`). All results of a turn go into one user message; `status` says
whether a call failed. There are no empty descriptions and no empty lists of tools. A call that
the token limit cut off stands last, and is not to be run.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from toolhaft.call.outcome import Err, Ok
from toolhaft.lowering.plan import Planned
from toolhaft.providers.provider import CUT_OFF, Found, Provider
from toolhaft.providers.response import Part
from toolhaft.tools import AnyTool

__all__ = ["PROVIDERS"]

STOPPED_MIDWAY = frozenset({"max_tokens", "model_context_window_exceeded"})


class Bedrock(Provider):
    """Calls are blocks of the message; results are blocks of one user message."""

    target = "bedrock"

    def declare(self, tool: AnyTool, planned: Planned) -> dict[str, Any]:
        del tool
        spec = {
            "name": planned.wire_name,
            **planned.described,
            "inputSchema": {"json": planned.schema},
            **({"strict": True} if planned.strict else {}),
        }
        return {"toolSpec": spec}

    def request(self, tools: list[Any], *, strict: bool) -> dict[str, Any]:
        del strict
        return {"toolConfig": {"tools": tools}} if tools else {}

    def found(self, response: Part) -> Iterator[Found]:
        blocks = self._message(response).parts("content")
        cut_off = blocks[-1:] if response.get("stopReason") in STOPPED_MIDWAY else []
        for block in blocks:
            if block.get("toolUse") is not None:
                use = block.part("toolUse")
                arguments = CUT_OFF if block in cut_off else use.get("input")
                yield Found(use.at("toolUseId"), use.id("toolUseId"), use.text("name"), arguments)

    def turn(self, response: Any) -> list[Any]:
        message = self._message(Part(self.target, response))
        # The API refuses a message without content.
        return [message.data] if message.parts("content") else []

    def result(self, outcome: Ok[Any] | Err, name: str, tool: AnyTool | None) -> dict[str, Any]:
        del name, tool
        result = {
            "toolUseId": self.call_id(outcome),
            "content": [{"text": outcome.text}],
            "status": "success" if outcome else "error",
        }
        return {"toolResult": result}

    def reply(self, response: Any, results: list[Any]) -> list[Any]:
        del response
        return [{"role": "user", "content": results}] if results else []

    def _message(self, response: Part) -> Part:
        """The model's message, of a response or by itself."""
        if response.get("content") is not None:
            return response
        return response.part("output").part("message")


PROVIDERS: Final = {"bedrock": Bedrock()}
