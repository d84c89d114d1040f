"""Give the tools of an MCP server to a model of OpenAI's.

OPENAI_API_KEY=... python examples/mcp_agent/agent.py "Is there any tea left?"
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters
from openai import AsyncOpenAI

from toolhaft import ToolError, from_json
from toolhaft.agent_loop import Called, Finished, run

TOOLS = str(Path(__file__).with_name("server.py"))
SERVER = StdioServerParameters(
    command=sys.executable,
    args=["-m", "toolhaft", "serve", TOOLS, "--stdio", "--log-level", "warning"],
)


async def main(question: str) -> None:
    """Ask, with the tools of the server."""
    async with Client(SERVER) as session, AsyncOpenAI() as client:

        async def call(name: str, arguments: dict[str, Any]) -> Any:
            result = await session.call_tool(name, arguments)
            text = "\n".join(part.text for part in result.content if part.type == "text")
            if result.is_error:
                raise ToolError(text)
            return text if result.structured_content is None else result.structured_content

        listed = (await session.list_tools()).tools
        declarations = [one.model_dump(by_alias=True, exclude_none=True) for one in listed]
        tools = from_json(declarations, call=call)
        model = os.environ.get("MODEL", "gpt-5")
        messages = [{"role": "user", "content": question}]
        async for event in run(client, model=model, messages=messages, tools=tools):
            if isinstance(event, Called):
                print(f"{event.call.name}: {event.outcome.text}")
            elif isinstance(event, Finished):
                print(event.text)


if __name__ == "__main__":
    asyncio.run(main(" ".join(sys.argv[1:]) or "Is there any tea left?"))
