"""Run a program in another process, and carry its calls over standard input and output.

python examples/programs/over_stdio.py

A process is no sandbox: run it in a container without a network, as another user.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from orders import TOOLS

# A program as a model writes it.
PROGRAM = """
orders = [order for city in ("Rome", "Oslo") for order in tools.list_orders(city)]
late = [order["id"] for order in orders if order["days"] > 7]
print("late:", late)
try:
    tools._call("refund", {"order": late[0]})
except tools.CallFailed as failed:
    print(failed)
"""
# The program prints to standard error; standard output carries calls, a line each.
CHILD = """
import json, sys
sys.path.insert(0, sys.argv[1])
import tools

calls, sys.stdout = sys.stdout, sys.stderr

def dispatch(name, arguments):
    calls.write(json.dumps([name, arguments]) + "\\n")
    calls.flush()
    return json.loads(sys.stdin.readline())

tools.connect(dispatch)
exec(sys.argv[2], {"tools": tools})
"""
MOST_LINE = 1 << 20


async def run_program(program: str, context: Any = None) -> str:
    """Run a program, and return what it printed."""
    dispatch = TOOLS.dispatcher(context=context, max_calls=100, max_seconds=30)
    with TemporaryDirectory() as folder:
        (Path(folder) / "tools.py").write_text(TOOLS.stubs(sync=True), encoding="utf-8")
        pipe = asyncio.subprocess.PIPE
        child = await asyncio.create_subprocess_exec(
            *(sys.executable, "-I", "-c", CHILD, folder, program),
            stdin=pipe, stdout=pipe, stderr=pipe, limit=MOST_LINE, env={},
        )  # fmt: skip
        printed = asyncio.create_task(read(child.stderr))
        try:
            async with asyncio.timeout(30):
                await carry(child, dispatch)
                return (await printed).decode(errors="replace")
        finally:
            if child.returncode is None:
                child.kill()
            await child.wait()


async def carry(child: asyncio.subprocess.Process, dispatch: Any) -> None:
    """Answer each call, until the program ends; a line that is no call ends it."""
    assert child.stdin is not None
    assert child.stdout is not None
    while line := await child.stdout.readline():
        name, arguments = json.loads(line)
        outcome = await dispatch(name, arguments)
        child.stdin.write(json.dumps(outcome).encode() + b"\n")
        await child.stdin.drain()


async def read(stream: asyncio.StreamReader | None) -> bytes:
    """Read what the program prints, and no more than a model should see."""
    assert stream is not None
    printed = b""
    while chunk := await stream.read(MOST_LINE):
        printed = (printed + chunk)[:MOST_LINE]
    return printed


if __name__ == "__main__":
    print(asyncio.run(run_program(PROGRAM)), end="")
