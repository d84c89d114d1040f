"""Google's Gemini API: `generateContent`, as google-genai and plain JSON write it.

Read on 2026-11-20 from google-genai 2.34.0 (`FunctionDeclaration`, `FunctionCall`,
`FunctionResponse`, `FunctionCallingConfig`). The two fields for parameters exclude each other:
`gemini` uses the one that takes JSON Schema, `gemini-openapi` the other. A result has `output` or
`error`, and the name; ids are optional. A tool without parameters must leave them out. Strictness
is the request's: in the mode `VALIDATED` the API holds every call to its schema. From Gemini 3 on
a result may have images and documents beside its text, which names each of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from toolhaft.call.outcome import Err, Ok
from toolhaft.errors import WireError
from toolhaft.lowering.plan import Planned
from toolhaft.providers.provider import Found, Provider
from toolhaft.providers.response import Part
from toolhaft.tools import AnyTool

if TYPE_CHECKING:
    from toolhaft.content import Part as Shown

__all__ = ["PROVIDERS"]

INLINE: Final = frozenset(
    {"image/png", "image/jpeg", "image/webp", "application/pdf", "text/plain"},
)


class Gemini(Provider):
    """Calls are parts of the candidate's content; results are parts of one user content."""

    def __init__(self, target: str, field: str) -> None:
        self.target = target
        self.field = field

    def declare(self, tool: AnyTool, planned: Planned) -> dict[str, Any]:
        del tool
        schema = planned.schema
        empty = not schema.get("properties") and not schema.get("additionalProperties")
        parameters = {} if empty else {self.field: schema}
        return {"name": planned.wire_name, **planned.described, **parameters}

    def listed(self, declarations: list[Any]) -> list[Any]:
        return [{"functionDeclarations": declarations}] if declarations else []

    def request(self, tools: list[Any], *, strict: bool) -> dict[str, Any]:
        """Give what `generate_content` takes; other settings are merged into `config`."""
        mode = {"toolConfig": {"functionCallingConfig": {"mode": "VALIDATED"}}} if strict else {}
        return {"config": {"tools": tools, **mode}} if tools else {}

    def found(self, response: Part) -> Iterator[Found]:
        for part in _parts(self._content(response)):
            call = part.either("functionCall", "function_call")
            if call is not None:
                yield Found(call.at("id"), call.id("id"), call.text("name"), call.get("args"))

    def turn(self, response: Any) -> list[Any]:
        content = self._content(Part(self.target, response))
        return [content.data] if _parts(content) else []

    def result(self, outcome: Ok[Any] | Err, name: str, tool: AnyTool | None) -> dict[str, Any]:
        del tool
        said = {"output" if outcome else "error": outcome.text}
        response = {"id": self.call_id(outcome), "name": name, "response": said}
        content = outcome.content
        shown = () if isinstance(content, str) else content
        parts = [part for one in shown if not isinstance(one, str) and (part := self.part(one))]
        return {"functionResponse": {**response, "parts": parts} if parts else response}

    def part(self, shown: Shown) -> dict[str, Any] | None:
        from toolhaft.content import ResourceLink

        if isinstance(shown, ResourceLink) or shown.media_type not in INLINE:
            return None
        return {"inlineData": {"mimeType": shown.media_type, "data": shown.base64}}

    def reply(self, response: Any, results: list[Any]) -> list[Any]:
        del response
        return [{"role": "user", "parts": results}] if results else []

    def _content(self, response: Part) -> Part:
        """The model's content, of a response or of one candidate."""
        if response.get("content") is not None:
            return response.part("content")
        candidates = response.parts("candidates")
        if len(candidates) != 1:
            reason = f"there are {len(candidates)}; pass the candidate that is to be answered"
            raise WireError(self.target, "candidates", reason)
        return candidates[0].part("content")


def _parts(content: Part) -> list[Part]:
    return [] if content.get("parts") is None else content.parts("parts")


PROVIDERS: Final = {
    "gemini": Gemini("gemini", "parametersJsonSchema"),
    "gemini-openapi": Gemini("gemini-openapi", "parameters"),
}
