"""LangGraph runs LangChain's tools: a graph of a fake model and a `ToolNode`."""

from __future__ import annotations

from base64 import b64decode
from typing import Any

from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.output_parsers.openai_tools import make_invalid_tool_call, parse_tool_call
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.types import Command, interrupt

from tests.frameworks.driver import Call, Loss, Seen, keep_text, show_flagged
from toolhaft.frameworks.langchain import to_langchain as to_host

shown = show_flagged
returned = keep_text
DECLINED = "This call was declined by a person and was not run: too much"
LISTS_BY_RUN, SIDE_BY_SIDE = False, True
NOTHING = "LangChain runs no tool for text that it cannot read, and answers nothing"
LOSSES = {
    "key twice": Loss("LangChain keeps the last", Seen('{"root":{"label":"b"}}', False)),
    "text cut off": Loss(NOTHING, None),
    "Python's text": Loss(NOTHING, None),
    "a list": Loss(
        "an empty list is no arguments",
        Seen("Please rewrite the input with valid arguments. Errors: root: required", True),
    ),
    "unknown tool": Loss(
        "LangGraph's own text",
        Seen(
            "Error: nope is not a valid tool, try one of [complain, crash, draw, echo, order, pay, "
            "plant, steered, wait, whoami]."
        ),
    ),
    "schema": Loss("LangChain's pass inlines references, and writes a recursion as {}", None),
}
CONFIG: Any = {"configurable": {"thread_id": "1"}}


def message_of(calls: tuple[Call, ...]) -> AIMessage:
    raw = [
        {"id": f"call-{number}", "function": {"name": call.name, "arguments": call.text}}
        for number, call in enumerate(calls, 1)
    ]
    try:
        parsed = [parse_tool_call(each, return_id=True) for each in raw]
    except Exception as error:  # noqa: BLE001  as its chat models do
        invalid = [make_invalid_tool_call(each, str(error)) for each in raw]
        return AIMessage("", invalid_tool_calls=invalid)
    return AIMessage("", tool_calls=parsed)


def graph(tools: Any, *calls: Call, **options: Any) -> Any:
    """A model that makes calls, and the node that runs them."""
    message = message_of(calls)
    model = GenericFakeChatModel(messages=iter([message]))
    builder = StateGraph(MessagesState, context_schema=dict)
    builder.add_node("model", lambda state: {"messages": [model.invoke(state["messages"])]})
    builder.add_node("tools", ToolNode(to_host(tools, **options)))
    builder.add_edge(START, "model")
    builder.add_edge("model", "tools")
    return builder.compile(checkpointer=InMemorySaver())


def seen(state: Any) -> Seen | None:
    messages = [each for each in state["messages"] if isinstance(each, ToolMessage)]
    if not messages:
        return None
    [message] = messages
    failed = message.status == "error"
    if isinstance(message.content, str):
        return Seen(message.content, failed)
    blocks: list[Any] = message.content
    text = "\n".join(block["text"] for block in blocks if block["type"] == "text")
    images = [b64decode(block["base64"]) for block in blocks if block["type"] == "image"]
    return Seen(text, failed, tuple(images))


def begin() -> Any:
    return {"messages": [("user", "go")]}


async def run(tools: Any, name: str, text: str, *, context: Any = None) -> Seen | None:
    app = graph(tools, Call(name, text))
    return seen(await app.ainvoke(begin(), CONFIG, context=context))


async def run_calls(tools: Any, calls: list[Call], context: Any) -> list[str]:
    await graph(tools, *calls, context=context).ainvoke(begin(), CONFIG, context=context)
    return [tool.name for tool in to_host(tools, context=context)]


def run_sync(tools: Any, name: str, text: str) -> Seen | None:
    return seen(graph(tools, Call(name, text)).invoke(begin(), CONFIG))


async def decide(tools: Any, name: str, text: str, approved: bool) -> Seen | None:
    app = graph(tools, Call(name, text))
    state = await app.ainvoke(begin(), CONFIG)
    if "__interrupt__" not in state:
        return None
    return seen(await app.ainvoke(Command(resume=approved or "too much"), CONFIG))


def sent(tool: Any, strict: bool) -> Any:
    return convert_to_openai_tool(tool, strict=strict or None)["function"]["parameters"]


def steer() -> None:
    interrupt("which?")


async def is_steered(tools: Any, name: str) -> bool:
    state = await graph(tools, Call(name, "{}")).ainvoke(begin(), CONFIG)
    return bool(state["__interrupt__"][0].value == "which?")
