"""Limits: how many handlers run at a time, over loops and threads, and who comes next."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from typing import Any

import pytest

from toolhaft import Context, DefinitionError, Err, Ok, Tool, ToolCall, ToolError, Toolset, tool
from toolhaft.call.limits import Limit, Turn
from toolhaft.call.workers import TimedOut


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


def ask(limit: Limit) -> Turn:
    turn = Turn([limit], None)
    limit.acquire(turn)
    return turn


def has_place(turn: Turn) -> bool:
    return turn.waiting is None or turn.waiting.done()


# --------------------------------------------------------------------------------- the line


def test_places_are_given_in_the_order_in_which_they_were_asked_for() -> None:
    limit = Limit(1)
    first, second, third = ask(limit), ask(limit), ask(limit)
    assert [has_place(one) for one in (first, second, third)] == [True, False, False]
    limit.release(first)
    assert [has_place(second), has_place(third)] == [True, False]
    limit.release(second)
    limit.release(third)
    assert (limit.free, limit.queue) == (1, {})


def test_who_leaves_the_line_is_passed_over_and_forgotten() -> None:
    limit = Limit(1)
    first, second, third = ask(limit), ask(limit), ask(limit)
    limit.release(second)
    limit.release(first)
    assert [has_place(second), has_place(third)] == [False, True]
    limit.release(third)
    assert (limit.free, limit.queue) == (1, {})


def test_a_turn_that_does_not_come_in_time_is_given_up_everywhere() -> None:
    free, taken = Limit(1), Limit(1)
    holder = ask(taken)
    turn = Turn([free, taken], 0.01)
    turn.begin()
    assert isinstance(turn.wait_sync(), TimedOut)
    turn.end()
    other = Turn([free, taken], 0.01)
    other.begin()
    assert isinstance(asyncio.run(other.wait()), TimedOut)
    other.end()
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
    assert [len(made._bounds) for made in derived] == [1] * 5


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

    holder = ask(limit_of(run))
    waited = [run.call_sync(), asyncio.run(run.call())]
    limit_of(run).release(holder)
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


# ------------------------------------------------------------------------ handlers that call tools


def crossing(name: str, other: str, *, asynchronous: bool, **options: Any) -> Any:
    """Make a tool that calls another one, once the other one's handler runs too."""

    def cross(both: bool, *, context: Context[dict[str, Any]]) -> str:
        """Call the other."""
        if not both:
            return "alone"
        context["meet"].wait()
        outcome = context["tools"].call_sync(other, {"both": False}, context=context)
        return outcome.kind if isinstance(outcome, Err) else outcome.text

    async def cross_in_loop(both: bool, *, context: Context[dict[str, Any]]) -> str:
        """Call the other in a loop."""
        if not both:
            return "alone"
        await asyncio.to_thread(context["meet"].wait)
        outcome = await context["tools"].call(other, {"both": False}, context=context)
        return outcome.kind if isinstance(outcome, Err) else outcome.text

    return tool(cross_in_loop if asynchronous else cross, name=name, limit=1, **options)


@pytest.mark.requirement("handlers-call-tools")
@pytest.mark.parametrize("options", [{}, {"timeout": 60}])
@pytest.mark.parametrize("asynchronous", [False, True])
@pytest.mark.parametrize("ring", [2, 3])
def test_handlers_that_would_wait_for_each_other_for_ever_are_overloaded(
    ring: int, asynchronous: bool, options: dict[str, Any]
) -> None:
    names = "abc"[:ring]
    tools = Toolset(
        crossing(name, other, asynchronous=asynchronous, **options)
        for name, other in zip(names, names[1:] + names[0], strict=True)
    )
    context = {"tools": tools, "meet": threading.Barrier(ring, timeout=60)}
    calls = [ToolCall(name, name, {"both": True}) for name in names]
    # The one that closes the circle is refused, and the others get what they wait for.
    outcomes = asyncio.run(tools.call_all(calls, context=context))
    texts = sorted(outcome.text for outcome in outcomes)
    assert texts == ["alone"] * (ring - 1) + ["overloaded"]
    assert [limit_of(each).free for each in tools] == [1] * ring


@pytest.mark.requirement("handlers-call-tools")
def test_who_waits_for_a_handler_that_will_end_is_not_refused() -> None:
    begun, release = threading.Event(), threading.Event()

    @tool(limit=1)
    def inner(wait: bool) -> str:
        """Wait if told to."""
        if wait:
            begun.set()
            release.wait(60)
        return "done"

    @tool(limit=4)
    async def outer(last: bool) -> str:
        """Call the inner one."""
        running = asyncio.ensure_future(inner.call({"wait": False}))
        await asyncio.sleep(0)
        if last:
            release.set()
        return (await running).text

    async def main() -> list[str]:
        first = asyncio.ensure_future(inner.call({"wait": True}))
        await asyncio.to_thread(begun.wait)
        calls = [outer.call({"last": number == 3}) for number in range(4)]
        return [outcome.text for outcome in await asyncio.gather(first, *calls)]

    assert asyncio.run(main()) == ["done"] * 5


@pytest.mark.requirement("handlers-call-tools")
@pytest.mark.parametrize(
    "options", [{}, {"limit": 2}, {"timeout": 60}, {"limit": 2, "timeout": 60}]
)
def test_handlers_call_tools_a_thousand_deep(options: dict[str, Any]) -> None:
    def below(n: int) -> int:
        """Go down in a loop."""
        return 0 if n == 0 else 1 + int(later.call_sync({"n": n - 1}).unwrap())

    async def below_later(n: int) -> int:
        """Go down in a thread."""
        return 0 if n == 0 else 1 + int((await now.call({"n": n - 1})).unwrap())

    now, later = tool(below, **options), tool(below_later, **options)
    assert now.call_sync({"n": 1_000}).unwrap() == 1_000
    assert asyncio.run(later.call({"n": 1_000})).unwrap() == 1_000


@pytest.mark.requirement("handlers-call-tools")
def test_a_handler_that_calls_itself_deeper_than_python_can_fails_as_any_other() -> None:
    @tool
    def down(n: int) -> int:
        """Go down, here."""
        outcome = down.call_sync({"n": n + 1})
        if isinstance(outcome, Err):
            raise ToolError(outcome.kind)
        return n

    outcome = down.call_sync({"n": 0})
    assert isinstance(outcome, Err)
    assert outcome.kind == "tool_error"


@pytest.mark.requirement("handlers-call-tools")
@pytest.mark.parametrize(
    "options", [{}, {"limit": 2}, {"timeout": 60}, {"limit": 2, "timeout": 60}]
)
@pytest.mark.parametrize("asynchronous", [False, True])
def test_handlers_call_tools_a_thousand_wide(asynchronous: bool, options: dict[str, Any]) -> None:
    def inner(n: int) -> int:
        """Return the number."""
        return n

    async def inner_later(n: int) -> int:
        """Return the number in a loop."""
        await asyncio.sleep(0)
        return n

    here, there = tool(inner, **options), tool(inner_later, **options)

    def outer(n: int) -> int:
        """Call both."""
        return sum(each.call_sync({"n": n}).unwrap() for each in (here, there))

    async def outer_later(n: int) -> int:
        """Call both at a time."""
        return sum(
            each.unwrap()
            for each in await asyncio.gather(here.call({"n": n}), there.call({"n": n}))
        )

    calling = tool(outer_later if asynchronous else outer, name="outer", **options)
    tools = Toolset([calling, here, there], limit=8)
    calls = [ToolCall(str(n), "outer", {"n": n}) for n in range(1_000)]
    outcomes = asyncio.run(tools.call_all(calls))
    assert [outcome.unwrap() for outcome in outcomes] == [2 * n for n in range(1_000)]


def test_a_coroutine_that_is_closed_with_its_loop_gives_its_place_back() -> None:
    @tool(limit=1)
    async def rest(seconds: float) -> float:
        "Rest."
        await asyncio.sleep(seconds)
        return seconds

    loop = asyncio.new_event_loop()
    running = rest.call({"seconds": 60})
    loop.run_until_complete(begin(running))
    loop.close()
    running.close()  # in a context that is not its own
    assert asyncio.run(asyncio.wait_for(rest.call({"seconds": 0}), 60)).unwrap() == 0


async def begin(running: Any) -> None:
    contextvars.copy_context().run(running.send, None)


def test_a_task_that_outlives_its_handler_waits_like_any_other_call() -> None:
    gauge, tasks = Gauge(), list[asyncio.Task[Any]]()

    @tool(limit=1)
    async def work(*, first: bool) -> None:
        "Work."
        if first:
            tasks.append(asyncio.create_task(later()))
            return
        with gauge:
            await asyncio.sleep(0)

    async def later() -> None:
        await asyncio.sleep(0)
        await asyncio.gather(*[work.call({"first": False}) for _ in range(5)])

    async def main() -> None:
        await work.call({"first": True})
        await tasks[0]

    asyncio.run(main())
    assert (gauge.most, gauge.all) == (1, 5)
