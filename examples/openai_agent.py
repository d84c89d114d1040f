"""Ask OpenAI about an order; the loop is written out, with OpenAI's own client.

OPENAI_API_KEY=... python examples/openai_agent.py "Where is my order 7?"
"""

from __future__ import annotations

import os
import sys
from typing import Annotated, Any

from openai import OpenAI

from toolhaft import Doc, LoopGuard, ToolError, Toolset, tool

ORDERS = {7: "shipped on Monday", 8: "waiting for payment"}


@tool
def find_order(number: Annotated[int, Doc("As printed on the receipt")]) -> str:
    """Say where an order is."""
    if number not in ORDERS:
        raise ToolError(f"there is no order {number}; ask for the number on the receipt")
    return ORDERS[number]


@tool
def opening_hours(day: Annotated[str, Doc("An English weekday")] = "Monday") -> str:
    """Say when the shop is open."""
    return "closed" if day == "Sunday" else "9:00 to 18:00"


def main(question: str) -> None:
    """Ask, and answer the model's calls until it makes none."""
    client = OpenAI()
    wire = Toolset([find_order, opening_hours]).export("openai", strict="prefer")
    guard = LoopGuard()
    items: list[Any] = [{"role": "user", "content": question}]
    for _ in range(10):
        response = client.responses.create(
            model=os.environ.get("MODEL", "gpt-5"), input=items, **wire.request
        )
        answer = wire.answer_sync(response, guard=guard)
        items += answer.messages
        for outcome in answer.outcomes:
            print(f"{outcome.name}: {outcome.text}")
        if answer.done:
            print(response.output_text)
            return
    print("The model did not come to an end in ten turns.")


if __name__ == "__main__":
    main(" ".join(sys.argv[1:]) or "Where is my order 7?")
