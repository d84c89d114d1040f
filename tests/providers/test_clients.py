"""Whole turns through the official clients, unmodified, against servers that speak their wire.

The servers are scripted inside the process: nothing leaves it.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from tests.installed import sdk
from tests.providers.sample import tools
from tests.providers.sample_turn import CALLS
from toolhaft import Toolset
from toolhaft.toolset.export import Export

if TYPE_CHECKING:
    import anthropic
    import mcp
    import openai
    from mcp.server import lowlevel
else:
    anthropic = sdk("anthropic")
    lowlevel = sdk("mcp.server.lowlevel")
    mcp = sdk("mcp")
    openai = sdk("openai")

pytestmark = pytest.mark.usefixtures("known_error_ids")

Body = dict[str, Any]


class Script:
    """A server that answers each request with the next response, and keeps what it was sent."""

    def __init__(self, *responses: Body) -> None:
        self.responses = list(responses)
        self.received: list[Body] = []

    def behind(self, package: Any) -> Any:
        """Return an SDK's own HTTP client with this server behind it."""
        http = sdk(package.DefaultHttpxClient.__mro__[1].__module__.partition(".")[0])

        def answer(request: Any) -> Any:
            self.received.append(json.loads(request.content))
            return http.Response(200, json=self.responses.pop(0))

        return http.Client(transport=http.MockTransport(answer))


def converse(ask: Callable[[list[Any]], Any], wire: Export, first: Any) -> list[Any]:
    """The loop of the documentation: until the model calls no tool."""
    items = [first]
    for _ in range(5):
        answer = wire.answer_sync(ask(items))
        items += answer.messages
        if answer.done:
            break
    return items


HELLO = {"role": "user", "content": "How is the weather?"}


def test_the_openai_client_takes_a_whole_turn_of_responses() -> None:
    head = {"id": "resp_1", "created_at": 0, "model": "gpt-test", "object": "response"}
    head |= {"parallel_tool_calls": True, "tool_choice": "auto", "tools": []}
    calls = [
        {
            "type": "function_call",
            "id": f"fc_{one.id}",
            "call_id": one.id,
            "name": one.name,
            "arguments": json.dumps(one.arguments),
            "status": "completed",
        }
        for one in CALLS
    ]
    reasoning = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAAA"}
    said = {"type": "output_text", "text": "Sunny.", "annotations": []}
    message = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed"}
    last = {**message, "content": [said]}
    script = Script({**head, "output": [reasoning, *calls]}, {**head, "output": [last]})
    client = openai.OpenAI(api_key="x", http_client=script.behind(openai))
    wire = tools().export("openai")

    def ask(items: list[Any]) -> Any:
        return client.responses.create(model="gpt-test", input=items, **wire.request)

    converse(ask, wire, HELLO)
    results = [
        {"type": "function_call_output", "call_id": one.id, "output": one.text} for one in CALLS
    ]
    assert script.received == [
        {"model": "gpt-test", "input": [HELLO], "tools": wire.tools},
        {"model": "gpt-test", "input": [HELLO, reasoning, *calls, *results], "tools": wire.tools},
    ]


def test_the_openai_client_takes_a_whole_turn_of_chat_completions() -> None:
    head = {"id": "chatcmpl-1", "created": 0, "model": "gpt-test", "object": "chat.completion"}
    calls = [
        {
            "id": one.id,
            "type": "function",
            "function": {"name": one.name, "arguments": json.dumps(one.arguments)},
        }
        for one in CALLS
    ]

    def response(message: Body) -> Body:
        return {**head, "choices": [{"index": 0, "finish_reason": "stop", "message": message}]}

    turn = {"role": "assistant", "content": None, "tool_calls": calls}
    script = Script(response(turn), response({"role": "assistant", "content": "Sunny."}))
    client = openai.OpenAI(api_key="x", http_client=script.behind(openai))
    wire = tools().export("openai-chat")

    def ask(items: list[Any]) -> Any:
        return client.chat.completions.create(model="gpt-test", messages=items, **wire.request)

    converse(ask, wire, HELLO)
    results = [{"role": "tool", "tool_call_id": one.id, "content": one.text} for one in CALLS]
    assert script.received == [
        {"model": "gpt-test", "messages": [HELLO], "tools": wire.tools},
        {"model": "gpt-test", "messages": [HELLO, turn, *results], "tools": wire.tools},
    ]


def test_the_anthropic_client_takes_a_whole_turn() -> None:
    usage = {"input_tokens": 1, "output_tokens": 1}
    head: Body = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-test"}
    head |= {"stop_sequence": None, "usage": usage}
    thinking = {"type": "thinking", "thinking": "Hm.", "signature": "c2lnbmVk"}
    calls = [
        {"type": "tool_use", "id": one.id, "name": one.name, "input": one.arguments}
        for one in CALLS
    ]
    text = {"type": "text", "text": "Sunny."}
    script = Script(
        {**head, "content": [thinking, *calls], "stop_reason": "tool_use"},
        {**head, "content": [text], "stop_reason": "end_turn"},
    )
    client = anthropic.Anthropic(api_key="x", http_client=script.behind(anthropic))
    wire = tools().export("anthropic")

    def ask(items: list[Any]) -> Any:
        return client.messages.create(
            model="claude-test", max_tokens=99, messages=items, **wire.request
        )

    converse(ask, wire, HELLO)
    results = [
        {
            "type": "tool_result",
            "tool_use_id": one.id,
            "content": one.text,
            "is_error": one.kind is not None,
        }
        for one in CALLS
    ]
    common = {"model": "claude-test", "max_tokens": 99, "tools": wire.tools}
    turn = {"role": "assistant", "content": [thinking, *calls]}
    assert script.received == [
        {**common, "messages": [HELLO]},
        {**common, "messages": [HELLO, turn, {"role": "user", "content": results}]},
    ]


def server(toolset: Toolset, target: str) -> lowlevel.Server[Any]:
    wire = toolset.export(target)

    async def list_tools(ctx: Any, params: Any) -> mcp.types.ListToolsResult:
        return mcp.types.ListToolsResult.model_validate(wire.request)

    async def call_tool(ctx: Any, params: Any) -> mcp.types.CallToolResult:
        [result] = (await wire.answer(params)).results
        if "code" in result:
            raise mcp.MCPError(**result)
        return mcp.types.CallToolResult.model_validate(result)

    return lowlevel.Server("sample", on_list_tools=list_tools, on_call_tool=call_tool)


@pytest.mark.requirement("pain-48")
@pytest.mark.parametrize("target", ["mcp", "mcp-2025-11-25"])
def test_the_mcp_client_lists_and_calls_the_tools_of_a_server(target: str) -> None:
    async def session() -> list[Any]:
        async with mcp.Client(server(tools(), target)) as client:
            listed = await client.list_tools()
            good = await client.call_tool("get_weather", {"city": "Paris", "days": "2"})
            bad = await client.call_tool("get_weather", {})
            with pytest.raises(mcp.MCPError) as unknown:
                await client.call_tool("get_wether", {})
            return [listed, good, bad, unknown.value]

    listed, good, bad, unknown = asyncio.run(session())
    assert [one.name for one in listed.tools] == [
        one["name"] for one in tools().export(target).tools
    ]
    assert (good.is_error, good.structured_content) == (
        False,
        {"city": "Paris", "degrees": 21, "days": 2},
    )
    assert (bad.is_error, bad.structured_content) == (True, None)
    assert bad.content[0].text.endswith("Errors: city: required")
    assert unknown.code == -32602
