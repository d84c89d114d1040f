"""Anthropic's tool runner, on a transport that answers as the API does."""

from __future__ import annotations

import json
from base64 import b64decode
from typing import Any

import httpx2
from anthropic import Anthropic, AsyncAnthropic
from anthropic.lib.tools import ToolError

from tests.frameworks.driver import (
    NOT_READ,
    ONE_SENT,
    Call,
    Loss,
    Seen,
    keep_text,
    read_text,
    show_flagged,
)
from toolhaft.call.feedback import APPROVAL
from toolhaft.frameworks.anthropic import to_anthropic as to_host

shown = show_flagged
returned = keep_text
DECLINED = ""
LISTS_BY_RUN, SIDE_BY_SIDE = False, False
NOBODY = Loss("the runner asks nobody: the call says that it waits", Seen(APPROVAL, True))
LOSSES = {
    "key twice": Loss(ONE_SENT, Seen('{"root":{"label":"b"}}', False)),
    "text cut off": Loss(NOT_READ, None),
    "Python's text": Loss(NOT_READ, None),
    "approved": NOBODY,
    "declined": NOBODY,
    "unknown tool": Loss("the runner's own text", Seen("Error: Tool 'nope' not found")),
}


class Api:
    """Answers with its calls, then with text; keeps the results that it is sent."""

    def __init__(self, *calls: tuple[str, Any]) -> None:
        uses = [
            {"type": "tool_use", "id": f"call-{number}", "name": name, "input": arguments}
            for number, (name, arguments) in enumerate(calls, 1)
        ]
        self.answers: list[Any] = [uses, [{"type": "text", "text": "done"}]]
        self.last: Any = None
        self.shown: list[str] = []

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        sent = json.loads(request.content)
        self.last = sent["messages"][-1]["content"]
        self.shown = self.shown or [tool["name"] for tool in sent["tools"]]
        content = self.answers.pop(0)
        return httpx2.Response(
            200,
            json={
                "id": "msg-1",
                "type": "message",
                "role": "assistant",
                "model": "fake",
                "content": content,
                "stop_reason": "tool_use" if self.answers else "end_turn",
                "usage": {"input_tokens": 1, "output_tokens": 1},
            },
        )

    def seen(self) -> Seen:
        [result] = self.last
        content = result["content"]
        failed = result.get("is_error", False)
        if isinstance(content, str):
            return Seen(content, failed)
        text = "\n".join(part["text"] for part in content if part["type"] == "text")
        images = [b64decode(p["source"]["data"]) for p in content if p["type"] == "image"]
        return Seen(text, failed, tuple(images))


ASK: Any = {"model": "fake", "max_tokens": 9, "messages": [{"role": "user", "content": "go"}]}


async def run(tools: Any, name: str, text: str, *, context: Any = None) -> Seen | None:
    arguments = read_text(text, lists=True)
    if arguments is None:
        return None
    api = Api((name, arguments))
    await ask(api, to_host(tools, context=context))
    return api.seen()


async def ask(api: Api, tools: list[Any]) -> None:
    http = httpx2.AsyncClient(transport=httpx2.MockTransport(api))
    async with AsyncAnthropic(api_key="none", http_client=http) as client:
        await client.beta.messages.tool_runner(tools=tools, **ASK).until_done()


async def run_calls(tools: Any, calls: list[Call], context: Any) -> list[str]:
    api = Api(*((call.name, json.loads(call.text)) for call in calls))
    await ask(api, to_host(tools, context=context))
    return api.shown


def run_sync(tools: Any, name: str, text: str) -> Seen:
    api = Api((name, json.loads(text)))
    http = httpx2.Client(transport=httpx2.MockTransport(api))
    with Anthropic(api_key="none", http_client=http) as client:
        client.beta.messages.tool_runner(tools=to_host(tools, sync=True), **ASK).until_done()
    return api.seen()


async def decide(tools: Any, name: str, text: str, approved: bool) -> Seen | None:
    del approved
    seen = await run(tools, name, text)
    return seen if seen == NOBODY.instead else None


def sent(tool: Any, _strict: bool) -> Any:
    return tool.to_dict()["input_schema"]


def steer() -> None:
    raise ToolError([{"type": "text", "text": "not today"}])


async def is_steered(tools: Any, name: str) -> bool:
    return await run(tools, name, "{}") == Seen("not today", True)
