"""OpenAI's Chat Completions API, which many others speak too: `POST /chat/completions`.

Written after the types of openai 3.52.0 and the words of the API's own errors, read 2026-11-21.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tests.servers.loopback import Body, Request, Wire
from tests.servers.script import Refused, Turn, pieces

__all__ = ["OpenAIChat"]

NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


class OpenAIChat(Wire):
    """Calls stand in the assistant's message; each is answered by a message of its own."""

    end = b"data: [DONE]\n\n"
    counts = False

    def check(self, request: Request) -> None:
        body = request.body
        if not request.path.endswith("/chat/completions"):
            raise Refused(f"Invalid URL (POST {request.path})")
        for tool in body.get("tools", ()):
            if not NAME.fullmatch(tool["function"]["name"]):
                raise Refused("Invalid 'tools[0].function.name'")
        _paired(body["messages"])
        sent = [one for one in body["messages"] if one["role"] == "assistant"]
        if any(one.get("tool_calls") not in self.said for one in sent):
            raise Refused("the model's own messages are not what the model said")

    def streams(self, request: Request) -> bool:
        options = request.body.get("stream_options") or {}
        self.counts = bool(options.get("include_usage"))
        return bool(request.body.get("stream"))

    def response(self, turn: Turn) -> Body:
        calls = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.text},
            }
            for call in turn.calls
        ]
        self.said.append(calls or None)
        message = {"role": "assistant", "content": turn.text or None}
        choice = {
            "index": 0,
            "finish_reason": "tool_calls" if calls else "stop",
            "message": {**message, "tool_calls": calls} if calls else message,
        }
        usage = _usage(*turn.used)
        return {**HEAD, "object": "chat.completion", "choices": [choice], "usage": usage}

    def events(self, response: Body) -> Iterator[tuple[str | None, Body]]:
        [choice] = response["choices"]
        message = choice["message"]
        deltas: list[Body] = [{"role": "assistant", "content": None if message["content"] else ""}]
        deltas += [{"content": one} for one in pieces(message["content"] or "")]
        for index, call in enumerate(message.get("tool_calls", ())):
            function = call["function"]
            start = {**call, "index": index, "function": {**function, "arguments": ""}}
            deltas.append({"tool_calls": [start]})
            deltas += [
                {"tool_calls": [{"index": index, "function": {"arguments": one}}]}
                for one in pieces(function["arguments"])
            ]
        for delta in deltas:
            yield None, _chunk(delta, None)
        yield None, _chunk({}, choice["finish_reason"])
        if self.counts:
            counted = {"choices": [], "usage": response["usage"]}
            yield None, {**HEAD, "object": "chat.completion.chunk", **counted}

    def error(self, reason: str) -> Body:
        return {"error": {"message": reason, "type": "invalid_request_error"}}


HEAD = {"id": "chatcmpl-1", "created": 0, "model": "gpt-test"}


def _usage(sent: int, generated: int, cached: int, reasoning: int) -> Body:
    return {
        "prompt_tokens": sent,
        "prompt_tokens_details": {"cached_tokens": cached},
        "completion_tokens": generated,
        "completion_tokens_details": {"reasoning_tokens": reasoning},
        "total_tokens": sent + generated,
    }


def _chunk(delta: Body, reason: str | None) -> Body:
    choice = {"index": 0, "delta": delta, "finish_reason": reason, "logprobs": None}
    return {**HEAD, "object": "chat.completion.chunk", "choices": [choice]}


def _paired(messages: list[Body]) -> None:
    """The messages after one with calls answer each of them once."""
    open_calls: list[str] = []
    for message in messages:
        if message["role"] == "tool":
            if message["tool_call_id"] not in open_calls:
                raise Refused("messages with role 'tool' must be a response to 'tool_calls'")
            open_calls.remove(message["tool_call_id"])
        elif open_calls:
            break
        open_calls += [call["id"] for call in message.get("tool_calls") or ()]
    if open_calls:
        raise Refused(f"tool_call_ids did not have response messages: {', '.join(open_calls)}")
