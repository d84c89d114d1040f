"""LlamaIndex's agent workflow, and its mock model."""

from __future__ import annotations

import json
from typing import Any

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.base.llms.types import ChatMessage, ImageBlock, TextBlock, ToolCallBlock
from llama_index.core.llms.mock import MockFunctionCallingLLM
from llama_index.core.workflow import HumanResponseEvent, InputRequiredEvent

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
from toolhaft.frameworks.llamaindex import to_llamaindex as to_host

shown = show_text
returned = keep_text
DECLINED = "This call was declined by a person and was not run: too much"
LISTS_BY_RUN, SIDE_BY_SIDE = False, True
LOSSES = {
    "key twice": Loss(ONE_SENT, Seen('{"root":{"label":"b"}}')),
    "text cut off": Loss(NOT_READ, None),
    "Python's text": Loss(NOT_READ, None),
    "a list": Loss(NOT_READ, None),
    "sync": Loss("there is no sync runner of agents", None),
    "unknown tool": Loss(
        "LlamaIndex's own text",
        Seen("Tool nope not found. Please select a tool that is available."),
    ),
}


class Script:
    """Makes its calls, then says that it is done; keeps the messages of the second turn."""

    def __init__(self, *calls: tuple[str, Any]) -> None:
        self.calls = [
            ToolCallBlock(tool_call_id=f"call-{number}", tool_name=name, tool_kwargs=arguments)
            for number, (name, arguments) in enumerate(calls, 1)
        ]
        self.last: list[Any] = []

    def __call__(self, messages: Any, **options: Any) -> Any:
        self.last = [message for message in messages if message.role == "tool"]
        if self.last:
            return ChatMessage("done", role="assistant")
        return ChatMessage(role="assistant", blocks=self.calls)

    def seen(self) -> Seen | None:
        if not self.last:
            return None
        [message] = self.last
        text = "\n".join(each.text for each in message.blocks if isinstance(each, TextBlock))
        images = [
            each.resolve_image().read() for each in message.blocks if isinstance(each, ImageBlock)
        ]
        return Seen(text, None, tuple(images))


def start(tools: Any, *calls: tuple[str, Any], **options: Any) -> tuple[Any, Script]:
    script = Script(*calls)
    model = MockFunctionCallingLLM(response_generator=script)
    agent = FunctionAgent(tools=to_host(tools, **options), llm=model, streaming=False)
    return agent.run(user_msg="go"), script


async def run(tools: Any, name: str, text: str, *, context: Any = None) -> Seen | None:
    arguments = read_text(text)
    if arguments is None:
        return None
    handler, script = start(tools, (name, arguments), context=context)
    try:
        await handler
    except BaseException:
        await handler.cancel_run()
        raise
    return script.seen()


async def run_calls(tools: Any, calls: list[Call], context: Any) -> list[str]:
    read = [(call.name, json.loads(call.text)) for call in calls]
    handler, _ = start(tools, *read, context=context)
    await handler
    return [tool.metadata.name for tool in to_host(tools, context=context)]


def run_sync(tools: Any, name: str, text: str) -> Seen | None:
    del tools, name, text
    return None


async def decide(tools: Any, name: str, text: str, approved: bool) -> Seen | None:
    handler, script = start(tools, (name, json.loads(text)))
    asked = []
    async for event in handler.stream_events():
        if isinstance(event, InputRequiredEvent):
            asked.append(event)
            answer: Any = {"response": approved or "too much", "digest": event.digest}
            handler.ctx.send_event(HumanResponseEvent(**answer))
    await handler
    return script.seen() if asked else None


def sent(tool: Any, _strict: bool) -> Any:
    return tool.metadata.to_openai_tool()["function"]["parameters"]


def steer() -> None:
    from workflows.runtime.types.results import AddWaiter, WaitingForEvent

    raise WaitingForEvent(
        AddWaiter(
            waiter_id="w",
            waiter_event=InputRequiredEvent(prefix="which?"),
            requirements={},
            timeout=None,
            event_type=HumanResponseEvent,
        )
    )


async def is_steered(tools: Any, name: str) -> bool:
    handler, _ = start(tools, (name, {}))
    async for event in handler.stream_events():
        if isinstance(event, InputRequiredEvent):
            await handler.cancel_run()
            return event.prefix == "which?"
    return False
