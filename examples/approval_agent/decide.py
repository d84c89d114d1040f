"""Decide about the calls that wait in waiting.json; the conversation goes on from there."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from ask import WAITING, converse
from shop import KEY, SHOP, wire_of

from toolhaft import Deny, Prepared


def used(nonce: str) -> bool:
    """Mark a nonce where all processes see it; return whether it was marked before."""
    try:
        Path(f"{WAITING}.{nonce}").touch(exist_ok=False)
    except FileExistsError:
        return True
    return False


def decision(call: Prepared[Any]) -> bool | Deny:
    """Let a person decide about a call."""
    answer = input(f"{call.name} {dict(call.arguments)}? (y, or why not) ")
    return answer == "y" or Deny(answer)


async def main() -> None:
    """Show each call that waits, ask for a word on it, and go on with the model."""
    provider, messages, text = json.loads(WAITING.read_text(encoding="utf-8"))
    wire = wire_of(provider)
    waiting = await wire.resume(text, {}, key=KEY, context=SHOP)  # nothing is decided yet
    decisions = {call.call_id: decision(call) for call in waiting.pending}
    answered = await wire.resume(text, decisions, key=KEY, context=SHOP, used=used)
    for outcome in answered.outcomes:
        if outcome.call_id in decisions:
            print(f"{outcome.name}: {outcome.text}")
    await converse(provider, messages + answered.messages)


if __name__ == "__main__":
    asyncio.run(main())
