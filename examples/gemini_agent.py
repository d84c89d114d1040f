"""Ask Gemini to convert money, and see its words while it writes them.

GEMINI_API_KEY=... python examples/gemini_agent.py "How much are 20 euros in yen?"
"""

from __future__ import annotations

import asyncio
import os
import sys
from typing import Any, Literal

from google import genai
from pydantic import BaseModel, Field

from toolhaft import LoopGuard, Toolset, tool
from toolhaft.agent_loop import Called, Streamed, run

Currency = Literal["EUR", "JPY", "USD"]
IN_EUROS: dict[Currency, float] = {"EUR": 1, "JPY": 0.0058, "USD": 0.86}


class Conversion(BaseModel):
    """An amount and its currencies."""

    amount: float = Field(gt=0)
    source: Currency
    target: Currency


@tool(input=Conversion)
def convert(given: Conversion) -> float:
    """Convert an amount of money from one currency to another."""
    return round(given.amount * IN_EUROS[given.source] / IN_EUROS[given.target], 2)


async def main(question: str) -> None:
    """Ask, and print what comes as it comes."""
    asked: dict[str, Any] = {
        "model": os.environ.get("MODEL", "gemini-3-pro"),
        "messages": [{"role": "user", "parts": [{"text": question}]}],
        "tools": Toolset([convert]),
        "config": {"temperature": 0},
    }
    async with genai.Client().aio as client:
        async for event in run(client, **asked, guard=LoopGuard(), stream=True):
            if isinstance(event, Streamed):
                print(event.text, end="", flush=True)
            elif isinstance(event, Called):
                print(f"[{event.call.name}: {event.outcome.text}]")
    print()


if __name__ == "__main__":
    asyncio.run(main(" ".join(sys.argv[1:]) or "How much are 20 euros in yen?"))
