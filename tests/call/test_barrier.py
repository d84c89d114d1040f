"""A barrier: a call of a tool that is not parallel runs alone, over loops and threads."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from tests.share import share
from toolhaft import Err, Ok, Toolset, tool
from toolhaft.call.barrier import Barrier
from toolhaft.call.limits import TURNS_AROUND, Turn
from toolhaft.toolset.internals import keep_apart

pytestmark = pytest.mark.requirement("parallel-in-hosts")


def turn_in(barrier: Barrier, *around: Turn, is_alone: bool = False) -> Turn:
    token = TURNS_AROUND.set(around)
    try:
        return Turn([barrier], None, is_alone=is_alone)
    finally:
        TURNS_AROUND.reset(token)


def ask(barrier: Barrier, *around: Turn, is_alone: bool = False) -> Turn:
    turn = turn_in(barrier, *around, is_alone=is_alone)
    barrier.acquire(turn)
    return turn


def has_place(turn: Turn) -> bool:
    return turn.waiting is None or turn.waiting.done()


# ----------------------------------------------------------------------------- who comes next


def test_a_call_that_is_alone_waits_for_all_and_all_behind_it_wait() -> None:
    barrier = Barrier()
    first, second = (ask(barrier) for _ in range(2))
    alone = ask(barrier, is_alone=True)
    third = ask(barrier)
    assert [has_place(place) for place in (first, second, alone, third)] == [
        True,
        True,
        False,
        False,
    ]
    barrier.release(first)
    assert not has_place(alone)
    barrier.release(second)
    assert (has_place(alone), has_place(third)) == (True, False)
    barrier.release(alone)
    assert has_place(third)


def test_a_call_that_gives_up_waiting_lets_in_those_behind_it() -> None:
    barrier = Barrier()
    running = ask(barrier)
    alone = ask(barrier, is_alone=True)
    behind = ask(barrier)
    barrier.release(alone)
    assert has_place(behind)
    barrier.release(running)
    barrier.release(behind)
    assert (barrier.taken, barrier.queue, barrier.alone) == ({}, {}, set())


def test_a_call_inside_another_passes_it_and_what_waits_for_it() -> None:
    barrier = Barrier()
    outer = turn_in(barrier)
    barrier.acquire(outer)
    ask(barrier, is_alone=True)  # waits for the outer call
    assert has_place(ask(barrier, outer))


def test_calls_inside_one_that_is_alone_keep_apart_too() -> None:
    barrier = Barrier()
    outer = turn_in(barrier, is_alone=True)
    barrier.acquire(outer)
    inner = ask(barrier, outer, is_alone=True)
    sibling = ask(barrier, outer)
    assert (has_place(inner), has_place(sibling)) == (True, False)
    barrier.release(inner)
    assert has_place(sibling)


class Coming:
    """Calls that come, end, and give up at random; a handler ends after the calls that it made."""

    def __init__(self, seed: int) -> None:
        self.random, self.barrier = Random(seed), Barrier()
        self.outer: dict[Turn, Turn] = {}

    def step(self) -> None:
        waited_for = set(self.outer.values())
        ending = [turn for turn in self.barrier.taken if turn not in waited_for]
        chance = self.random.random()
        if chance < 0.4 and ending:
            self.end(self.random.choice(ending))
        elif chance < 0.5 and self.barrier.queue:
            self.end(self.random.choice(list(self.barrier.queue)))
        else:
            self.begin(self.random.choice([None, *self.barrier.taken]))

    def begin(self, outer: Turn | None) -> None:
        around = () if outer is None else (*outer.around, outer)
        is_alone = outer is None and self.random.random() < 0.3  # inside, there would be circles
        turn = ask(self.barrier, *around, is_alone=is_alone)
        if outer is not None:
            self.outer[turn] = outer

    def end(self, turn: Turn) -> None:
        self.barrier.release(turn)
        self.outer.pop(turn, None)


def test_whatever_comes_and_goes_one_that_is_alone_is_alone_and_none_is_forgotten() -> None:
    for seed in range(share(2000)):
        coming = Coming(seed)
        barrier = coming.barrier
        for _ in range(60):
            coming.step()
            for alone in barrier.alone:
                others = [turn for turn in barrier.taken if turn is not alone]
                assert all(alone in turn.around for turn in others)
            assert barrier.taken or not barrier.queue
            assert all(map(has_place, barrier.taken))
        while barrier.taken:
            coming.end(next(turn for turn in barrier.taken if turn not in coming.outer.values()))
        assert (barrier.queue, barrier.alone) == ({}, set())


# ----------------------------------------------------------------------------- tools


class Watch:
    """Counts runs, and notes every run beside one that must be alone."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.now: list[str] = []
        self.all = 0
        self.met: list[list[str]] = []

    def begin(self, name: str) -> None:
        with self.lock:
            self.now.append(name)
            self.all += 1
            if "alone" in self.now and len(self.now) > 1:
                self.met.append(list(self.now))

    def end(self, name: str) -> None:
        with self.lock:
            self.now.remove(name)


def watched(watch: Watch, name: str, **options: Any) -> Any:
    async def run() -> str:
        """Run."""
        watch.begin(name)
        try:
            for _ in range(5):
                await asyncio.sleep(0)
        finally:
            watch.end(name)
        return name

    return tool(name=name, **options)(run)


def in_threads(*jobs: Callable[[], Any]) -> None:
    threads = [threading.Thread(target=job) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def kind(outcome: Ok[Any] | Err) -> str:
    return outcome.kind if isinstance(outcome, Err) else "ok"


def test_it_holds_over_loops_and_threads() -> None:
    watch = Watch()
    tools = keep_apart(Toolset([watched(watch, "alone", parallel=False), watched(watch, "quick")]))

    async def several() -> list[Ok[Any] | Err]:
        return list(await asyncio.gather(*(tools.call(name) for name in ["quick", "alone"] * 5)))

    def on_a_loop() -> None:
        outcomes.extend(asyncio.run(several()))

    def sync() -> None:
        outcomes.extend(tools.call_sync(name) for name in ["alone", "quick"] * 5)

    outcomes: list[Ok[Any] | Err] = []
    in_threads(*(on_a_loop, sync) * 3)
    assert [kind(outcome) for outcome in outcomes] == ["ok"] * 60
    assert (watch.met, watch.all, watch.now) == ([], 60, [])


def test_a_call_that_is_cancelled_releases_it_or_leaves_the_queue() -> None:
    watch = Watch()

    @tool(parallel=False)
    async def stay() -> str:
        """Stay for ever."""
        begun.set()
        await asyncio.Event().wait()
        return "never"

    async def cancel() -> str:
        tools = keep_apart(Toolset([stay, watched(watch, "quick")]))
        running, waiting = (asyncio.ensure_future(tools.call("stay")) for _ in range(2))
        await begun.wait()
        behind = asyncio.ensure_future(tools.call("quick"))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.wait({waiting})
        assert not behind.done()
        running.cancel()
        return (await behind).text

    begun = asyncio.Event()
    assert asyncio.run(asyncio.wait_for(cancel(), 20)) == "quick"


@pytest.mark.parametrize("parallel", [True, False])
@pytest.mark.parametrize("way", ["task", "thread", "sync"])
def test_a_handler_that_calls_tools_does_not_wait_for_itself(parallel: bool, way: str) -> None:
    @tool(parallel=False)
    def inner() -> str:
        """Do the work."""
        return "done"

    async def in_tasks() -> str:
        """Call twice."""
        outcomes = await asyncio.gather(tools.call("inner"), tools.call("inner"))
        return " ".join(outcome.text for outcome in outcomes)

    async def in_a_thread() -> str:
        """Call in a thread."""
        return (await asyncio.to_thread(tools.call_sync, "inner")).text + " done"

    def offloaded() -> str:
        """Call in the worker."""
        return tools.call_sync("inner").text + " done"

    handlers: dict[str, Any] = {"task": in_tasks, "thread": in_a_thread, "sync": offloaded}
    outer = tool(name="outer", parallel=parallel)(handlers[way])
    tools = keep_apart(Toolset([outer, inner]))
    outcome = asyncio.run(asyncio.wait_for(tools.call("outer"), 20))
    assert outcome.text == "done done"


def test_of_two_handlers_that_would_wait_for_each_other_one_call_is_refused() -> None:
    @tool(parallel=False)
    def inner() -> str:
        """Do the work."""
        return "done"

    @tool
    async def outer() -> str:
        """Call the other, while another call does too."""
        await both_run.wait()
        return kind(await tools.call("inner"))

    async def both() -> list[str]:
        outcomes = await asyncio.gather(tools.call("outer"), tools.call("outer"))
        return [outcome.text for outcome in outcomes]

    both_run = asyncio.Barrier(2)
    tools = keep_apart(Toolset([outer, inner]))
    assert sorted(asyncio.run(asyncio.wait_for(both(), 20))) == ["ok", "overloaded"]


def test_it_is_not_held_while_a_person_decides() -> None:
    watch = Watch()

    async def decide() -> tuple[str, str]:
        asked, answer = asyncio.Event(), asyncio.Event()

        async def approve(_: Any) -> bool:
            asked.set()
            await answer.wait()
            return True

        alone = watched(watch, "alone", parallel=False, requires_approval=True)
        tools = keep_apart(Toolset([alone, watched(watch, "quick")], approve=approve))
        waiting = asyncio.ensure_future(tools.call("alone"))
        await asked.wait()
        quick = await tools.call("quick")
        answer.set()
        return quick.text, (await waiting).text

    assert asyncio.run(asyncio.wait_for(decide(), 20)) == ("quick", "alone")


def test_the_wait_is_part_of_a_calls_time() -> None:
    @tool(parallel=False)
    async def stay() -> str:
        """Stay until the other call has ended."""
        begun.set()
        await ended.wait()
        return "stayed"

    @tool(timeout=0.01)
    async def hurried() -> str:
        """Take no time."""
        return "never"

    async def both() -> list[str]:
        tools = keep_apart(Toolset([stay, hurried]))
        staying = asyncio.ensure_future(tools.call("stay"))
        await begun.wait()
        late = await tools.call("hurried")
        ended.set()
        return [kind(late), kind(await staying)]

    begun, ended = asyncio.Event(), asyncio.Event()
    assert asyncio.run(asyncio.wait_for(both(), 20)) == ["timeout", "ok"]


def test_sets_made_from_one_another_keep_apart_and_others_do_not() -> None:
    watch = Watch()
    tools = Toolset([watched(watch, "alone", parallel=False), watched(watch, "quick")])
    [barrier] = keep_apart(tools)._bounds
    made = [
        tools.select("quick"),
        tools.prefix("x_"),
        tools.visible_to(None),
        tools + tools.select(),
    ]
    assert [keep_apart(each)._bounds for each in made] == [(barrier,)] * 4
    assert keep_apart(Toolset(tools))._bounds != (barrier,)
    free = Toolset([watched(watch, "quick")])
    assert keep_apart(free) is free
