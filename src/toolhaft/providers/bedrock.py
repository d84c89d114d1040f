"""Amazon Bedrock's Converse API.

Read on 2026-11-20 from botocore 1.44.5 (service model of bedrock-runtime: `ToolSpecification`,
`ToolUseBlock`, `ToolResultBlock`, `ConverseStreamOutput`). All results of a turn go into one user
message; `status` has whether a call failed. Empty descriptions and empty lists of tools are not
allowed. A call that the token limit cut off is the last one, and must not run. A result may hold
images and documents, as bytes; a document's name is read by the model like instructions, so it is a
neutral one, and no two of a request are the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Final

from toolhaft.call.outcome import Err, Ok
from toolhaft.errors import WireError
from toolhaft.jsonio import jsontext
from toolhaft.lowering.plan import PlannedTool
from toolhaft.providers.ending import StopReason, Usage, count_of
from toolhaft.providers.provider import Provider, arguments_as_object
from toolhaft.providers.response import FoundCall, Part
from toolhaft.providers.streams import Fold, Pieces, join_pieces, parse_object, reported_error
from toolhaft.tools.tool import AnyTool

if TYPE_CHECKING:
    from toolhaft.content import Part as ContentPart

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
# Characters that the name of a document may not contain.
UNNAMED: Final = re.compile(r"[^A-Za-z0-9-]")

STOPPED_MIDWAY: Final = ("max_tokens", "model_context_window_exceeded")


class Bedrock(Provider):
    """Calls are blocks of the message; results are blocks of one user message."""

    target = "bedrock"
    answer_parameter = "outputConfig.textFormat"
    stop_values: ClassVar[Mapping[str, StopReason]] = MappingProxyType(
        {
            "end_turn": "done",
            "stop_sequence": "done",
            "tool_use": "done",
            "max_tokens": "length",
            "model_context_window_exceeded": "length",
            "content_filtered": "refusal",
            "guardrail_intervened": "refusal",
            "malformed_model_output": "failed",
            "malformed_tool_use": "failed",
        }
    )

    def declare(self, tool: AnyTool, planned: PlannedTool) -> dict[str, Any]:
        del tool
        spec = {
            "name": planned.wire_name,
            **planned.description_field,
            "inputSchema": {"json": planned.schema},
            **({"strict": True} if planned.strict else {}),
        }
        return {"toolSpec": spec}

    def request(
        self, tools: list[Any], *, strict: bool, final: str | None = None
    ) -> dict[str, Any]:
        del strict, final
        return {"toolConfig": {"tools": tools}} if tools else {}

    def answer_request(self, planned: PlannedTool) -> dict[str, Any]:
        schema = {"name": planned.wire_name, "schema": jsontext.write(planned.schema)}
        text_format = {"type": "json_schema", "structure": {"jsonSchema": schema}}
        return {"outputConfig": {"textFormat": text_format}}

    def user_messages(self, text: str) -> list[Any]:
        return [{"role": "user", "content": [self.text_part(text)]}]

    def results_in(self, messages: Sequence[Part]) -> Iterator[tuple[str, str]]:
        names: dict[str | None, str] = {}
        for message in messages:
            for block in _list_of(message):
                use, result = block.either("toolUse"), block.either("toolResult")
                if use is not None:
                    names[use.word("toolUseId")] = use.word("name") or ""
                elif result is not None:
                    texts = (part.word("text") or "" for part in _list_of(result))
                    yield names.get(result.word("toolUseId"), ""), "".join(texts)

    def find_calls(self, response: Part) -> Iterator[FoundCall]:
        blocks = self._message(response).parts("content")
        cut_off = blocks[-1:] if response.get("stopReason") in STOPPED_MIDWAY else []
        for block in blocks:
            use = block.either("toolUse")
            # A tool of the provider's own is not ours to run.
            if use is not None and use.get("type") is None:
                where, call_id = use.at("toolUseId"), use.id("toolUseId")
                yield FoundCall(
                    where, call_id, use.text("name"), use.get("input"), block in cut_off
                )

    def text(self, response: Part) -> str:
        return "".join(
            block.word("text") or "" for block in self._message(response).parts("content")
        )

    def usage(self, response: Part) -> Usage | None:
        usage = response.either("usage")
        if usage is None:
            return None
        return Usage(
            count_of(usage, "inputTokens", "cacheReadInputTokens", "cacheWriteInputTokens"),
            count_of(usage, "outputTokens"),
            count_of(usage, "cacheReadInputTokens"),
        )

    def stop_value(self, response: Part) -> str | None:
        return response.word("stopReason")

    def unknown_calls(self, response: Part) -> Iterator[str]:
        for block in self._message(response).parts("content"):
            for kind in block.plain():
                if kind.endswith(("Use", "Call", "Request")) and kind != "toolUse":
                    yield kind

    def fold(self) -> Fold:
        return Events()

    def turn(self, response: Any) -> list[Any]:
        message = self._message(Part(self.target, response))
        blocks = message.parts("content")
        if any(_input_is_refused(block) for block in blocks):
            return [{**message.plain(), "content": [_to_request_block(block) for block in blocks]}]
        # The API refuses a message without content.
        return [message.data] if blocks else []

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
        for index, item in enumerate(content):
            if "document" in item:
                item["document"]["name"] = f"document {index} of {call}"
        return list(content)

    def text_part(self, text: str) -> dict[str, Any]:
        return {"text": text}

    def part(self, content_part: ContentPart) -> dict[str, Any] | None:
        from toolhaft.content import File, Image

        if isinstance(content_part, Image) and content_part.media_type in IMAGES:
            image = {
                "format": IMAGES[content_part.media_type],
                "source": {"bytes": content_part.data},
            }
            return {"image": image}
        if not isinstance(content_part, File) or content_part.media_type not in DOCUMENTS:
            return None
        kind, source = DOCUMENTS[content_part.media_type], {"bytes": content_part.data}
        return {"document": {"format": kind, "name": "document", "source": source}}

    def reply(self, reply_to: Any, turn: list[Any], results: list[Any]) -> list[Any]:
        del reply_to, turn
        return [{"role": "user", "content": results}] if results else []

    def _message(self, response: Part) -> Part:
        """The model's message, of a response or by itself."""
        if response.get("content") is not None:
            return response
        return response.part("output").part("message")


def _list_of(part: Part) -> list[Part]:
    return part.parts("content") if isinstance(part.get("content"), list | tuple) else []


def _input_is_refused(block: Part) -> bool:
    """Whether a block is a call whose input is no object: the API refuses to have that back."""
    use = block.either("toolUse")
    return use is not None and not isinstance(use.get("input"), Mapping)


def _to_request_block(block: Part) -> Any:
    if not _input_is_refused(block):
        return block.data
    use = block.part("toolUse")
    return {"toolUse": {**use.plain(), "input": arguments_as_object(use.get("input"))}}


class Events(Fold):
    """Events of one member each; blocks of text come without a start."""

    def __init__(self) -> None:
        self._head: dict[str, Any] = {}
        self._role: Any = "assistant"
        self._blocks = Pieces()
        self._ended = False

    def take(self, event: Part) -> None:
        match next(iter(event.plain()), None):
            case "messageStart":
                self._role = event.part("messageStart").text("role")
            case "contentBlockStart":
                start = event.part("contentBlockStart")
                self._blocks.begin(
                    start.index("contentBlockIndex"), _start_block(start.part("start"))
                )
            case "contentBlockDelta":
                delta = event.part("contentBlockDelta")
                self._blocks.add(delta.index("contentBlockIndex"), _piece(delta.part("delta")))
            case "messageStop":
                self._head |= event.part("messageStop").plain()
                self._ended = True
            case "metadata":
                self._head |= event.part("metadata").plain()
            case "contentBlockStop":
                pass
            case str() as kind if kind.endswith("Exception"):
                raise reported_error(event)
            case _:
                reason = "another event; expected one of converse_stream"
                raise WireError(event.provider, event.path, reason)

    def text(self, event: Part) -> str:
        delta = event.either("contentBlockDelta")
        piece = None if delta is None else delta.either("delta")
        return "" if piece is None else piece.word("text") or ""

    def missing(self) -> str | None:
        return None if self._ended else "messageStop"

    def response(self) -> Any:
        content = [self._block(pieces) for pieces in self._blocks.values]
        return {**self._head, "output": {"message": {"role": self._role, "content": content}}}

    def _block(self, pieces: list[dict[str, Any]]) -> dict[str, Any]:
        block: dict[str, Any] = join_pieces(pieces)
        if "citationsContent" in block:
            cited = {"content": [{"text": block.get("text", "")}], **block["citationsContent"]}
            return {"citationsContent": cited}
        if "toolUse" in block:
            arguments = block["toolUse"].get("input") or ""
            use = {
                **block["toolUse"],
                "input": parse_object(arguments) if self._ended else arguments,
            }
            return {"toolUse": use}
        return block


def _start_block(start: Part) -> dict[str, Any]:
    return {kind: start.part(kind).plain() for kind in start.plain()}


def _piece(delta: Part) -> dict[str, Any]:
    """Return the part that a delta adds to its block, in the form of a whole block."""
    piece = delta.plain()
    if "toolUse" in piece:
        return {"toolUse": {"input": delta.part("toolUse").text("input")}}
    if "citation" in piece:
        return {"citationsContent": {"citations": [piece["citation"]]}}
    if "toolResult" in piece:
        return {"toolResult": {"content": piece["toolResult"]}}
    reasoning = delta.either("reasoningContent")
    if reasoning is not None and reasoning.get("redactedContent") is None:
        return {"reasoningContent": {"reasoningText": reasoning.plain()}}
    return piece


PROVIDERS: Final = {"bedrock": Bedrock()}
