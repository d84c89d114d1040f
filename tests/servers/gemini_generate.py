"""Google's Gemini API: `POST /v1beta/models/{model}:generateContent`, and the streaming twin.

google-genai 3.4.0 calls `/v1` instead.

Written after the types of google-genai 2.34.0 and the words of the API's own errors, read
2026-11-21.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tests.servers.loopback import Body, Request, Wire
from tests.servers.script import Refused, Turn, only, pieces

__all__ = ["GeminiGenerate"]

NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}")
# The API reads either spelling of a field; the SDK writes this one as it is in the protocol.
FIELDS = "name description parameters parametersJsonSchema parameters_json_schema"
PATH = re.compile(r"/v1(beta)?/models/[\w.-]+:(streamG|g)enerateContent(\?alt=sse)?")


class GeminiGenerate(Wire):
    """A model that signs its first call of a turn with its thought."""

    def check(self, request: Request) -> None:
        if not PATH.fullmatch(request.path):
            raise Refused(f"Requested entity was not found: {request.path}")
        only("body", request.body, "contents tools toolConfig generationConfig systemInstruction")
        setting = request.body.get("generationConfig", {})
        if "tools" in request.body and setting.get("responseMimeType") == "application/json":
            what = "Function calling with a response mime type: 'application/json'"
            raise Refused(f"{what} is unsupported")
        for tool in request.body.get("tools", ()):
            for one in tool["functionDeclarations"]:
                only("tools", one, FIELDS)
                if not NAME.fullmatch(one["name"]):
                    raise Refused("Invalid function name.")
        contents = request.body["contents"]
        for place, content in enumerate(contents):
            _well_formed(f"contents[{place}]", content)
        _paired(contents)
        sent = [one["parts"] for one in contents if one["role"] == "model"]
        if any(_kept(one) not in self.said for one in sent):
            raise Refused("Function call is missing a thought_signature in functionCall parts.")

    def streams(self, request: Request) -> bool:
        return ":stream" in request.path

    def response(self, turn: Turn) -> Body:
        parts: list[Body] = [{"text": turn.text}] if turn.text else []
        parts += [
            {"functionCall": {"id": call.id, "name": call.name, "args": call.arguments}}
            for call in turn.calls
        ]
        if turn.calls:
            parts[-len(turn.calls)]["thoughtSignature"] = "c2lnbmVk"
        self.said.append(_kept(parts))
        return _chunk(parts, "STOP", _usage(*turn.used))

    def events(self, response: Body) -> Iterator[tuple[str | None, Body]]:
        [candidate] = response["candidates"]
        for part in candidate["content"]["parts"]:
            texts = [{"text": one} for one in pieces(part.get("text", ""))]
            for piece in texts or [part]:
                yield None, _chunk([piece], None, {"promptTokenCount": 1})
        yield None, _chunk([], candidate["finishReason"], response["usageMetadata"])

    def error(self, reason: str) -> Body:
        return {"error": {"code": 400, "message": reason, "status": "INVALID_ARGUMENT"}}


def _usage(sent: int, generated: int, cached: int, reasoning: int) -> Body:
    return {
        "promptTokenCount": sent,
        "cachedContentTokenCount": cached,
        "candidatesTokenCount": generated - reasoning,
        "thoughtsTokenCount": reasoning,
        "totalTokenCount": sent + generated,
    }


def _chunk(parts: list[Body], reason: str | None, usage: Body) -> Body:
    content = {"role": "model", **({"parts": parts} if parts else {})}
    candidate: Body = {"index": 0, "content": content}
    if reason:
        candidate["finishReason"] = reason
    return {
        "candidates": [candidate],
        "modelVersion": "gemini-test",
        "responseId": "r1",
        "usageMetadata": usage,
    }


def _kept(parts: list[Body]) -> list[Body]:
    """The parts of a content that must return unchanged; text may return in other pieces."""
    text = "".join(part.get("text", "") for part in parts)
    return [{"text": text}, *(part for part in parts if "functionCall" in part)]


def _well_formed(where: str, content: Body) -> None:
    only(where, content, "role parts")
    if content["role"] not in ("user", "model"):
        raise Refused("Please use a valid role: user, model.")
    if not content.get("parts"):
        raise Refused(f"{where}.parts must not be empty.")
    for part in content["parts"]:
        only(f"{where}.parts", part, "text functionCall functionResponse thoughtSignature")
        response = part.get("functionResponse", {"response": {}})
        only(f"{where}.parts", response, "id name response parts")
        if not isinstance(response["response"], dict):
            raise Refused("Invalid value at 'contents[0].parts[0].function_response.response'")


def _paired(contents: list[Body]) -> None:
    """The content after one with calls has one response for each, and nothing else does."""
    expected: list[tuple[str, str]] = []
    for content in contents:
        found = [part.get("functionResponse") for part in content["parts"]]
        answers = [(one["id"], one["name"]) for one in found if one is not None]
        if sorted(answers) != sorted(expected):
            raise Refused(
                "Please ensure that the number of function response parts is equal to the number "
                "of function call parts of the function call turn."
            )
        calls = [part["functionCall"] for part in content["parts"] if "functionCall" in part]
        if calls and content["role"] != "model":
            raise Refused("Please ensure that function call turn comes after a user turn.")
        expected = [(one["id"], one["name"]) for one in calls]
    if expected:
        raise Refused("Please ensure that function response turn comes after a function call turn.")
