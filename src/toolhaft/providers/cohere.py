"""Cohere's chat API, version 2.

Read on 2026-11-20 from cohere 7.3.1 (`ToolV2`, `ToolCallV2`, `AssistantMessageResponse`,
`V2ChatStreamResponse`). Strictness is a flag of the request, `strict_tools`. The plan that the
model writes before its calls belongs to the turn. There is no flag for errors: the text of a
result says them.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar, Final

from toolhaft.lowering.plan import PlannedTool
from toolhaft.providers.chat import ChatProvider
from toolhaft.providers.ending import StopReason, Usage, count_of
from toolhaft.providers.response import Part
from toolhaft.providers.streams import Fold, Pieces, join_pieces, package_of, reported_error

__all__ = ["PROVIDERS"]


class Cohere(ChatProvider):
    """Calls are in the message; each result is a message of its own."""

    target = "cohere"
    stopped_midway = ("MAX_TOKENS", "ERROR", "TIMEOUT")
    answer_parameter = "response_format"
    stop_values: ClassVar[Mapping[str, StopReason]] = MappingProxyType(
        {
            "COMPLETE": "done",
            "STOP_SEQUENCE": "done",
            "TOOL_CALL": "done",
            "MAX_TOKENS": "length",
            "ERROR": "failed",
            "TIMEOUT": "failed",
        }
    )

    def request(
        self, tools: list[Any], *, strict: bool, final: str | None = None
    ) -> dict[str, Any]:
        del final
        flags = {"strict_tools": True} if strict else {}
        return {"tools": tools, **flags} if tools else {}

    def answer_request(self, planned: PlannedTool) -> dict[str, Any]:
        return {"response_format": {"type": "json_object", "json_schema": planned.schema}}

    def usage(self, response: Part) -> Usage | None:
        usage = response.either("usage")
        tokens = None if usage is None else usage.either("tokens")
        if tokens is None:
            return None
        return Usage(
            count_of(tokens, "input_tokens"),
            count_of(tokens, "output_tokens"),
            count_of(usage, "cached_tokens"),
        )

    def fold(self) -> Fold:
        return Events()


class Events(Fold):
    """Events that each add to one field of the message."""

    def __init__(self) -> None:
        self._head: dict[str, Any] = {}
        self._sdk = ""
        self._message_pieces: list[dict[str, Any]] = [{"role": "assistant"}]
        self._contents = Pieces()
        self._calls = Pieces()

    def take(self, event: Part) -> None:
        self._sdk = package_of(event)
        match event.text("type"):
            case "message-start":
                self._head["id"] = event.get("id")
            case "content-start" | "content-delta":
                self._contents.add(event.index("index"), _piece(event, "content"))
            case "tool-plan-delta":
                self._message_pieces.append(event.part("delta").part("message").plain())
            case "tool-call-start":
                self._calls.begin(event.index("index"), _piece(event, "tool_calls"))
            case "tool-call-delta":
                self._calls.add(event.index("index"), _piece(event, "tool_calls"))
            case "citation-start":
                self._message_pieces.append({"citations": [_piece(event, "citations")]})
            case "message-end":
                self._head |= event.part("delta").plain()
                if self._head.get("error"):
                    raise reported_error(event)
            case _:
                pass

    def text(self, event: Part) -> str:
        is_text = event.get("type") in ("content-start", "content-delta")
        return str(_piece(event, "content").get("text") or "") if is_text else ""

    def missing(self) -> str | None:
        return None if self._head.get("finish_reason") else "message-end"

    def response(self) -> Any:
        lists = {
            "tool_calls": [join_pieces(pieces) for pieces in self._calls.values],
            "content": [join_pieces(pieces) for pieces in self._contents.values],
        }
        message = {
            **join_pieces(self._message_pieces),
            **{key: values for key, values in lists.items() if values},
        }
        return {**self._head, "message": message}

    def whole(self) -> Any:
        if self._sdk != "cohere":
            return self.response()
        from cohere import V2ChatResponse

        return V2ChatResponse.construct(**self.response())


def _piece(event: Part, field: str) -> dict[str, Any]:
    return event.part("delta").part("message").part(field).plain()


PROVIDERS: Final = {"cohere": Cohere()}
