"""The tool libraries of other people: how each makes a callable of a function.

Each defines the tool in the way that its documentation shows first, and answers a call by its own
way from decoded arguments, or text, to a result.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any, Final, NamedTuple, TypeAlias

from pydantic import BaseModel
from signatures import Item
from workloads import take

__all__ = ["ASYNC", "PEERS", "Call", "Peer", "checked"]

Call: TypeAlias = Callable[[Any], Any]


class Seen(BaseModel):
    """The required type of the handler's result."""

    city: str
    days: int


async def checked(city: str, days: int, units: str) -> Seen:
    """Three parameters, and a result of a declared type."""
    return Seen(city=city, days=days)


async def flat(city: str, days: int, units: str) -> dict[str, Any]:
    """Three parameters."""
    return take(city, days)


async def nested(
    city: str,
    days: int,
    customer: str,
    email: str,
    street: str,
    country: str,
    express: bool,
    discount: float,
    priority: int,
    notes: str,
    tags: list[str],
    items: list[Item],
) -> dict[str, Any]:
    """Twelve parameters."""
    return take(city, days)


ASYNC: Final[dict[str, Any]] = {"flat": flat, "nested": nested}


class Peer(NamedTuple):
    """A library: how it makes a callable of a function, with the callable's input and result."""

    name: str
    make: Callable[[Any], Call]
    asynchronous: bool = True
    takes_text: bool = False
    checks_output: bool = False


def anthropic(function: Any) -> Call:
    """A tool for the client's runner."""
    made: Any = import_module("anthropic").beta_tool(function)
    call: Call = made.call
    return call


def openai_agents(function: Any) -> Call:
    """A function tool, which takes text."""
    made: Any = import_module("agents").function_tool(function, strict_mode=False)
    context_of: Any = import_module("agents.tool_context").ToolContext

    async def call(text: str) -> Any:
        context = context_of(None, tool_name=made.name, tool_call_id="1", tool_arguments=text)
        return await made.on_invoke_tool(context, text)

    return call


def pydantic_ai_toolset(function: Any) -> Call:
    """The validator and the call, without what an agent does around them."""
    toolset, context = _pydantic_ai(function)
    [(name, made)] = asyncio.run(toolset.get_tools(context)).items()
    validate = made.args_validator.validate_python

    async def call(data: Any) -> Any:
        return await toolset.call_tool(name, validate(data), context, made)

    return call


def pydantic_ai_manager(function: Any) -> Call:
    """Return a call by the tool manager, as an agent makes it."""
    toolset, context = _pydantic_ai(function)
    retry: Any = import_module("pydantic_ai.exceptions").ToolRetryError
    manager_of: Any = import_module("pydantic_ai.tool_manager").ToolManager
    part_of: Any = import_module("pydantic_ai.messages").ToolCallPart

    async def call(data: Any) -> Any:
        manager = await manager_of(toolset).for_run_step(context)
        try:
            return await manager.handle_call(part_of(function.__name__, data, "1"))
        except retry as error:
            return error.tool_retry.model_response()

    return call


def _pydantic_ai(function: Any) -> tuple[Any, Any]:
    pydantic_ai: Any = import_module("pydantic_ai")
    model = import_module("pydantic_ai.models.test").TestModel()
    usage = import_module("pydantic_ai.usage").RunUsage()
    toolset = import_module("pydantic_ai.toolsets").FunctionToolset([function], max_retries=1)
    return toolset, pydantic_ai.RunContext(deps=None, model=model, usage=usage)


def mcp(function: Any) -> Call:
    """A server's tool, without a wire."""
    server: Any = import_module("mcp.server").MCPServer("bench")
    server.tool(name="run")(function)
    return partial(server.call_tool, "run")


def fastmcp(function: Any) -> Call:
    """A tool by itself, without a wire."""
    made: Any = import_module("fastmcp.tools").Tool.from_function(function)
    call: Call = made.run
    return call


def langchain(function: Any) -> Call:
    """A structured tool that returns validation errors to the model."""
    kind: Any = import_module("langchain_core.tools").StructuredTool
    made = kind.from_function(function, handle_validation_error=str)
    call: Call = made.invoke
    return call


def agno(function: Any) -> Call:
    """A function call, as an agent makes it."""
    module: Any = import_module("agno.tools.function")
    made = module.Function.from_callable(function)
    made.process_entrypoint()
    return lambda data: module.FunctionCall(function=made, arguments=dict(data)).execute()


def strands(function: Any) -> Call:
    """A decorated tool's stream of events."""
    made: Any = import_module("strands").tool(function)

    async def call(data: Any) -> Any:
        asked = {"toolUseId": "1", "name": function.__name__, "input": data}
        return [event async for event in made.stream(asked, {})]

    return call


PEERS: Final = (
    Peer("anthropic beta_tool", anthropic, asynchronous=False),
    Peer("pydantic-ai, bare toolset", pydantic_ai_toolset),
    Peer("pydantic-ai ToolManager", pydantic_ai_manager),
    Peer("openai-agents", openai_agents, takes_text=True),
    Peer("strands", strands),
    Peer("mcp MCPServer.call_tool", mcp, checks_output=True),
    Peer("fastmcp Tool.run", fastmcp),
    Peer("agno", agno, asynchronous=False),
    Peer("langchain-core", langchain, asynchronous=False),
)
