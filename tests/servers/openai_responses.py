"""OpenAI's Responses API: `POST /responses`.

Written after the types of openai 3.52.0 and the words of the API's own errors, read 2026-11-21.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from tests.servers.loopback import Body, Request, Wire
from tests.servers.script import Refused, Turn, only, pieces

__all__ = ["OpenAIResponses"]

NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
ITEMS = {
    "function_call": "type id call_id name arguments status",
    "function_call_output": "type id call_id output status",
    "message": "type id role content status phase",
    "reasoning": "type id summary content encrypted_content status",
}


class OpenAIResponses(Wire):
    """A model that thinks before it calls, as an item of its own that must come back."""

    def check(self, request: Request) -> None:
        body = request.body
        if not request.path.endswith("/responses") or "authorization" not in request.headers:
            raise Refused(f"Invalid URL (POST {request.path})")
        for tool in body.get("tools", ()):
            if not NAME.fullmatch(tool["name"]):
                raise Refused("Invalid 'tools[0].name': string does not match pattern")
            if tool["parameters"]["type"] != "object" or type(tool["strict"]) is not bool:
                raise Refused("Invalid schema for function")
        items = [dict(item) for item in body["input"]]
        for place, item in enumerate(items):
            self._item(f"input[{place}]", item)
        _paired(items)
        if any(item not in self.said for item in items if "id" in item):
            raise Refused("the model's own items are not what the model said")

    def _item(self, where: str, item: Body) -> None:
        kind = item.get("type", "message")
        if kind not in ITEMS:
            raise Refused(f"Invalid value: '{kind}'. {where}.type")
        only(where, item, ITEMS[kind])
        if kind == "message" and item["role"] not in ("user", "assistant", "system", "developer"):
            raise Refused(f"Invalid value for {where}.role")

    def streams(self, request: Request) -> bool:
        return bool(request.body.get("stream"))

    def response(self, turn: Turn) -> Body:
        number = len(self.said)
        output: list[Body] = []
        if turn.calls:
            output.append(
                {
                    "type": "reasoning",
                    "id": f"rs_{number}",
                    "summary": [],
                    "encrypted_content": "gAAAA",
                }
            )
        if turn.text:
            part = {"type": "output_text", "text": turn.text, "annotations": []}
            output.append(
                {
                    "type": "message",
                    "id": f"msg_{number}",
                    "role": "assistant",
                    "status": "completed",
                    "content": [part],
                }
            )
        output += [
            {
                "type": "function_call",
                "id": f"fc_{call.id}",
                "call_id": call.id,
                "name": call.name,
                "arguments": call.text,
                "status": "completed",
            }
            for call in turn.calls
        ]
        self.said += output
        return {
            "id": f"resp_{number}",
            "object": "response",
            "created_at": 0,
            "status": "completed",
            "model": "gpt-test",
            "output": output,
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": [],
            "usage": _usage(*turn.used),
        }

    def events(self, response: Body) -> Iterator[tuple[str | None, Body]]:
        begun = {**response, "status": "in_progress", "output": [], "usage": None}
        bare: list[tuple[str, Body]] = [("response.created", {"response": begun})]
        bare.append(("response.in_progress", {"response": begun}))
        for index, item in enumerate(response["output"]):
            empty = _emptied(item)
            bare.append(("response.output_item.added", {"output_index": index, "item": empty}))
            place: Body = {"output_index": index, "item_id": item["id"]}
            bare += [(name, {**place, **data}) for name, data in _deltas(item)]
            bare.append(("response.output_item.done", {"output_index": index, "item": item}))
        bare.append(("response.completed", {"response": response}))
        for number, (name, data) in enumerate(bare):
            yield name, {"type": name, "sequence_number": number, **data}

    def error(self, reason: str) -> Body:
        kind = "invalid_request_error"
        return {"error": {"message": reason, "type": kind, "param": "input", "code": None}}


def _usage(sent: int, generated: int, cached: int, reasoning: int) -> Body:
    return {
        "input_tokens": sent,
        "input_tokens_details": {"cached_tokens": cached, "cache_write_tokens": 0},
        "output_tokens": generated,
        "output_tokens_details": {"reasoning_tokens": reasoning},
        "total_tokens": sent + generated,
    }


def _paired(items: list[Body]) -> None:
    """Each call has exactly one output, after it; each thought has what it led to."""
    called: dict[str, int] = {}
    for place, item in enumerate(items):
        kind = item.get("type")
        if kind == "function_call":
            if item["call_id"] in called:
                raise Refused(f"Duplicate item found with call_id {item['call_id']}.")
            called[item["call_id"]] = 0
        if kind == "function_call_output":
            call_id = item["call_id"]
            if call_id not in called:
                raise Refused(f"No tool call found for function call output {call_id}.")
            called[call_id] += 1
            if not isinstance(item["output"], str | list):
                raise Refused(f"Invalid type for 'input[{place}].output'.")
        following: Any = items[place + 1].get("type") if place + 1 < len(items) else None
        if kind == "reasoning" and following not in ("message", "function_call", "reasoning"):
            name = item["id"]
            raise Refused(f"Item '{name}' of type 'reasoning' was provided without its required")
    for call_id, answers in called.items():
        if answers != 1:
            raise Refused(f"No tool output found for function call {call_id}.")


def _emptied(item: Body) -> Body:
    if item["type"] == "function_call":
        return {**item, "arguments": "", "status": "in_progress"}
    if item["type"] == "message":
        return {**item, "content": [], "status": "in_progress"}
    return item


def _deltas(item: Body) -> Iterator[tuple[str, Body]]:
    if item["type"] == "function_call":
        name = "response.function_call_arguments"
        yield from ((f"{name}.delta", {"delta": one}) for one in pieces(item["arguments"]))
        yield f"{name}.done", {"arguments": item["arguments"], "name": item["name"]}
    elif item["type"] == "message":
        [part] = item["content"]
        at = {"content_index": 0}
        yield "response.content_part.added", {**at, "part": {**part, "text": ""}}
        for one in pieces(part["text"]):
            yield "response.output_text.delta", {**at, "delta": one, "logprobs": []}
        yield "response.output_text.done", {**at, "text": part["text"], "logprobs": []}
        yield "response.content_part.done", {**at, "part": part}
