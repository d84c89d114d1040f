"""Anthropic's Messages API.

Read on 2026-11-20 from anthropic 2.11.0 (`ToolParam`, `ToolUseBlock`, `ToolResultBlockParam`) and
Anthropic's tool use guide: all results of a turn go into one user message, with `is_error` where
a call failed; a call that the token limit cut off stands last, with whatever was there of its
input, and is not to be run. A result may hold images of four kinds, and PDF or text as documents.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from toolhaft.call.outcome import Err, Ok
from toolhaft.lowering.plan import Planned
from toolhaft.providers.provider import CUT_OFF, Found, Provider
from toolhaft.providers.response import Part
from toolhaft.tools import AnyTool

if TYPE_CHECKING:
    from toolhaft.content import File, Image
    from toolhaft.content import Part as Shown

__all__ = ["PROVIDERS"]

IMAGES: Final = frozenset({"image/jpeg", "image/png", "image/gif", "image/webp"})
PDF: Final = "application/pdf"
STOPPED_MIDWAY = frozenset({"max_tokens", "model_context_window_exceeded", "refusal"})


class Anthropic(Provider):
    """Calls are blocks of the message; results are blocks of one user message."""

    target = "anthropic"

    def declare(self, tool: AnyTool, planned: Planned) -> dict[str, Any]:
        examples = [planned.lowered.lens.put(one) for one in tool.examples or ()]
        return {
            "name": planned.wire_name,
            **planned.described,
            "input_schema": planned.schema,
            **({"strict": True} if planned.strict else {}),
            **({"input_examples": examples} if examples else {}),
        }

    def found(self, response: Part) -> Iterator[Found]:
        blocks = response.parts("content")
        cut_off = blocks[-1:] if response.get("stop_reason") in STOPPED_MIDWAY else []
        for block in blocks:
            if block.get("type") == "tool_use":
                arguments = CUT_OFF if block in cut_off else block.get("input")
                yield Found(block.at("id"), block.id("id"), block.text("name"), arguments)

    def turn(self, response: Any) -> list[Any]:
        blocks = [block.data for block in Part(self.target, response).parts("content")]
        # The API refuses a message without content.
        return [{"role": "assistant", "content": blocks}] if blocks else []

    def result(self, outcome: Ok[Any] | Err, name: str, tool: AnyTool | None) -> dict[str, Any]:
        del name, tool
        return {
            "type": "tool_result",
            "tool_use_id": self.call_id(outcome),
            "content": self.content(outcome),
            "is_error": not outcome,
        }

    def part(self, shown: Shown) -> dict[str, Any] | None:
        from toolhaft.content import File, Image

        if isinstance(shown, Image) and shown.media_type in IMAGES:
            return {"type": "image", "source": _base64(shown)}
        if not isinstance(shown, File):
            return None
        title = {"title": shown.name} if shown.name else {}
        if shown.media_type == PDF:
            return {"type": "document", "source": _base64(shown), **title}
        if shown.text is None:
            return None
        source = {"type": "text", "media_type": "text/plain", "data": shown.text}
        return {"type": "document", "source": source, **title}

    def reply(self, response: Any, results: list[Any]) -> list[Any]:
        del response
        return [{"role": "user", "content": results}] if results else []


def _base64(shown: Image | File) -> dict[str, Any]:
    return {"type": "base64", "media_type": shown.media_type, "data": shown.base64}


PROVIDERS: Final = {"anthropic": Anthropic()}
