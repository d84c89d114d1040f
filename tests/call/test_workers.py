"""Threads, the library's own loop, and deadlines that are kept."""

from __future__ import annotations

import asyncio
import os
import threading
import weakref
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import ContextVar
from functools import partial
from queue import SimpleQueue
from typing import Any

import pytest

from toolhaft import tool
from toolhaft.call import workers
from toolhaft.call.workers import Crashed, Overloaded, Pool, TimedOut

RID: ContextVar[str] = ContextVar("rid", default="none")


def blocked(release: threading.Event, began: threading.Event) -> str:
    began.set()
    release.wait(10)
    return "late"


def test_a_pool_makes_threads_as_they_are_needed_and_keeps_them() -> None:
    pool = Pool(size=2)
    seen = []
    for _ in range(5):
        future = pool.submit(threading.get_ident)
        assert future is not None
        seen.append(future.result(5))
    assert 1 <= len(set(seen)) <= 2
    assert pool.threads <= 2


def test_a_pool_makes_no_more_threads_than_it_may_have() -> None:
    pool, release = Pool(size=3), threading.Event()
    futures = [pool.submit(release.wait) for _ in range(5)]
    waiting, threads = pool.jobs.qsize(), pool.threads
    release.set()
    assert [future is not None and future.result(20) for future in futures] == [True] * 5
    assert (waiting, threads) == (2, 3)


class SlowQueue:
    """A queue from which a job is taken, and given a while later."""

    def __init__(self) -> None:
        self.jobs: SimpleQueue[Any] = SimpleQueue()
        self.taken, self.goes_on = threading.Event(), threading.Event()
        self.put = self.jobs.put

    def get(self) -> Any:
        job = self.jobs.get()
        self.taken.set()
        self.goes_on.wait(60)
        return job


def test_a_thread_that_is_about_to_begin_a_job_is_not_counted_on_for_another() -> None:
    pool: Any = Pool(2)
    jobs = pool.jobs = SlowQueue()
    pool.submit(int).result(5)
    while not pool.idle:
        pass
    first = pool.submit(int)
    assert jobs.taken.wait(5)
    second = pool.submit(int)
    try:
        assert second.result(5) == 0
        assert not first.done()
    finally:
        jobs.goes_on.set()
    assert first.result(5) == 0


def test_what_a_job_raises_comes_back_as_a_value() -> None:
    future = Pool().submit(lambda: dict[str, str]()["missing"])
    assert future is not None
    result = future.result(5)
    assert isinstance(result, Crashed)
    assert isinstance(result.error, KeyError)


class Data:
    """The data of a caller."""


def crash(data: Data) -> None:
    raise LookupError(data)


@pytest.mark.parametrize("work", [id, crash])
def test_a_thread_that_waits_for_a_job_keeps_nothing_of_the_last_one(work: Any) -> None:
    pool, data = Pool(size=1), Data()
    gone = weakref.ref(data)
    future = pool.submit(partial(work, data))
    assert future is not None
    assert future.result(5)
    del data, future
    while not pool.idle:
        pass
    assert gone() is None


def test_threads_that_outlive_their_deadline_fill_the_pool_until_they_end() -> None:
    pool = Pool(size=1)
    release, began = threading.Event(), threading.Event()
    stuck = pool.submit(lambda: blocked(release, began))
    assert stuck is not None
    assert began.wait(5)
    late = pool.abandon(stuck)
    assert late.begun
    assert pool.submit(threading.get_ident) is None
    release.set()
    assert stuck.result(5) == "late"
    again = pool.submit(threading.get_ident)
    assert again is not None
    assert again.result(5)


def test_a_job_that_never_began_is_late_without_effect() -> None:
    pool = Pool(size=1)
    release, began = threading.Event(), threading.Event()
    first = pool.submit(lambda: blocked(release, began))
    waiting = pool.submit(threading.get_ident)
    assert first is not None
    assert waiting is not None
    assert began.wait(5)
    assert not pool.abandon(waiting).begun
    release.set()
    assert first.result(5) == "late"


@pytest.fixture
def full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "POOL", Pool(size=0))


@pytest.mark.usefixtures("full")
def test_a_full_pool_refuses_at_once() -> None:
    assert isinstance(workers.run_in_thread_sync(threading.get_ident, 1), Overloaded)
    assert isinstance(asyncio.run(workers.run_in_thread(threading.get_ident, 1)), Overloaded)


def test_a_deadline_is_kept_for_a_thread() -> None:
    release, began = threading.Event(), threading.Event()
    late = workers.run_in_thread_sync(lambda: blocked(release, began), 0.01)
    assert isinstance(late, TimedOut)
    late = asyncio.run(workers.run_in_thread(lambda: blocked(release, began), 0.01))
    assert isinstance(late, TimedOut)
    release.set()
    assert workers.run_in_thread_sync(RID.get, 5) == "none"


def test_a_deadline_is_kept_for_a_handler_that_swallows_its_cancellation() -> None:
    async def stubborn() -> str:
        try:
            await asyncio.sleep(10)
        except asyncio.CancelledError:
            await asyncio.sleep(0.2)
        return "late"

    async def main() -> Any:
        return await workers.await_until(stubborn(), 0.01)

    late = asyncio.run(main())
    assert isinstance(late, TimedOut)
    assert late.begun


def test_an_outer_cancellation_reaches_the_handler_and_the_caller() -> None:
    stopped = []

    async def handler() -> None:
        try:
            await asyncio.sleep(10)
        finally:
            stopped.append(True)

    async def main() -> None:
        task = asyncio.ensure_future(workers.await_until(handler(), 10))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.sleep(0)
        await asyncio.sleep(0)

    asyncio.run(main())
    assert stopped == [True]


def test_the_librarys_loop_carries_context_variables_and_exceptions() -> None:
    async def seen() -> str:
        return RID.get()

    async def broken() -> None:
        raise SystemExit(3)

    token = RID.set("r1")
    try:
        assert workers.run_in_loop(seen()) == "r1"
    finally:
        RID.reset(token)
    with pytest.raises(SystemExit):
        workers.run_in_loop(broken())
    assert workers.run_in_loop(seen()) == "none"


def test_the_librarys_loop_does_not_wait_for_itself() -> None:
    async def inner() -> int:
        return 1

    async def outer() -> int:
        result: int = workers.run_in_loop(inner())
        return result

    with pytest.raises(RuntimeError, match="await call instead"):
        workers.run_in_loop(outer())


def test_an_interrupt_while_waiting_stops_the_coroutine(monkeypatch: pytest.MonkeyPatch) -> None:
    began, stopped = threading.Event(), threading.Event()

    async def waits() -> None:
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()

    def interrupted(self: Future[Any], timeout: float | None = None) -> Any:
        began.wait(10)
        raise KeyboardInterrupt

    monkeypatch.setattr(Future, "result", interrupted)
    with pytest.raises(KeyboardInterrupt):
        workers.run_in_loop(waits())
    monkeypatch.undo()
    assert stopped.wait(10)


@pytest.mark.parametrize("runs", [False, True], ids=["before it began", "once it had begun"])
def test_an_interrupt_while_it_is_handed_over_stops_the_coroutine_too(
    monkeypatch: pytest.MonkeyPatch, runs: bool
) -> None:
    began, stopped, seen = threading.Event(), threading.Event(), threading.Event()
    loop = workers.LOOP.get()

    async def waits() -> None:
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()

    class Interrupted:
        """Takes the coroutine, and is interrupted before it can report that."""

        def call_soon_threadsafe(self, *handed: Any) -> None:
            late.append(handed)
            if runs:
                loop.call_soon_threadsafe(*handed)
                assert began.wait(10)
            raise KeyboardInterrupt

    late: list[Any] = []
    with monkeypatch.context() as patched:
        patched.setattr(workers.LOOP, "loop", Interrupted())
        with pytest.raises(KeyboardInterrupt):
            workers.run_in_loop(waits())
    if not runs:
        loop.call_soon_threadsafe(*late[0])
        loop.call_soon_threadsafe(seen.set)
        assert seen.wait(10)
    else:
        assert stopped.wait(10)
    assert began.is_set() is runs


def test_a_coroutine_that_others_cancel_is_no_wait_for_ever() -> None:
    async def cancelled() -> None:
        task = asyncio.current_task()
        assert task is not None
        asyncio.get_running_loop().call_soon(task.cancel)
        await asyncio.Event().wait()

    with pytest.raises(asyncio.CancelledError):
        workers.run_in_loop(cancelled())


def stop() -> None:
    asyncio.get_running_loop().stop()


def leave() -> None:
    asyncio.get_running_loop().call_soon(raise_exit)


def leave_in_a_task() -> None:
    LEFT.append(asyncio.get_running_loop().create_task(exit_later()))


def raise_exit() -> None:
    raise SystemExit(3)


async def exit_later() -> None:
    raise_exit()


LEFT: list[asyncio.Task[None]] = []


@pytest.mark.requirement("handlers-stop-nothing")
@pytest.mark.parametrize("disturb", [stop, leave, leave_in_a_task])
@pytest.mark.parametrize("timeout", [None, 60])
def test_the_loop_of_sync_callers_outlives_what_a_handler_does_to_it(
    disturb: Callable[[], None], timeout: float | None
) -> None:
    async def ends_at_once() -> str:
        "Disturb the loop, and return."
        disturb()
        return "at once"

    async def goes_on() -> str:
        "Disturb the loop, and need it."
        disturb()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        return "went on"

    def call_both() -> list[str]:
        return [tool(f, timeout=timeout).call_sync({}).text for f in (ends_at_once, goes_on)]

    calling = Pool(size=1).submit(call_both)
    assert calling is not None
    assert calling.result(30) == ["at once", "went on"]
    assert [str(task.exception()) for task in LEFT] == ["3"] * len(LEFT)
    LEFT.clear()


def test_a_job_of_a_job_never_waits_for_a_thread() -> None:
    pool = Pool(size=2)

    def descend(levels: int) -> int:
        if levels == 0:
            return 0
        inner = pool.submit(partial(descend, levels - 1))
        assert inner is not None
        found: int = inner.result(10)
        return found + 1

    outer = [pool.submit(partial(descend, 20)) for _ in range(5)]
    assert [one.result(30) for one in outer if one is not None] == [20] * 5


def test_tools_that_call_tools_never_fill_the_pool() -> None:
    def below(n: int) -> int:
        "Go down in a loop."
        return 0 if n == 0 else 1 + later.call_sync({"n": n - 1}).unwrap()

    async def below_later(n: int) -> int:
        "Go down in a thread."
        return 0 if n == 0 else 1 + (await now.call({"n": n - 1})).unwrap()

    now, later = tool(below, timeout=30), tool(below_later, timeout=30)
    assert now.call_sync({"n": 3 * workers.THREADS}).unwrap() == 3 * workers.THREADS


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_process_has_threads_and_a_loop_of_its_own() -> None:
    @tool(timeout=5)
    def who() -> int:
        "Say which process runs this."
        return os.getpid()

    @tool
    async def later() -> int:
        "Say which process runs this."
        return os.getpid()

    def are_here() -> bool:
        return [one.call_sync({}).unwrap() for one in (who, later)] == [os.getpid()] * 2

    assert are_here()
    child = os.fork()
    if child == 0:
        os._exit(0 if are_here() else 1)
    assert os.waitpid(child, 0)[1] == 0
