"""Many calls at a time: the order of runs, and their view of each other."""

from __future__ import annotations

import asyncio
from contextvars import ContextVar
from typing import Any

import pytest

from toolhaft import ToolCall, Toolset, tool


@pytest.mark.requirement("parallel-barrier")
@pytest.mark.requirement("pain-58")
def test_a_tool_that_is_not_parallel_runs_alone() -> None:
    events: list[str] = []

    @tool
    async def read(n: int) -> int:
        "Read."
        events.append(f"read {n}")
        for _ in range(5):
            await asyncio.sleep(0)
        events.append(f"done {n}")
        return n

    @tool(parallel=False)
    async def write(n: int) -> int:
        "Write."
        events.append(f"write {n}")
        await asyncio.sleep(0)
        events.append(f"written {n}")
        return n

    tools = Toolset([read, write])
    names = ["read", "read", "write", "write", "read", "unknown", "write"]
    calls = [ToolCall(str(n), name, {"n": n}) for n, name in enumerate(names)]
    outcomes = asyncio.run(tools.call_all(calls))
    assert [one.call_id for one in outcomes] == ["0", "1", "2", "3", "4", "5", "6"]
    assert events == [
        *("read 0", "read 1", "done 0", "done 1"),
        *("write 2", "written 2", "write 3", "written 3"),
        *("read 4", "done 4", "write 6", "written 6"),
    ]
    assert tools.call_all_sync(calls)[2].unwrap() == 2


RID: ContextVar[str] = ContextVar("rid", default="none")


@tool
def swap(rid: str) -> str:
    """Set the id, and give the one before."""
    seen = RID.get()
    RID.set(rid)
    return seen


@tool(timeout=5)
async def swap_later(rid: str) -> str:
    """Set the id, and give the one before."""
    seen = RID.get()
    RID.set(rid)
    return seen


@pytest.mark.requirement("pain-57")
@pytest.mark.parametrize("timeout", [None, 5])
def test_calls_see_the_callers_context_variables_and_not_each_others(timeout: Any) -> None:
    tools = Toolset([swap.replace(timeout=timeout), swap_later])
    calls = [ToolCall(name, name, {"rid": name}) for name in ("swap", "swap_later") * 2]
    token = RID.set("r1")
    try:
        outcomes = tools.call_all_sync(calls) + asyncio.run(tools.call_all(calls))
        assert [one.unwrap() for one in outcomes] == ["r1"] * 8
        assert RID.get() == "r1"
    finally:
        RID.reset(token)
