"""Limits: how many handlers run at a time, over loops and threads, and who comes next."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from toolhaft import DefinitionError, Err, Ok, Tool, ToolCall, Toolset, tool
from toolhaft.call.limits import Limit, Turn


class Gauge:
    """Counts handlers: how many run now, and the most that did."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.now = self.most = self.all = 0

    def __enter__(self) -> None:
        with self.lock:
            self.now, self.all = self.now + 1, self.all + 1
            self.most = max(self.most, self.now)

    def __exit__(self, *_: object) -> None:
        with self.lock:
            self.now -= 1


def counted(gauge: Gauge, **options: Any) -> Tool[..., Any, Any, Any]:
    @tool
    async def count() -> str:
        "Count."
        with gauge:
            for _ in range(10):
                await asyncio.sleep(0)
        return "counted"

    return count.replace(**options)


def limit_of(one: Tool[..., Any, Any, Any]) -> Limit:
    limit = one._definition.limit
    assert limit is not None
    return limit


def many(name: str, number: int) -> list[ToolCall]:
    return [ToolCall(str(place), name) for place in range(number)]


def kinds(outcomes: list[Ok[Any] | Err]) -> list[str]:
    return [one.kind if isinstance(one, Err) else "ok" for one in outcomes]


# --------------------------------------------------------------------------------- the line


def test_places_are_given_in_the_order_in_which_they_were_asked_for() -> None:
    limit = Limit(1)
    first, second, third = limit.acquire(), limit.acquire(), limit.acquire()
    assert [one.done() for one in (first, second, third)] == [True, False, False]
    limit.release(first)
    assert [second.done(), third.done()] == [True, False]
    limit.release(second)
    limit.release(third)
    assert (limit.free, limit.queue) == (1, {})


def test_who_leaves_the_line_is_passed_over_and_forgotten() -> None:
    limit = Limit(1)
    first, second, third = limit.acquire(), limit.acquire(), limit.acquire()
    limit.release(second)
    limit.release(first)
    assert [second.done(), third.done()] == [False, True]
    limit.release(third)
    assert (limit.free, limit.queue) == (1, {})


def test_a_turn_that_does_not_come_in_time_is_given_up_everywhere() -> None:
    free, taken = Limit(1), Limit(1)
    holder = taken.acquire()
    turn = Turn([free, taken], 0.01)
    with turn.hold():
        assert turn.wait_sync() is False
    other = Turn([free, taken], 0.01)
    with other.hold():
        assert asyncio.run(other.wait()) is False
    assert (free.free, taken.queue) == (1, {})
    taken.release(holder)
    assert (free.free, taken.free) == (1, 1)


# --------------------------------------------------------------------------------- tools


@pytest.mark.requirement("limit-tool")
def test_a_limit_bounds_the_runs_of_one_tool() -> None:
    gauge = Gauge()
    outcomes = asyncio.run(Toolset([counted(gauge, limit=2)]).call_all(many("count", 9)))
    assert kinds(outcomes) == ["ok"] * 9
    assert (gauge.most, gauge.all, gauge.now) == (2, 9, 0)


@pytest.mark.requirement("limit-tool")
@pytest.mark.parametrize("options", [{}, {"timeout": 30}])
def test_a_limit_is_counted_over_threads_and_loops(options: Any) -> None:
    gauge, meet = Gauge(), threading.Barrier(2, timeout=10)

    @tool(limit=2)
    def pair() -> str:
        "Wait for another."
        with gauge:
            meet.wait()
        return "met"

    paired = pair.replace(**options)

    def sync() -> None:
        outcomes.append(paired.call_sync())

    def on_a_loop() -> None:
        outcomes.append(asyncio.run(paired.call()))

    outcomes: list[Any] = []
    threads = [threading.Thread(target=one) for one in (sync, on_a_loop) * 4]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert kinds(outcomes) == ["ok"] * 8
    assert (gauge.most, gauge.all) == (2, 8)


@pytest.mark.requirement("limit-toolset")
def test_a_limit_of_a_toolset_bounds_all_its_tools() -> None:
    gauge = Gauge()
    one, other = counted(gauge), counted(gauge, timeout=30).replace(name="other")
    tools = Toolset([one, other], limit=3)
    calls = [call for pair in zip(many("count", 6), many("other", 6), strict=True) for call in pair]
    assert kinds(asyncio.run(tools.call_all(calls))) == ["ok"] * 12
    assert gauge.most == 3
    assert asyncio.run(Toolset([one]).call_all(many("count", 5)))
    assert gauge.most == 5


@pytest.mark.requirement("limit-toolset")
def test_sets_made_from_a_limited_one_share_its_limit() -> None:
    gauge = Gauge()
    tools = Toolset([counted(gauge)], limit=2)
    derived = [tools, tools.select("c*"), tools.prefix("my_")]
    derived.append(tools + Toolset([counted(gauge, name="n")]))
    derived.append(Toolset([counted(gauge, name="m")]) + tools)
    names = ["count", "count", "my_count", "n", "m"]

    async def main() -> list[list[Ok[Any] | Err]]:
        pairs = zip(derived, names, strict=True)
        return await asyncio.gather(*[made.call_all(many(name, 4)) for made, name in pairs])

    assert [kinds(one) for one in asyncio.run(main())] == [["ok"] * 4] * 5
    assert gauge.most == 2
    assert [len(made.bounds) for made in derived] == [1] * 5


def test_a_tool_under_another_name_counts_with_the_first_unless_it_has_its_own_limit() -> None:
    gauge = Gauge()
    one = counted(gauge, limit=1)
    tools = Toolset([one, one.replace(name="two")])
    asyncio.run(tools.call_all([*many("count", 3), *many("two", 3)]))
    assert gauge.most == 1
    tools = Toolset([one, one.replace(name="two", limit=None)])
    asyncio.run(tools.call_all([*many("count", 3), *many("two", 3)]))
    assert gauge.most == 4


@pytest.mark.requirement("limit-nested")
def test_a_handler_that_calls_tools_does_not_wait_for_itself() -> None:
    gauge = Gauge()
    inner = counted(gauge, limit=1)

    @tool
    async def outer() -> list[str]:
        "Call the others."
        return [one.text for one in await tools.call_all(many("count", 2))]

    @tool(offload=True)
    def outer_sync() -> str:
        "Call another."
        return tools.call_sync("count").text

    tools = Toolset([inner, outer, outer_sync], limit=1)
    outcomes = asyncio.run(tools.call_all(many("outer", 2) + many("outer_sync", 2)))
    assert [one.text for one in outcomes[:2]] == ['["counted","counted"]'] * 2
    assert [one.text for one in outcomes[2:]] == ["counted"] * 2
    assert gauge.most == 1


# --------------------------------------------------------------------------------- time


@pytest.mark.requirement("limit-time")
def test_waiting_is_part_of_a_calls_time_and_has_no_effect() -> None:
    @tool(limit=1, timeout=0.01)
    def run() -> str:
        "Run."
        return "ran"

    place = limit_of(run).acquire()
    waited = [run.call_sync(), asyncio.run(run.call())]
    limit_of(run).release(place)
    assert kinds(waited) == ["timeout"] * 2
    assert [getattr(one, "effect", "") for one in waited] == ["none"] * 2
    assert waited[0].text == (
        "The tool did not finish within 0.01 seconds; it had not begun. You may try once more."
    )
    assert run.replace(timeout=30).call_sync().text == "ran"


@pytest.mark.requirement("limit-time")
def test_a_handler_that_outlives_its_deadline_keeps_its_turn_until_it_ends() -> None:
    async def main() -> list[Any]:
        stop = asyncio.Event()

        @tool(limit=1, timeout=0.01)
        async def stubborn() -> str:
            "Take no for no answer."
            try:
                await stop.wait()
            except asyncio.CancelledError:
                await stop.wait()
            return "stopped"

        outcomes = [await stubborn.call(), await stubborn.call()]
        stop.set()
        return [*outcomes, await stubborn.replace(timeout=30).call()]

    outcomes = asyncio.run(main())
    assert kinds(outcomes) == ["timeout", "timeout", "ok"]
    assert [getattr(one, "effect", "") for one in outcomes] == ["unknown", "none", ""]


def test_who_is_cancelled_while_waiting_leaves_the_line() -> None:
    async def main() -> list[str]:
        go = asyncio.Event()

        @tool(limit=1)
        async def wait() -> str:
            "Wait."
            await go.wait()
            return "done"

        running = [asyncio.ensure_future(wait.call()) for _ in range(3)]
        for _ in range(3):
            await asyncio.sleep(0)
        assert len(limit_of(wait).queue) == 2
        running[1].cancel()
        await asyncio.wait({running[1]})
        assert len(limit_of(wait).queue) == 1
        go.set()
        return [(await one).text for one in (running[0], running[2])]

    assert asyncio.run(main()) == ["done", "done"]


@pytest.mark.parametrize("limit", [0, -1, True, 1.5, "2"])
def test_a_limit_is_a_number_of_calls(limit: Any) -> None:
    with pytest.raises(DefinitionError, match=r"limit: not a whole number of at least 1"):
        counted(Gauge(), limit=limit)
    with pytest.raises(DefinitionError, match=r"^Toolset.limit: not a whole number of at least 1"):
        Toolset([], limit=limit)
