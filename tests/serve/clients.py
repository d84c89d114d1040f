"""The official Python client against servers of several workers: `python -m tests.serve.clients`.

Each revision makes its calls through some sessions at a time, and a load balancer of the system
gives each of their connections to any worker. No call may fail.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
import sys
from pathlib import Path
from typing import Final, Literal

from mcp import Client

from tests.cli.running import SRC

MODULE: Final = Path(__file__).parent / "conformance" / "whose.py"
MODES: Final[tuple[Literal["auto", "legacy"], ...]] = ("auto", "legacy")
SESSIONS: Final = 10


async def call_all(url: str, mode: Literal["auto", "legacy"], calls: int) -> tuple[int, set[int]]:
    """Make calls; return how many failed, and the processes that answered."""
    processes: set[int] = set()
    failed = 0

    async def talk(numbers: range) -> None:
        nonlocal failed
        async with Client(url, mode=mode) as client:
            for number in numbers:
                result = await client.call_tool("whose", {"number": number})
                answer = result.structured_content
                answer = answer["value"] if isinstance(answer, dict) else answer
                if result.is_error or answer is None:
                    failed += 1
                    continue
                failed += answer[0] != number
                processes.add(answer[1])

    await asyncio.gather(*(talk(range(one, calls, SESSIONS)) for one in range(SESSIONS)))
    return failed, processes


def run(workers: int, calls: int) -> int:
    """Serve with some workers, and call in both revisions; return how many calls failed."""
    command = [sys.executable, "-P", "-m", "toolhaft", "serve", str(MODULE), "--port", "0"]
    command += ["--workers", str(workers), "--log-level", "error"]
    environment = {**os.environ, "PYTHONPATH": SRC}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        address = server.stdout.readline().partition(" at ")[2].partition("/tools")[0]
        failures = 0
        for mode in MODES:
            failed, processes = asyncio.run(call_all(f"{address}/mcp", mode, calls))
            failures += failed
            sys.stdout.write(
                f"{workers} workers, {mode}: {calls} calls, {failed} failed, "
                f"{len(processes)} processes answered\n"
            )
            sys.stdout.flush()
        server.terminate()
    return failures


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=1_000)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 8])
    asked = parser.parse_args()
    sys.exit(sum(run(workers, asked.calls) for workers in asked.workers))
