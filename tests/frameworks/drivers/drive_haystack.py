"""Haystack's agent, and its mock generator."""

from __future__ import annotations

import os
from base64 import b64decode
from typing import Any

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"

from haystack.components.agents import Agent
from haystack.components.generators.chat import MockChatGenerator
from haystack.dataclasses import ChatMessage, ImageContent, TextContent, ToolCall

from tests.frameworks.driver import NOT_READ, ONE_SENT, Call, Loss, Seen, keep_text, read_text
from toolhaft import Err, Ok
from toolhaft.call.feedback import APPROVAL
from toolhaft.frameworks.haystack import to_haystack as to_host

returned = keep_text
DECLINED = ""
LISTS_BY_RUN, SIDE_BY_SIDE = False, True
NOBODY = Loss("Haystack asks nobody for a tool: the call says that it waits", Seen(APPROVAL, False))
LOSSES = {
    "key twice": Loss(ONE_SENT, Seen('{"root":{"label":"b"}}', False)),
    "text cut off": Loss(NOT_READ, None),
    "Python's text": Loss(NOT_READ, None),
    "a list": Loss(NOT_READ, None),
    "approved": NOBODY,
    "declined": NOBODY,
    "unknown tool": Loss(
        "Haystack's own text",
        Seen(
            "Tool 'nope' not found. Available tools: complain, crash, draw, echo, order, pay, "
            "plant, steered, wait, whoami"
        ),
    ),
    "control flow": Loss("Haystack has none for tools", None),
}


def agent(tools: Any, *calls: tuple[str, Any], **options: Any) -> Agent:
    made = [
        ToolCall(tool_name=name, arguments=arguments, id=f"call-{number}")
        for number, (name, arguments) in enumerate(calls, 1)
    ]
    model = MockChatGenerator([ChatMessage.from_assistant(tool_calls=made), "done"])
    return Agent(chat_generator=model, tools=to_host(tools, **options))


def seen(result: Any) -> Seen:
    [answer] = [each for message in result["messages"] for each in message.tool_call_results]
    content = answer.result
    if isinstance(content, str):
        return Seen(content, answer.error)
    text = "\n".join(part.text for part in content if isinstance(part, TextContent))
    images = [b64decode(part.base64_image) for part in content if isinstance(part, ImageContent)]
    return Seen(text, answer.error, tuple(images))


GO = [ChatMessage.from_user("go")]


async def run(tools: Any, name: str, text: str, *, context: Any = None) -> Seen | None:
    arguments = read_text(text)
    if arguments is None:
        return None
    return seen(await agent(tools, (name, arguments), context=context).run_async(GO))


async def run_calls(tools: Any, calls: list[Call], context: Any) -> list[str]:
    read = ((call.name, read_text(call.text)) for call in calls)
    running = agent(tools, *read, context=context)
    await running.run_async(GO)
    listed: Any = running.tools
    return [tool.name for tool in listed]


def run_sync(tools: Any, name: str, text: str) -> Seen:
    return seen(agent(tools, (name, read_text(text))).run(GO))


async def decide(tools: Any, name: str, text: str, approved: bool) -> Seen | None:
    del approved
    result = await run(tools, name, text)
    return result if result == NOBODY.instead else None


def shown(outcome: Ok[Any] | Err) -> Seen:
    """A refusal is a result."""
    return Seen(outcome.text, False)


def sent(tool: Any, _strict: bool) -> Any:
    return tool.tool_spec["parameters"]


def steer() -> None:
    return None


async def is_steered(tools: Any, name: str) -> bool:
    del tools, name
    return False
