"""A handler says how far it has come, to who listens where it was called."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any

import pytest

from toolhaft import DefinitionError, Report, Toolset, agent_loop, tool
from toolhaft.call.progress import Progress, report_to, report_to_async
from toolhaft.testing import ScriptedModel

pytestmark = pytest.mark.requirement("progress-reports")


@tool
def copy(files: list[str], report: Report) -> int:
    """Copy files."""
    for number, name in enumerate(files, 1):
        report(number, len(files), name)
    return len(files)


@tool
async def copy_later(files: list[str], *, report: Report) -> int:
    """Copy files later."""
    await asyncio.sleep(0)
    report(len(files))
    return len(files)


@tool(timeout=30)
def copy_in_a_thread(files: list[str], said: Report) -> int:
    """Copy files in a thread."""
    said(0.5, message="half")
    return len(files)


def test_a_report_is_never_in_the_schema() -> None:
    for made in (copy, copy_later, copy_in_a_thread):
        assert made.input_schema.json_schema()["properties"].keys() == {"files"}
    assert not copy.call_sync({"files": [], "report": 1})


def test_a_report_does_nothing_where_nobody_listens() -> None:
    assert copy.call_sync({"files": ["a"]}).unwrap() == 1
    assert copy(["a", "b"], Report()) == 2


CALLS: dict[str, tuple[Callable[[], Any], Progress]] = {
    "sync": (lambda: copy.call_sync({"files": ["a"]}), Progress("copy", 1, 1, "a")),
    "async": (
        lambda: asyncio.run(copy_later.call({"files": ["a"]})),
        Progress("copy_later", 1),
    ),
    "async without a loop": (
        lambda: copy_later.call_sync({"files": ["a"]}),
        Progress("copy_later", 1),
    ),
    "thread": (
        lambda: copy_in_a_thread.call_sync({"files": []}),
        Progress("copy_in_a_thread", 0.5, None, "half"),
    ),
    "toolset": (
        lambda: asyncio.run(Toolset([copy]).call("copy", {"files": ["a"]})),
        Progress("copy", 1, 1, "a"),
    ),
    "execute": (lambda: copy.execute_sync({"files": ["a"]}), Progress("copy", 1, 1, "a")),
}


@pytest.mark.parametrize("way", CALLS)
def test_progress_reaches_who_listens_however_the_tool_is_called(way: str) -> None:
    call, expected = CALLS[way]
    heard: list[Progress] = []
    with report_to(heard.append):
        call()
    assert heard == [expected]
    call()
    assert heard == [expected]


def test_progress_reaches_who_listens_through_the_agent_loop() -> None:
    heard: list[Progress] = []
    client = ScriptedModel(("copy", {"files": ["a", "b"]}), "Done.")
    messages: list[Any] = [{"role": "user", "content": "Copy."}]
    with report_to(heard.append):
        list(agent_loop.run_sync(client, model="m", messages=messages, tools=Toolset([copy])))
    assert [(progress.done, progress.total) for progress in heard] == [(1, 2), (2, 2)]


@pytest.mark.requirement("progress-reports")
@pytest.mark.parametrize("in_loop", [False, True])
@pytest.mark.parametrize("sync", [True, False])
def test_progress_is_an_event_of_the_agent_loop_before_the_end_of_its_call(
    sync: bool, in_loop: bool
) -> None:
    async def copy_here(files: list[str], report: Report) -> int:
        """Copy files in the loop."""
        return copy(files, report)

    reporting = tool(copy_here, name="copy") if in_loop else copy
    client = ScriptedModel(("copy", {"files": ["a", "b"]}), "Done.")
    options: dict[str, Any] = {"model": "m", "messages": [], "tools": Toolset([reporting])}

    async def collect() -> list[Any]:
        return [event async for event in agent_loop.run(client, **options)]

    events = list(agent_loop.run_sync(client, **options)) if sync else asyncio.run(collect())
    kinds = [type(event).__name__ for event in events]
    assert kinds == ["ModelTurn", "Reported", "Reported", "Called", "ModelTurn", "Finished"]
    reports = [event.progress for event in events if isinstance(event, agent_loop.Reported)]
    assert reports == [Progress("copy", 1, 2, "a"), Progress("copy", 2, 2, "b")]


@pytest.mark.requirement("progress-reports")
def test_a_loop_that_is_left_after_a_report_ends_the_handler_and_answers_the_call() -> None:
    ended: list[str] = []

    @tool
    async def wait(report: Report) -> str:
        """Wait for ever."""
        report(1)
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("handler")
        return "never"

    messages: list[Any] = []

    async def leave() -> None:
        client = ScriptedModel(("wait", {}))
        events = agent_loop.run(client, model="m", messages=messages, tools=Toolset([wait]))
        async for event in events:
            if isinstance(event, agent_loop.Reported):
                break
        await events.aclose()

    asyncio.run(leave())
    assert ended == ["handler"]
    assert len(messages) == 2
    assert "was cancelled before it finished" in str(messages[-1])


@pytest.mark.requirement("progress-reports")
def test_an_async_listener_hears_everything_in_order_before_the_block_ends() -> None:
    heard: list[Any] = []

    async def hear(progress: Progress) -> None:
        await asyncio.sleep(0)
        heard.append(progress.message)
        if progress.message == "b":
            raise RuntimeError(progress.message)

    async def main() -> None:
        async with report_to_async(hear):
            await asyncio.gather(copy.call({"files": list("abc")}))
        heard.append("end")

    asyncio.run(main())
    assert heard == ["a", "b", "c", "end"]


def test_what_a_listener_raises_is_logged_and_the_handler_goes_on(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def fail(progress: Progress) -> None:
        raise RuntimeError(progress.message)

    with report_to(fail), caplog.at_level(logging.ERROR):
        assert copy.call_sync({"files": ["a"]}).unwrap() == 1
    assert "a listener of progress failed" in caplog.text


def test_a_report_inside_a_union_is_a_fault_of_the_definition() -> None:
    def handler(n: int, report: Report | None = None) -> int:
        "H."
        return n if report is None else 0

    with pytest.raises(DefinitionError, match=r"handler\.report: a marker inside a union"):
        Toolset([handler])
