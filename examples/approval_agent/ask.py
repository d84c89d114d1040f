"""Ask a model to pay something back; a person decides about it later, in another process.

export PROVIDER=openai OPENAI_API_KEY=...    # or anthropic, and ANTHROPIC_API_KEY
python examples/approval_agent/ask.py "Please pay back order 7."    # writes waiting.json
python examples/approval_agent/decide.py                            # asks, and goes on
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

from shop import KEY, REQUESTS, SHOP, client_of, wire_of

from toolhaft.agent_loop import Called, Finished, run

WAITING = Path(os.environ.get("WAITING", "waiting.json"))


def plain(sent: Any) -> Any:
    """Write an object of the SDK's as JSON, as it came."""
    return sent.model_dump(mode="json", by_alias=True, exclude_unset=True)


def store(state: list[Any]) -> None:
    """Keep the conversation and what waits until a person has decided."""
    WAITING.write_text(json.dumps(state, default=plain), encoding="utf-8")


async def converse(provider: str, messages: list[Any]) -> None:
    """Go on until the model is done, or a call waits for a person."""
    async with client_of(provider) as client:
        request: dict[str, Any] = {"messages": messages, **REQUESTS[provider]}
        async for event in run(client, **request, tools=wire_of(provider), context=SHOP):
            if isinstance(event, Called):
                print(f"{event.call.name}: {event.outcome.text}")
            elif isinstance(event, Finished) and event.reason == "approval":
                store([provider, messages, event.answer.to_json(key=KEY)])
                print(f"{WAITING} has what waits")
            elif isinstance(event, Finished):
                print(f"the model has finished: {event.reason}")


if __name__ == "__main__":
    question = " ".join(sys.argv[1:]) or "Please pay back order 7."
    asyncio.run(converse(os.environ["PROVIDER"], [{"role": "user", "content": question}]))
