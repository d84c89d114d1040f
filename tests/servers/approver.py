"""The process in which a person approves what another one was asked for, and which goes on.

Run as `python -m tests.servers.approver TARGET URL`, with the messages and the answer on standard
input; it knows the tools and the key, and nothing else of the process before it. It prints the
results and, where a server's address is given, why the conversation ended.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.servers.clients import VENDORS
from tests.servers.tools import TOOLS
from toolhaft.agents.loop import Finished, run

__all__ = ["KEY", "elsewhere"]

KEY = "a secret of the host"


def elsewhere(target: str, url: str, **given: Any) -> Any:
    """Let another process approve calls and go on; give what it says."""
    ran = subprocess.run(
        [sys.executable, "-m", "tests.servers.approver", target, url],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        cwd=Path(__file__).parents[2],
    )
    assert ran.stderr == ""
    return json.loads(ran.stdout)


async def main(target: str, url: str, *, messages: list[Any], answer: str, approved: str) -> None:
    wire = TOOLS.export(target)
    resumed = await wire.resume(answer, {approved: True}, key=KEY)
    reasons = await gone_on(target, url, [*messages, *resumed.messages]) if url else []
    told = [outcome.text for outcome in resumed.outcomes]
    json.dump({"told": told, "results": resumed.results, "reasons": reasons}, sys.stdout)


async def gone_on(target: str, url: str, messages: list[Any]) -> list[str]:
    [vendor] = [one for one in VENDORS if one.target == target]
    settings: dict[str, Any] = {"model": "m-test", "tools": TOOLS.export(target), **vendor.options}
    async with vendor.asynchronous(url) as client:
        events = run(client, messages=messages, **settings)
        return [event.reason async for event in events if isinstance(event, Finished)]


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], **json.load(sys.stdin)))
