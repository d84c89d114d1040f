"""Google's Gemini API: `generateContent`, as google-genai and plain JSON write it.

Read on 2026-11-20 from google-genai 2.34.0 (`FunctionDeclaration`, `FunctionCall`,
`FunctionResponse`, `FunctionCallingConfig`). The two fields for parameters exclude each other:
`gemini` uses the one that takes JSON Schema, `gemini-openapi` the other. A result has `output` or
`error`, and the name; ids are optional. A tool without parameters must leave them out. Strictness
is the request's: in the mode `VALIDATED` the API holds every call to its schema. From Gemini 3 on
a result may have images and documents beside its text, which names each of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Final

from toolhaft.call.outcome import Err, Ok
from toolhaft.lowering.plan import PlannedTool
from toolhaft.providers.ending import StopReason, Usage, count_of
from toolhaft.providers.partial_args import call_of, is_continued, join_calls
from toolhaft.providers.provider import Provider
from toolhaft.providers.response import FoundCall, Part
from toolhaft.providers.streams import Fold, join_pieces
from toolhaft.tools.tool import AnyTool

if TYPE_CHECKING:
    from toolhaft.content import Part as ContentPart

__all__ = ["PROVIDERS"]

INLINE: Final = frozenset(
    {"image/png", "image/jpeg", "image/webp", "application/pdf", "text/plain"},
)


REFUSALS: Final = (
    "BLOCKLIST",
    "ESCALATION",
    "IMAGE_PROHIBITED_CONTENT",
    "IMAGE_RECITATION",
    "IMAGE_SAFETY",
    "JAILBREAK",
    "MODEL_ARMOR",
    "PROHIBITED_CONTENT",
    "RECITATION",
    "SAFETY",
    "SPII",
)
FAILURES: Final = (
    "IMAGE_OTHER",
    "LANGUAGE",
    "MALFORMED_FUNCTION_CALL",
    "MALFORMED_RESPONSE",
    "MISSING_THOUGHT_SIGNATURE",
    "NO_IMAGE",
    "OTHER",
    "PUP_LIMITED_DISABLED",
    "TOO_MANY_TOOL_CALLS",
    "UNEXPECTED_TOOL_CALL",
)
# Fields that a stream repeats or sends once, of a response and of a candidate.
HEAD: Final = ("usageMetadata", "promptFeedback", "modelVersion", "responseId", "createTime")
FIELDS: Final = (
    "finishReason",
    "finishMessage",
    "citationMetadata",
    "groundingMetadata",
    "urlContextMetadata",
    "safetyRatings",
    "tokenCount",
)
# At these the last call may be whole only by chance.
CUT_OFF: Final = ("MAX_TOKENS", "CONTINUATION")
# Our calls, and calls that the provider answers itself.
KNOWN_CALLS: Final = ("functionCall", "function_call", "toolCall", "tool_call")


class Gemini(Provider):
    """Calls are parts of the candidate's content; results are parts of one user content."""

    # The reason of a candidate, or of a prompt that was blocked.
    stop_values: ClassVar[Mapping[str, StopReason]] = MappingProxyType(
        {
            "STOP": "done",
            "FINISH_REASON_UNSPECIFIED": "done",
            "MAX_TOKENS": "length",
            # The limit of one request, where the program sends the next part of the answer itself.
            "CONTINUATION": "length",
            "BLOCKED_REASON_UNSPECIFIED": "refusal",
            **dict.fromkeys(REFUSALS, "refusal"),
            **dict.fromkeys(FAILURES, "failed"),
        }
    )

    def __init__(self, target: str, field: str, answer_field: str) -> None:
        self.target = target
        self.field = field
        self.answer_parameter = answer_field

    def declare(self, tool: AnyTool, planned: PlannedTool) -> dict[str, Any]:
        del tool
        schema = planned.schema
        empty = not schema.get("properties") and not schema.get("additionalProperties")
        parameters = {} if empty else {self.field: schema}
        return {"name": planned.wire_name, **planned.description_field, **parameters}

    def wrap_declarations(self, declarations: list[Any]) -> list[Any]:
        return [{"functionDeclarations": declarations}] if declarations else []

    def request(
        self, tools: list[Any], *, strict: bool, final: str | None = None
    ) -> dict[str, Any]:
        """Return the parameters of `generate_content`; other settings are merged into `config`."""
        del final
        mode = {"toolConfig": {"functionCallingConfig": {"mode": "VALIDATED"}}} if strict else {}
        return {"config": {"tools": tools, **mode}} if tools else {}

    def answer_request(self, planned: PlannedTool) -> dict[str, Any]:
        schema = {self.answer_parameter: planned.schema}
        return {"config": {"responseMimeType": "application/json", **schema}}

    def user_messages(self, text: str) -> list[Any]:
        return [{"role": "user", "parts": [{"text": text}]}]

    def results_in(self, messages: Sequence[Part]) -> Iterator[tuple[str, str]]:
        for content in messages:
            for part in _parts(content):
                answered = part.either("functionResponse")
                response = answered and answered.either("response")
                if answered is not None and response is not None:
                    yield answered.word("name") or "", response.word("output") or ""

    def find_calls(self, response: Part) -> Iterator[FoundCall]:
        candidate = _candidate(response)
        parts = _candidate_parts(candidate)
        cut_off = parts[-1:] if candidate.word("finishReason") in CUT_OFF else []
        for part in parts:
            call = call_of(part)
            if call is not None:
                name, arguments = call.text("name"), call.get("args")
                unfinished = part in cut_off or is_continued(call)
                yield FoundCall(call.at("id"), call.id("id"), name, arguments, unfinished)

    def text(self, response: Part) -> str:
        return _text(_candidate(response))

    def usage(self, response: Part) -> Usage | None:
        usage = response.either("usageMetadata")
        if usage is None:
            return None
        return Usage(
            count_of(usage, "promptTokenCount", "toolUsePromptTokenCount"),
            count_of(usage, "candidatesTokenCount", "thoughtsTokenCount"),
            count_of(usage, "cachedContentTokenCount"),
            count_of(usage, "thoughtsTokenCount"),
        )

    def stop_value(self, response: Part) -> str | None:
        candidate = _candidate(response)
        return candidate.word("finishReason") or candidate.word("blockReason")

    def unknown_calls(self, response: Part) -> Iterator[str]:
        for part in _candidate_parts(_candidate(response)):
            for kind in part.plain():
                if kind.endswith(("Call", "_call")) and kind not in KNOWN_CALLS:
                    yield kind

    def fold(self) -> Fold:
        return Chunks()

    def turn(self, response: Any) -> list[Any]:
        candidate = _candidate(Part(self.target, response))
        return [candidate.part("content").data] if _candidate_parts(candidate) else []

    def result(self, outcome: Ok[Any] | Err, name: str, tool: AnyTool | None) -> dict[str, Any]:
        del tool
        output = {"output" if outcome else "error": outcome.text}
        response = {"id": self.call_id(outcome), "name": name, "response": output}
        content = outcome.content
        content_parts = () if isinstance(content, str) else content
        parts = [
            part
            for content_part in content_parts
            if not isinstance(content_part, str) and (part := self.part(content_part))
        ]
        return {"functionResponse": {**response, "parts": parts} if parts else response}

    def part(self, content_part: ContentPart) -> dict[str, Any] | None:
        from toolhaft.content import ResourceLink

        if isinstance(content_part, ResourceLink) or content_part.media_type not in INLINE:
            return None
        return {"inlineData": {"mimeType": content_part.media_type, "data": content_part.base64}}

    def reply(self, reply_to: Any, turn: list[Any], results: list[Any]) -> list[Any]:
        """Answer in one message; a call that came without an id is answered without one."""
        del reply_to
        sent_ids = {
            call.id
            for content in turn
            for call in self.find_calls(Part(self.target, {"content": content}))
        }
        parts = [_without_unsent_id(part["functionResponse"], sent_ids) for part in results]
        return [{"role": "user", "parts": parts}] if parts else []


def _without_unsent_id(response: dict[str, Any], sent_ids: set[str | None]) -> dict[str, Any]:
    answered = (
        response if response["id"] in sent_ids else {k: v for k, v in response.items() if k != "id"}
    )
    return {"functionResponse": answered}


def _candidate(response: Part) -> Part:
    """Return the one candidate, or the feedback if the prompt was blocked."""
    feedback = response.either("promptFeedback")
    if feedback is not None and not response.get("candidates"):
        return feedback
    return response.only("content", among="candidates")


def _text(candidate: Part) -> str:
    content = candidate.either("content")
    parts = [] if content is None else _parts(content)
    return "".join(part.word("text") or "" for part in parts if not part.get("thought"))


def _candidate_parts(candidate: Part) -> list[Part]:
    """Return the parts of a candidate, or none if the provider withheld its content."""
    if candidate.word("finishReason") is None and candidate.get("blockReason") is None:
        return _parts(candidate.part("content"))
    content = candidate.either("content")
    return [] if content is None else _parts(content)


def _parts(content: Part) -> list[Part]:
    return [] if content.get("parts") is None else content.parts("parts")


class Chunks(Fold):
    """Responses that each have some parts of the candidates; of the rest the last counts."""

    def __init__(self) -> None:
        self._head: dict[str, Any] = {}
        self._parts: dict[int, list[Part]] = {}
        self._fields: dict[int, dict[str, Any]] = {}
        self._chunk: Any = None

    def take(self, event: Part) -> None:
        self._chunk = event.data
        self._head |= _present(event, HEAD)
        if event.get("candidates") is None and self._head:
            return
        for candidate in event.parts("candidates"):
            index = 0 if candidate.get("index") is None else candidate.index("index")
            content = candidate.either("content")
            self._fields.setdefault(index, {}).update(_present(candidate, FIELDS))
            self._parts.setdefault(index, []).extend([] if content is None else _parts(content))

    def text(self, event: Part) -> str:
        candidates = event.parts("candidates") if event.get("candidates") else []
        return "".join(_text(candidate) for candidate in candidates[:1])

    def missing(self) -> str | None:
        unfinished = [fields for fields in self._fields.values() if "finishReason" not in fields]
        # A prompt that was refused has no candidate.
        if not unfinished and (self._fields or "promptFeedback" in self._head):
            return None
        return "candidates[0].finishReason"

    def response(self) -> Any:
        candidates = [
            {
                "index": index,
                "content": {"role": "model", "parts": _join_adjacent(parts)},
                **self._fields[index],
            }
            for index, parts in sorted(self._parts.items())
        ]
        return {**self._head, "candidates": candidates}

    def whole(self) -> Any:
        validate = getattr(type(self._chunk), "model_validate", None)
        return self.response() if validate is None else validate(self.response())


def _present(part: Part, keys: Iterable[str]) -> dict[str, Any]:
    """Return the fields of a part that have a value."""
    return {key: part.get(key) for key in keys if part.get(key)}


def _join_adjacent(parts: list[Part]) -> list[Any]:
    """Join adjacent texts; a signature stays in the part that it came in."""
    joined_parts: list[Any] = []
    for kind, run in groupby(join_calls(parts), _kind_of_text):
        texts = list(run)
        if kind is None or not texts[1:]:
            joined_parts += [text.data for text in texts]
        else:
            joined_parts.append(join_pieces(text.plain() for text in texts))
    return joined_parts


def _kind_of_text(part: Part) -> str | None:
    """Return the kind of a text that can be joined with its neighbours, else None."""
    if not isinstance(part.get("text"), str) or part.get("thoughtSignature"):
        return None
    return "thought" if part.get("thought") else "text"


PROVIDERS: Final = {
    "gemini": Gemini("gemini", "parametersJsonSchema", "responseJsonSchema"),
    "gemini-openapi": Gemini("gemini-openapi", "parameters", "responseSchema"),
}
