"""Tools that run in a process of their own: another process must be able to import them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from datetime import date
from pathlib import Path
from typing import Any, Literal, TypedDict

from pydantic import BaseModel

from toolhaft import CallInfo, ToolError, schema_of, tool
from toolhaft.content import Image


class Query(BaseModel):
    q: str
    since: date = date(2026, 1, 1)


class Found(TypedDict):
    title: str


@tool(isolation="process")
def days_until(day: date, start: date = date(2026, 1, 1)) -> dict[str, Any]:
    """Count the days until a date."""
    sys.stdout.write("not an answer")
    return {"days": (day - start).days, "pid": os.getpid(), "read": sys.stdin.read()}


@tool(isolation="process", timeout=60)
def describe_call(n: int, call: CallInfo) -> dict[str, Any]:
    """Describe the call."""
    return {**call._asdict(), "deadline": call.deadline and call.deadline.isoformat()}


@tool(input=Query, isolation="process")
async def search(query: Query) -> Found:
    """Search."""
    return {"title": f"{query.q} since {query.since:%Y}"}


class NoOrder(LookupError):
    """There is no such order."""


class NoReturn(NoOrder):
    """There is no such return."""


How = Literal["words", "no_return", "crash", "exit", "code", "interrupt", "fault", "large", "type"]


@tool(isolation="process", errors={NoOrder: "no such order"})
def fail(how: How) -> Found:
    """Fail in one of many ways."""
    if how == "words":
        raise ToolError("the shop is closed")
    if how == "no_return":
        raise NoReturn("sk-live-1")
    if how == "crash":
        raise RuntimeError("the key is sk-live-1")
    if how == "exit":
        sys.exit(3)
    if how == "interrupt":
        raise KeyboardInterrupt
    if how == "code":
        os._exit(7)
    if how == "fault":
        os.kill(os.getpid(), signal.SIGSEGV)
    if how == "large":
        return {"title": "x" * (17 << 20)}
    return {"name": "a title is missing"}  # type: ignore[typeddict-item,typeddict-unknown-key]


@tool(isolation="process")
def hang(pids: str) -> str:
    """Hang, with a process of its own that hangs too."""
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    Path(pids).write_text(f"{os.getpid()} {child.pid}", "ascii")
    while True:
        time.sleep(600)


@tool(isolation="process")
def fork(pid: str, how: Literal["stays", "leaves", "answers"]) -> str:
    """Fork, and leave a process that outlives the answer, or gives one too."""
    forked = os.fork()
    if forked == 0 and how == "answers":
        return "the forked one's"
    if forked == 0:
        if how == "leaves":
            os.setsid()
        time.sleep(600)
    Path(pid).write_text(f"{forked}", "ascii")
    return "the handler's"


@tool(isolation="process")
def picture() -> Any:
    """Draw."""
    return Image(b"png", "image/png")


def add(a: int, b: int) -> int:
    """Add two whole numbers."""
    return a + b


async def halved(data: Any) -> Any:
    if data["n"] % 2:
        raise ValueError("odd")
    return {"n": data["n"] // 2}


WHOLE = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
HALVED = schema_of(validate=halved, vendor="mine", json_schema=WHOLE)


@tool(input=HALVED, output=HALVED, isolation="process")
def halve(given: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments."""
    return given


adding = tool(add, name="adding", isolation="process")
