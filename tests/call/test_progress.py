"""A handler says how far it has come, to who listens where it was called."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any

import pytest

from toolhaft import DefinitionError, Report, Toolset, agent_loop, tool
from toolhaft.call.progress import Progress, report_to
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


def test_what_a_listener_raises_is_logged_and_the_handler_goes_on(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def fail(progress: Progress) -> None:
        raise RuntimeError(progress.message)

    with report_to(fail), caplog.at_level(logging.ERROR):
        assert copy.call_sync({"files": ["a"]}).unwrap() == 1
    assert "observer progress failed" in caplog.text


def test_a_report_inside_a_union_is_a_fault_of_the_definition() -> None:
    def handler(n: int, report: Report | None = None) -> int:
        "H."
        return n if report is None else 0

    with pytest.raises(DefinitionError, match=r"handler\.report: a marker inside a union"):
        Toolset([handler])
