"""llm's chains, and a model of its own kind."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from typing import Any

import llm
from llm.models import PauseChain

from tests.frameworks.driver import (
    NOT_READ,
    ONE_SENT,
    Call,
    Loss,
    Seen,
    keep_text,
    read_text,
    show_text,
)
from toolhaft import Deny
from toolhaft.frameworks.llm import to_llm as to_host

shown = show_text
returned = keep_text
DECLINED = "This call was declined by a person and was not run: too much"
LISTS_BY_RUN, SIDE_BY_SIDE = False, True
LOSSES = {
    "key twice": Loss(ONE_SENT, Seen('{"root":{"label":"b"}}')),
    "text cut off": Loss(NOT_READ, None),
    "Python's text": Loss(NOT_READ, None),
    "a list": Loss(NOT_READ, None),
    "unknown tool": Loss("llm's own text", Seen('Error: tool "nope" does not exist')),
}


class Script:
    """The behaviour of both kinds of model: their calls, then the end."""

    model_id = "fake"
    supports_tools = True
    can_stream = False

    def __init__(self, *calls: tuple[str, Any]) -> None:
        self.calls = [llm.ToolCall(*call, f"call-{number}") for number, call in enumerate(calls, 1)]
        self.results: list[Any] = []
        self.shown: list[str] = []

    def step(self, prompt: Any, response: Any) -> str:
        self.shown = [tool.name for tool in prompt.tools]
        if not prompt.tool_results:
            for call in self.calls:
                response.add_tool_call(call)
            return ""
        self.results = prompt.tool_results
        return "done"

    def seen(self) -> Seen:
        [result] = self.results
        return Seen(result.output, None, tuple(each.content for each in result.attachments))


class Model(Script, llm.Model):
    def execute(
        self, prompt: Any, stream: Any, response: Any, conversation: Any = None, key: Any = None
    ) -> Any:
        yield self.step(prompt, response)


class AsyncModel(Script, llm.AsyncModel):
    async def execute(
        self, prompt: Any, stream: Any, response: Any, conversation: Any = None, key: Any = None
    ) -> AsyncGenerator[str]:
        yield self.step(prompt, response)


async def run(tools: Any, name: str, text: str, *, context: Any = None) -> Seen | None:
    arguments = read_text(text)
    if arguments is None:
        return None
    model = AsyncModel((name, arguments))
    bridged = to_host(tools, sync=False, context=context)
    await model.chain("go", tools=bridged, stream=False).text()
    return model.seen()


async def run_calls(tools: Any, calls: list[Call], context: Any) -> list[str]:
    model = AsyncModel(*((call.name, json.loads(call.text)) for call in calls))
    bridged = to_host(tools, sync=False, context=context)
    await model.chain("go", tools=bridged, stream=False).text()
    return model.shown


def run_sync(tools: Any, name: str, text: str) -> Seen:
    model = Model((name, json.loads(text)))
    model.chain("go", tools=to_host(tools), stream=False).text()
    return model.seen()


async def decide(tools: Any, name: str, text: str, approved: bool) -> Seen | None:
    try:
        await run(tools, name, text)
    except PauseChain:
        decision = approved or Deny("too much")
        return await run(tools.asking(approve=lambda _: decision), name, text)
    return None


def sent(tool: Any, _strict: bool) -> Any:
    return tool.input_schema


def steer() -> None:
    raise PauseChain("later")


async def is_steered(tools: Any, name: str) -> bool:
    try:
        await run(tools, name, "{}")
    except PauseChain as pause:
        return pause.args == ("later",)
    return False
