"""Call the tools of an MCP server; a model's arguments are checked here, before they are sent.

python examples/stock_service/client.py http://127.0.0.1:8000/agent/mcp [legacy | 2026-07-28]
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

from mcp import Client

from toolhaft import ToolError, Toolset, from_json

CALLS = [  # as a model writes them
    ("set_stock", '{"item": "coffee", "packets": "3"}'),
    ("set_stock", '{"item": "tea", "packets": "a few"}'),
    ("stock_of", '{"item": "milk"}'),
    ("stock_of", '{"item": "coffee"}'),
]


async def tools_of(session: Client) -> Toolset:
    """Return the tools that a server lists."""

    async def call(name: str, arguments: dict[str, Any]) -> Any:
        result = await session.call_tool(name, arguments)
        text = "\n".join(part.text for part in result.content if part.type == "text")
        if result.is_error:
            raise ToolError(text)
        return text if result.structured_content is None else result.structured_content

    listed = (await session.list_tools()).tools
    return from_json(
        [one.model_dump(by_alias=True, exclude_none=True) for one in listed], call=call
    )


async def main(url: str, mode: Any = "auto") -> None:
    """Make the calls, and print what a model would read."""
    async with Client(url, mode=mode) as session:
        tools = await tools_of(session)
        print(f"{session.protocol_version}: {', '.join(tool.name for tool in tools)}")
        for name, arguments in CALLS:
            print(f"{name}: {(await tools.call(name, arguments)).text}")


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:3]))
