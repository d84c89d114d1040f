"""Anthropic's Messages API.

Read on 2026-11-20 from anthropic 2.11.0 (`ToolParam`, `ToolUseBlock`, `ToolResultBlockParam`,
`RawMessageStreamEvent`) and Anthropic's guides to tool use and streaming: all results of a turn
go into one user message, with `is_error` where a call failed; a call that the token limit cut off
stands last, with whatever was there of its input, and is not to be run. A result may hold images of
four kinds, and PDF or text as documents. Code that calls tools needs version 20260120 of the tool
that runs it, or a later one (guide to programmatic tool calling, 2026-11-28).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Final

from toolhaft.call.outcome import Err, Ok
from toolhaft.errors import ToolhaftError, WireError
from toolhaft.lowering.plan import PlannedTool
from toolhaft.providers.deferred import Entry
from toolhaft.providers.ending import StopReason, Usage, count_of
from toolhaft.providers.provider import Provider, arguments_as_object
from toolhaft.providers.response import FoundCall, Part, is_code_execution, read_caller
from toolhaft.providers.streams import (
    Fold,
    Pieces,
    join_pieces,
    parse_object,
    reported_error,
    to_object,
)
from toolhaft.tools.tool import AnyTool

if TYPE_CHECKING:
    from toolhaft.content import File, Image
    from toolhaft.content import Part as ContentPart

__all__ = ["PROVIDERS"]

IMAGES: Final = frozenset({"image/jpeg", "image/png", "image/gif", "image/webp"})
CALLERS: Final = {"direct": "direct", "programmatic": "code_execution_20260120"}
PDF: Final = "application/pdf"
THINKING: Final = ("thinking", "redacted_thinking")
CALLS: Final = ("_use", "_call", "_request")
# Our calls, and calls that the provider answers itself.
KNOWN_CALLS: Final = ("tool_use", "server_tool_use", "mcp_tool_use")
SEARCH_TOOL: Final = {"type": "tool_search_tool_bm25_20251119", "name": "tool_search_tool_bm25"}
STOPPED_MIDWAY: Final = ("max_tokens", "model_context_window_exceeded", "refusal")


class Anthropic(Provider):
    """Calls are blocks of the message; results are blocks of one user message."""

    target = "anthropic"
    answer_parameter = "output_config.format"
    stop_values: ClassVar[Mapping[str, StopReason]] = MappingProxyType(
        {
            "end_turn": "done",
            "stop_sequence": "done",
            "tool_use": "done",
            "pause_turn": "paused",
            "compaction": "paused",
            "max_tokens": "length",
            "model_context_window_exceeded": "length",
            "refusal": "refusal",
        }
    )
    runs_programs = True
    has_search = True

    def with_search(self, *, native: bool) -> Provider:
        return AnthropicSearch(native=native)

    def declare(self, tool: AnyTool, planned: PlannedTool) -> dict[str, Any]:
        examples = [planned.lowered.lens.put(example) for example in tool.examples or ()]
        callers = [CALLERS[origin] for origin in sorted(tool.allowed_callers or ())]
        return {
            "name": planned.wire_name,
            **planned.description_field,
            "input_schema": planned.schema,
            **({"strict": True} if planned.strict else {}),
            **({"input_examples": examples} if examples else {}),
            **({"allowed_callers": callers} if callers else {}),
        }

    def answer_request(self, planned: PlannedTool) -> dict[str, Any]:
        return {"output_config": {"format": {"type": "json_schema", "schema": planned.schema}}}

    def answer_text(self, response: Part) -> str:
        """Return the texts after the last block of another kind, such as the provider's search."""
        texts: list[str] = []
        for block in response.parts("content"):
            if block.get("type") == "text":
                texts.append(block.text("text"))
            elif block.get("type") not in THINKING:
                texts = []
        return "".join(texts)

    def find_calls(self, response: Part) -> Iterator[FoundCall]:
        blocks = response.parts("content")
        cut_off = blocks[-1:] if response.get("stop_reason") in STOPPED_MIDWAY else []
        for block in blocks:
            if block.get("type") == "tool_use":
                name, arguments = block.text("name"), block.get("input")
                caller = read_caller(block, is_code_execution)
                found = block.at("id"), block.id("id"), name, arguments, block in cut_off
                yield FoundCall(*found, *caller)

    def text(self, response: Part) -> str:
        blocks = response.parts("content")
        return "".join(block.word("text") or "" for block in blocks if block.get("type") == "text")

    def usage(self, response: Part) -> Usage | None:
        usage = response.either("usage")
        cached = "cache_creation_input_tokens", "cache_read_input_tokens"
        sent = count_of(usage, "input_tokens", *cached)
        generated = count_of(usage, "output_tokens")
        if usage is None or (sent is None and generated is None):
            return None
        return Usage(
            sent,
            generated,
            count_of(usage, "cache_read_input_tokens"),
            count_of(usage.either("output_tokens_details"), "thinking_tokens"),
        )

    def stop_value(self, response: Part) -> str | None:
        return response.word("stop_reason")

    def unknown_calls(self, response: Part) -> Iterator[str]:
        for block in response.parts("content"):
            kind = block.word("type") or ""
            if kind.endswith(CALLS) and kind not in KNOWN_CALLS:
                yield kind

    def fold(self) -> Fold:
        return Events()

    def turn(self, response: Any) -> list[Any]:
        blocks = [
            _to_request_block(block) for block in Part(self.target, response).parts("content")
        ]
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

    def part(self, content_part: ContentPart) -> dict[str, Any] | None:
        from toolhaft.content import File, Image

        if isinstance(content_part, Image) and content_part.media_type in IMAGES:
            return {"type": "image", "source": _base64(content_part)}
        if not isinstance(content_part, File):
            return None
        title = {"title": content_part.name} if content_part.name else {}
        if content_part.media_type == PDF:
            return {"type": "document", "source": _base64(content_part), **title}
        if content_part.text is None:
            return None
        source = {"type": "text", "media_type": "text/plain", "data": content_part.text}
        return {"type": "document", "source": source, **title}

    def reply(self, reply_to: Any, turn: list[Any], results: list[Any]) -> list[Any]:
        del reply_to, turn
        return [{"role": "user", "content": results}] if results else []


def _base64(content_part: Image | File) -> dict[str, Any]:
    return {"type": "base64", "media_type": content_part.media_type, "data": content_part.base64}


def _to_request_block(block: Part) -> Any:
    """Return a block as it was received; the API rejects a call whose input is not an object."""
    if block.get("type") != "tool_use" or isinstance(block.get("input"), Mapping):
        return block.data
    return {**block.plain(), "input": arguments_as_object(block.get("input"))}


class Events(Fold):
    """Events that begin blocks and go on with them, between two that begin and end the message."""

    def __init__(self) -> None:
        self._message: Part | None = None
        self._head: dict[str, Any] = {"type": "message", "role": "assistant"}
        self._usage: dict[str, Any] = {}
        self._blocks = Pieces()
        self._ended = False

    def take(self, event: Part) -> None:
        match event.text("type"):
            case "message_start":
                self._message = event.part("message")
                self._say(self._message, self._message.either("usage"))
            case "content_block_start":
                self._blocks.begin(event.index("index"), event.part("content_block").plain())
            case "content_block_delta":
                self._go_on(event)
            case "message_delta":
                self._say(event.part("delta"), event.either("usage"))
            case "message_stop":
                self._ended = True
            case "error":
                raise reported_error(event)
            case _:
                pass

    def _go_on(self, event: Part) -> None:
        index = event.index("index")
        if index not in self._blocks:
            reason = "no content block has begun there"
            raise WireError(event.provider, event.at("index"), reason)
        self._blocks.add(index, _piece(event.part("delta")))

    def _say(self, message: Part, usage: Part | None) -> None:
        """Merge the fields of the message, and the counts, which are totals."""
        self._head |= message.plain()
        counts = {} if usage is None else usage.plain()
        self._usage |= {key: count for key, count in counts.items() if count is not None}

    def text(self, event: Part) -> str:
        delta = event.either("delta", "content_block")
        is_text = delta is not None and delta.get("type") in ("text", "text_delta")
        return (delta.word("text") or "") if delta is not None and is_text else ""

    def missing(self) -> str | None:
        return None if self._ended else "message_stop"

    def response(self) -> Any:
        content = [self._block(pieces) for pieces in self._blocks.values]
        usage = {"usage": self._usage} if self._usage else {}
        return {**self._head, **usage, "content": content}

    def whole(self) -> Any:
        return to_object(self._message, self.response())

    def _block(self, pieces: list[dict[str, Any]]) -> dict[str, Any]:
        block: dict[str, Any] = join_pieces({**piece, "input": None} for piece in pieces)
        del block["input"]
        if "input" not in pieces[0]:
            return block
        text = join_pieces(piece.get("input") for piece in pieces[1:])
        # Compatible servers may send the input whole in the first event.
        arguments = text or pieces[0]["input"] or ""
        return {**block, "input": parse_object(arguments) if self._ended else arguments}


def _piece(delta: Part) -> dict[str, Any]:
    """Return the part that a delta adds to its block, under the block's own keys."""
    piece = delta.plain()
    match piece.pop("type", None):
        case "input_json_delta":
            return {"input": delta.text("partial_json")}
        case "citations_delta":
            return {"citations": [delta.part("citation").plain()]}
        case _:
            return piece


class AnthropicSearch(Anthropic):
    """Conversations in which tools are deferred: every request declares all of them.

    The search is Anthropic's own if `native`, otherwise our tool, whose results refer to tools. Not
    every tool may be deferred, and the one that searches never is. One with `cache_control` may not
    be (guide to the tool search tool, 2026-11-28).
    """

    declares_found = False

    def __init__(self, *, native: bool) -> None:
        self.native = native

    def arrange(self, entries: Sequence[Entry], found: Sequence[str]) -> list[Any]:
        del found
        if self.native and any(e.planned.wire_name == SEARCH_TOOL["name"] for e in entries):
            fix = 'rename the tool, or use Toolset(search="local")'
            raise ToolhaftError(
                f"export: search: Anthropic's own search is named {SEARCH_TOOL['name']}; {fix}"
            )
        declared = [
            _deferred(entry.declaration) if entry.tool.defer else entry.declaration
            for entry in entries
        ]
        return [*declared, dict(SEARCH_TOOL)] if self.native else declared

    def found_result(
        self, outcome: Ok[Any] | Err, name: str, found: Sequence[Entry]
    ) -> dict[str, Any]:
        result = self.result(outcome, name, None)
        references = [
            {"type": "tool_reference", "tool_name": entry.planned.wire_name} for entry in found
        ]
        return {**result, "content": references} if references else result


def _deferred(declaration: dict[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in declaration.items() if key != "cache_control"}
    return {**kept, "defer_loading": True}


PROVIDERS: Final = {"anthropic": Anthropic()}
