"""Deadlines, cancellations and crowding, as the caller of a tool sees them."""

from __future__ import annotations

import asyncio
import threading
from contextvars import ContextVar
from typing import Any

import pytest

from toolhaft import Err, LoopGuard, Ok, Tool, ToolCall, ToolError, Toolset, tool
from toolhaft.call import workers
from toolhaft.call.workers import Pool

RID: ContextVar[str] = ContextVar("rid", default="none")
DEADLINE = 0.01


def kind_and_effect(outcome: Ok[Any] | Err) -> tuple[str, str]:
    return (outcome.kind, outcome.effect) if isinstance(outcome, Err) else ("ok", "")


# --------------------------------------------------------------------------------- deadlines


@pytest.mark.requirement("time-on-time")
@pytest.mark.requirement("pain-54")
def test_a_timeout_is_told_while_the_handler_still_cleans_up() -> None:
    async def main() -> tuple[tuple[str, str], list[str], int]:
        clean, events = asyncio.Event(), list[str]()

        @tool(timeout=DEADLINE)
        async def slow() -> str:
            "Take long to clean up."
            try:
                await asyncio.Event().wait()
            finally:
                await clean.wait()
                events.append("cleaned")
            return ""

        outcome = await slow.call()
        before = [*events]
        clean.set()
        while workers.ABANDONED_TASKS:  # noqa: ASYNC110  nothing else says that it has ended
            await asyncio.sleep(0)
        return kind_and_effect(outcome), before + events, len(asyncio.all_tasks())

    assert asyncio.run(main()) == (("timeout", "unknown"), ["cleaned"], 1)


@pytest.mark.requirement("time-on-time")
@pytest.mark.parametrize("sync", [True, False])
def test_a_timeout_is_told_while_a_thread_goes_on(sync: bool) -> None:
    release, ended = threading.Event(), threading.Event()

    @tool(timeout=DEADLINE)
    def stuck() -> str:
        "Hang."
        release.wait(10)
        ended.set()
        return "late"

    outcome = stuck.call_sync() if sync else asyncio.run(stuck.call())
    kind, effect = kind_and_effect(outcome)
    assert kind == "timeout"
    assert effect in ("unknown", "none")  # none if the thread had no time to begin
    assert not ended.is_set()
    release.set()


@pytest.mark.requirement("time-overloaded")
def test_threads_that_hang_make_a_tool_overloaded_until_they_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(workers, "POOL", Pool(size=1))
    release, began, ran = threading.Event(), threading.Event(), list[int]()

    @tool
    def hang() -> str:
        "Hang."
        began.set()
        release.wait(10)
        return "late"

    @tool
    def act() -> str:
        "Act."
        ran.append(1)
        return "done"

    async def main() -> list[tuple[str, str]]:
        hanging = asyncio.ensure_future(hang.call())
        await asyncio.to_thread(began.wait, 10)
        waiting = asyncio.ensure_future(act.call())
        await asyncio.sleep(0)
        hanging.cancel()  # its thread is lost now
        outcomes = [await waiting, await act.call()]
        assert outcomes[0].text == "The tool is overloaded and was not run. Please try again later."
        assert all(isinstance(one, Err) and one.retryable for one in outcomes)
        assert ran == []
        release.set()
        while workers.POOL.abandoned:  # noqa: ASYNC110  nothing else says that it is free again
            await asyncio.sleep(0)
        return [kind_and_effect(one) for one in (*outcomes, await act.call())]

    assert asyncio.run(main()) == [("overloaded", "none")] * 2 + [("ok", "")]


# --------------------------------------------------------------------------------- cancellation


def anthropic(*names: str) -> dict[str, Any]:
    blocks = [{"type": "tool_use", "id": f"c_{n}", "name": n, "input": {}} for n in names]
    return {"role": "assistant", "content": blocks, "stop_reason": "tool_use"}


@pytest.mark.requirement("time-cancelled")
@pytest.mark.requirement("pain-51")
@pytest.mark.requirement("pain-55")
def test_a_cancelled_turn_ends_every_handler_and_the_conversation_goes_on() -> None:
    events: list[str] = []
    blocked, release = threading.Event(), threading.Event()

    async def main() -> None:
        began = asyncio.Event()

        async def wait() -> str:
            "Wait for ever."
            try:
                began.set()
                await asyncio.Event().wait()
            finally:
                await asyncio.sleep(0)
                events.append("cleaned")
            return ""

        def block() -> str:
            "Block a thread."
            blocked.set()
            release.wait(10)
            return ""

        async def after() -> str:
            "Come after the others."
            events.append("after")
            return ""

        waiting = tool(wait)
        tools = Toolset(
            [
                waiting,
                waiting.replace(name="timed", timeout=30),
                waiting.replace(name="limited", limit=1),
                waiting.replace(name="in_line", limit=1, timeout=30),
                block,
                tool(after, parallel=False),
            ],
            limit=10,
        )
        wire = tools.export("anthropic")
        names = [one.name for one in tools]
        task = asyncio.create_task(wire.answer(anthropic(*names), guard=LoopGuard()))
        await began.wait()
        await asyncio.to_thread(blocked.wait, 10)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert events == ["cleaned"] * 4
        assert asyncio.all_tasks() == {asyncio.current_task()}
        assert tools._bounds[0].free == 9  # a thread cannot be stopped
        left = wire.unanswered(anthropic(*names))
        assert [one["tool_use_id"] for one in left.results] == [f"c_{name}" for name in names]
        release.set()
        while tools._bounds[0].free < 10:  # noqa: ASYNC110  nothing else says that it has ended
            await asyncio.sleep(0)
        assert (await wire.answer(anthropic("after"))).outcomes[0].text == ""

    asyncio.run(main())
    assert events == ["cleaned"] * 4 + ["after"]


@pytest.mark.requirement("pain-55")
@pytest.mark.parametrize("timeout", [None, 30])
def test_a_handler_that_swallows_its_cancellation_does_not_swallow_the_turns(
    timeout: int | None,
) -> None:
    async def main() -> None:
        began = asyncio.Event()

        @tool(timeout=timeout)
        async def stubborn() -> str:
            "Take no for no answer."
            began.set()
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                return "done all the same"
            return ""

        turn = asyncio.ensure_future(Toolset([stubborn]).call_all([ToolCall("1", "stubborn")]))
        await began.wait()
        turn.cancel()
        with pytest.raises(asyncio.CancelledError):
            await turn
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(main())


def test_a_call_that_is_cancelled_in_the_queue_for_a_thread_never_runs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(workers, "POOL", Pool(size=1))
    release, began, ran = threading.Event(), threading.Event(), list[int]()

    async def main() -> None:
        first = asyncio.ensure_future(workers.run_in_thread(lambda: release.wait(10), None))
        second = asyncio.ensure_future(workers.run_in_thread(lambda: ran.append(1), None))
        await asyncio.sleep(0)
        second.cancel()
        with pytest.raises(asyncio.CancelledError):
            await second
        release.set()
        await first
        await workers.run_in_thread(began.set, None)

    asyncio.run(main())
    assert began.is_set()
    assert ran == []


def test_an_interrupt_while_waiting_gives_the_thread_up(monkeypatch: pytest.MonkeyPatch) -> None:
    from concurrent.futures import Future

    pool = Pool(size=1)
    monkeypatch.setattr(workers, "POOL", pool)
    release = threading.Event()

    def interrupted(self: Future[Any], timeout: float | None = None) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(Future, "result", interrupted)
    with pytest.raises(KeyboardInterrupt):
        workers.run_in_thread_sync(lambda: release.wait(10), 30)
    monkeypatch.undo()
    future = pool.submit(release.set)
    release.set()
    assert future is None or future.result(10) is None


# --------------------------------------------------------------------------------- all ways


@tool
def sync_rid() -> str:
    """Return the id."""
    return RID.get()


@tool
async def async_rid() -> str:
    """Return the id."""
    return RID.get()


@pytest.mark.requirement("pain-57")
@pytest.mark.parametrize("timeout", [None, 30])
@pytest.mark.parametrize("limit", [None, 1])
@pytest.mark.parametrize("one", [sync_rid, async_rid, sync_rid.replace(offload=False)])
def test_context_variables_are_seen_on_every_way(
    one: Tool[..., Any, Any, Any], timeout: int | None, limit: int | None
) -> None:
    made = one.replace(timeout=timeout, limit=limit)
    tools = Toolset([made])
    calls = [ToolCall("1", made.name), ToolCall("2", made.name)]
    token = RID.set("r1")
    try:
        outcomes = [made.call_sync(), asyncio.run(made.call()), *tools.call_all_sync(calls)]
        outcomes += asyncio.run(tools.call_all(calls))
    finally:
        RID.reset(token)
    assert [one.text for one in outcomes] == ["r1"] * 6


@tool
def fail(how: str) -> int:
    """Fail."""
    if how == "words":
        raise ToolError("no such order")
    if how == "silence":
        raise ToolError
    if how == "crash":
        raise RuntimeError
    return "not a number"  # type: ignore[return-value]


@pytest.mark.requirement("time-effect")
@pytest.mark.requirement("pain-12")
@pytest.mark.parametrize(
    ("name", "raw", "expected"),
    [
        ("fail", '{"how": 1}', ("invalid_input", "none")),
        ("fail", '{"how": "x', ("truncated", "none")),
        ("fall", "{}", ("unknown_tool", "none")),
        ("fail", {"how": "words"}, ("tool_error", "unknown")),
        ("fail", {"how": "crash"}, ("runtime_error", "unknown")),
        ("fail", {"how": "type"}, ("output_invalid", "done")),
    ],
)
def test_every_failure_says_whether_the_handler_may_have_acted(
    name: str, raw: Any, expected: tuple[str, str]
) -> None:
    tools = Toolset([fail])
    outcomes = [tools.call_sync(name, raw), asyncio.run(tools.call(name, raw))]
    outcomes += tools.call_all_sync([ToolCall("1", name, raw)])
    assert [kind_and_effect(one) for one in outcomes] == [expected] * 3
    looped = tools.call_sync(name, raw, guard=LoopGuard(limit=1))
    assert kind_and_effect(looped) == ("loop", "none")


def test_an_error_without_words_is_told_all_the_same() -> None:
    outcome = fail.call_sync({"how": "silence"})
    assert kind_and_effect(outcome) == ("tool_error", "unknown")
    assert outcome.text == "The tool failed and gave no reason."


@pytest.mark.requirement("pain-60")
@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_numbers_that_are_none_neither_come_in_nor_go_out(number: float) -> None:
    @tool
    def given(v: float) -> dict[str, float]:
        "Give a number that is none."
        return {"v": number}

    outcome = given.call_sync({"v": 1})
    assert kind_and_effect(outcome) == ("output_invalid", "done")
    for raw in (
        f'{{"v": {number}}}'.replace("nan", "NaN").replace("inf", "Infinity"),
        {"v": number},
    ):
        assert kind_and_effect(given.call_sync(raw)) == ("invalid_input", "none")
