"""Ask Claude to pay something back; a person at the terminal says yes or no to each payment.

ANTHROPIC_API_KEY=... python examples/anthropic_agent.py "Please pay back order 7."
"""

from __future__ import annotations

import asyncio
import os
import sys
from typing import Annotated, Any

from anthropic import AsyncAnthropic

from toolhaft import Deny, Doc, Injected, Prepared, Toolset, tool
from toolhaft.agent_loop import Called, Finished, run


@tool
def paid_for(order: int, payments: Injected[dict[int, int]]) -> int:
    """Say how many cents were paid for an order."""
    return payments[order]


@tool(requires_approval=True)
def refund(
    order: int, cents: Annotated[int, Doc("At most what was paid")], payments: Injected[Any]
) -> str:
    """Pay back money for an order."""
    payments[order] -= cents
    return f"{payments[order]} cents are left"


def ask(call: Prepared[Any]) -> bool | Deny:
    """Let a person decide about a call."""
    answer = input(f"{call.name} {dict(call.arguments)}? (y, or why not) ")
    return answer == "y" or Deny(answer)


async def main(question: str) -> None:
    """Ask, and print what is done."""
    asked: dict[str, Any] = {"model": os.environ.get("MODEL", "claude-sonnet-4-5")}
    asked |= {"max_tokens": 1024, "messages": [{"role": "user", "content": question}]}
    tools, shop = Toolset([paid_for, refund]), {"payments": {7: 1900}}
    async with AsyncAnthropic() as client:
        async for event in run(client, **asked, tools=tools, approve=ask, context=shop):
            if isinstance(event, Called):
                print(f"{event.call.name}: {event.outcome.text}")
            elif isinstance(event, Finished):
                print(event.text)


if __name__ == "__main__":
    asyncio.run(main(" ".join(sys.argv[1:]) or "Please pay back order 7."))
