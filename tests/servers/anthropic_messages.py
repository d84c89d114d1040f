"""Anthropic's Messages API: `POST /v1/messages`.

Written after the types of anthropic 2.11.0 and the words of the API's own errors, read 2026-11-21.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from tests.servers.loopback import Body, Request, Wire
from tests.servers.script import Refused, Turn, only, pieces

__all__ = ["AnthropicMessages"]

NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
UNANSWERED = "`tool_use` ids were found without `tool_result` blocks immediately after"
STOPPED = {True: "tool_use", False: "end_turn"}
BLOCKS = {
    "text": "type text citations cache_control",
    "thinking": "type thinking signature",
    "tool_use": "type id name input cache_control caller",
    "tool_result": "type tool_use_id content is_error cache_control",
}


class AnthropicMessages(Wire):
    """A model that thinks before it calls; the signed thought must come back unchanged."""

    def check(self, request: Request) -> None:
        body = request.body
        if request.path != "/v1/messages" or "anthropic-version" not in request.headers:
            raise Refused("not_found")
        if type(body.get("max_tokens")) is not int:
            raise Refused("max_tokens: Field required")
        for tool in body.get("tools", ()):
            if not NAME.fullmatch(tool["name"]) or tool["input_schema"]["type"] != "object":
                raise Refused("tools.0.custom: Input should be valid")
        messages = body["messages"]
        if not messages or messages[0]["role"] != "user":
            raise Refused("messages: first message must use the user role")
        for place, message in enumerate(messages):
            _well_formed(f"messages.{place}", message)
        _paired(messages)
        if any(_blocks(one) not in self.said for one in messages if one["role"] == "assistant"):
            raise Refused("`thinking` blocks in the latest assistant message cannot be modified")

    def streams(self, request: Request) -> bool:
        return bool(request.body.get("stream"))

    def response(self, turn: Turn) -> Body:
        thought = {"type": "thinking", "thinking": "Hm, let me see.", "signature": "c2lnbmVk"}
        content: list[Body] = [thought] if turn.calls else []
        content += [{"type": "text", "text": turn.text}] if turn.text else []
        content += [
            {"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments}
            for call in turn.calls
        ]
        self.said.append(content)
        return {
            "id": f"msg_{len(self.said)}",
            "type": "message",
            "role": "assistant",
            "model": "claude-test",
            "content": content,
            "stop_reason": "pause_turn" if turn.paused else STOPPED[bool(turn.calls)],
            "stop_sequence": None,
            "usage": _usage(*turn.used),
        }

    def events(self, response: Body) -> Iterator[tuple[str | None, Body]]:
        usage = response["usage"]
        begun = {**response, "content": [], "stop_reason": None}
        yield _named("message_start", message={**begun, "usage": {**usage, "output_tokens": 1}})
        yield _named("ping")
        for index, block in enumerate(response["content"]):
            start, deltas = _parts(block)
            yield _named("content_block_start", index=index, content_block=start)
            for delta in deltas:
                yield _named("content_block_delta", index=index, delta=delta)
            yield _named("content_block_stop", index=index)
        stop = {key: response[key] for key in ("stop_reason", "stop_sequence")}
        yield _named("message_delta", delta=stop, usage=usage)
        yield _named("message_stop")

    def error(self, reason: str) -> Body:
        return {"type": "error", "error": {"type": "invalid_request_error", "message": reason}}


def _usage(sent: int, generated: int, cached: int, reasoning: int) -> Body:
    return {
        "input_tokens": sent - cached,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": cached,
        "output_tokens": generated,
        "output_tokens_details": {"thinking_tokens": reasoning},
    }


def _named(kind: str, **data: object) -> tuple[str, Body]:
    return kind, {"type": kind, **data}


def _parts(block: Body) -> tuple[Body, list[Body]]:
    """A block as it starts, and what is added to it."""
    if block["type"] == "tool_use":
        text = pieces(json.dumps(block["input"]))
        deltas = [{"type": "input_json_delta", "partial_json": one} for one in ["", *text]]
        return {**block, "input": {}}, deltas
    if block["type"] == "thinking":
        signed = {"type": "signature_delta", "signature": block["signature"]}
        thoughts = pieces(block["thinking"])
        deltas = [{"type": "thinking_delta", "thinking": one} for one in thoughts]
        return {**block, "thinking": "", "signature": ""}, [*deltas, signed]
    return {**block, "text": ""}, [
        {"type": "text_delta", "text": one} for one in pieces(block["text"])
    ]


def _blocks(message: Body) -> list[Body]:
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _well_formed(where: str, message: Body) -> None:
    only(where, message, "role content")
    if message["role"] not in ("user", "assistant") or not message["content"]:
        raise Refused(f"{where}: all messages must have non-empty content")
    for place, block in enumerate(_blocks(message)):
        only(f"{where}.content.{place}.{block['type']}", block, BLOCKS[block["type"]])


def _paired(messages: list[Body]) -> None:
    """The message after one with calls begins with one result for each."""
    expected: list[str] = []
    for place, message in enumerate(messages):
        blocks = _blocks(message)
        results = [one["tool_use_id"] for one in blocks if one["type"] == "tool_result"]
        if len(set(results)) != len(results):
            raise Refused("each tool_use must have a single result")
        if set(results) - set(expected):
            raise Refused(f"messages.{place}: unexpected `tool_use_id` found in `tool_result`")
        leading = [one["type"] for one in blocks[: len(results)]]
        if set(expected) - set(results) or set(leading) - {"tool_result"}:
            raise Refused(
                "`tool_use` ids were found without `tool_result` blocks immediately after"
            )
        expected = [one["id"] for one in blocks if one["type"] == "tool_use"]
    if expected:
        raise Refused(UNANSWERED)
