"""The process in which a person approves another process's call, and which then continues.

Run with the names of the SDKs to load. A request has a target, the address of a server, the
messages and the answer; the process knows the tools and the key, and nothing else of the process
before it. It reports the results and, with an address, why the conversation ended.
"""

from __future__ import annotations

import asyncio
import sys
from importlib import import_module
from typing import Any

from tests.forks import serve
from tests.servers.clients import VENDORS
from tests.servers.tools import TOOLS
from toolhaft.agent_loop import Finished, run

__all__ = ["KEY"]

KEY = "a secret of the host"


async def approved(target: str, url: str, given: dict[str, Any]) -> dict[str, Any]:
    wire = TOOLS.export(target)
    resumed = await wire.resume(given["answer"], {given["approved"]: True}, key=KEY)
    messages = [*given["messages"], *resumed.messages]
    reasons = await gone_on(target, url, messages) if url else []
    told = [outcome.text for outcome in resumed.outcomes]
    return {"told": told, "results": resumed.results, "reasons": reasons}


async def gone_on(target: str, url: str, messages: list[Any]) -> list[str]:
    [vendor] = [one for one in VENDORS if one.target == target]
    settings: dict[str, Any] = {"model": "m-test", "tools": TOOLS.export(target), **vendor.options}
    async with vendor.asynchronous(url) as client:
        events = run(client, messages=messages, **settings)
        return [event.reason async for event in events if isinstance(event, Finished)]


if __name__ == "__main__":
    for name in sys.argv[1:]:
        import_module(name)
    serve(lambda *asked: asyncio.run(approved(*asked)))
