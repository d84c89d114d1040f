"""Amazon Bedrock's Converse API.

Read on 2026-11-20 from botocore 1.44.5 (service model of bedrock-runtime: `ToolSpecification`,
`ToolUseBlock`, `ToolResultBlock`). All results of a turn go into one user message; `status` says
whether a call failed. There are no empty descriptions and no empty lists of tools. A call that
the token limit cut off stands last, and is not to be run. A result may hold images and documents,
as bytes; a document's name is read by the model like instructions, so it is a neutral one, and no
two of a request are the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from toolhaft.call.outcome import Err, Ok
from toolhaft.lowering.plan import Planned
from toolhaft.providers.provider import CUT_OFF, Found, Provider
from toolhaft.providers.response import Part
from toolhaft.tools import AnyTool

if TYPE_CHECKING:
    from toolhaft.content import Part as Shown

__all__ = ["PROVIDERS"]

IMAGES: Final = {f"image/{kind}": kind for kind in ("png", "jpeg", "gif", "webp")}
OFFICE: Final = "application/vnd.openxmlformats-officedocument."
DOCUMENTS: Final = {
    "application/pdf": "pdf",
    "text/csv": "csv",
    "application/msword": "doc",
    f"{OFFICE}wordprocessingml.document": "docx",
    "application/vnd.ms-excel": "xls",
    f"{OFFICE}spreadsheetml.sheet": "xlsx",
    "text/html": "html",
    "text/plain": "txt",
    "text/markdown": "md",
}
# What the name of a document may not have.
UNNAMED: Final = re.compile(r"[^A-Za-z0-9-]")

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
            "content": self._blocks(outcome),
            "status": "success" if outcome else "error",
        }
        return {"toolResult": result}

    def _blocks(self, outcome: Ok[Any] | Err) -> list[dict[str, Any]]:
        content = self.content(outcome)
        if isinstance(content, str):
            return [self.text_part(content)]
        call = UNNAMED.sub("-", self.call_id(outcome))
        for place, one in enumerate(content):
            if "document" in one:
                one["document"]["name"] = f"document {place} of {call}"
        return list(content)

    def text_part(self, text: str) -> dict[str, Any]:
        return {"text": text}

    def part(self, shown: Shown) -> dict[str, Any] | None:
        from toolhaft.content import File, Image

        if isinstance(shown, Image) and shown.media_type in IMAGES:
            image = {"format": IMAGES[shown.media_type], "source": {"bytes": shown.data}}
            return {"image": image}
        if not isinstance(shown, File) or shown.media_type not in DOCUMENTS:
            return None
        kind, source = DOCUMENTS[shown.media_type], {"bytes": shown.data}
        return {"document": {"format": kind, "name": "document", "source": source}}

    def reply(self, response: Any, results: list[Any]) -> list[Any]:
        del response
        return [{"role": "user", "content": results}] if results else []

    def _message(self, response: Part) -> Part:
        """The model's message, of a response or by itself."""
        if response.get("content") is not None:
            return response
        return response.part("output").part("message")


PROVIDERS: Final = {"bedrock": Bedrock()}
