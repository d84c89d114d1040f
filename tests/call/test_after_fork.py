"""A forked process has threads, a loop, locks and places of its own, whatever its parent holds."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

import pytest

from toolhaft import Toolset, tool
from toolhaft.call import limits, once_token
from toolhaft.observers.limits import RateLimit

pytestmark = [
    pytest.mark.requirement("forked-processes"),
    pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork"),
]


def result_in_child(work: Callable[[], Any]) -> str:
    """Return the result of a function in a forked process, which is ended after ten seconds."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(10)
        try:
            os.write(writing, repr(work()).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as answer:
        result = answer.read()
    os.waitpid(child, 0)
    return result


@contextmanager
def held(lock: Any) -> Generator[None]:
    """Have another thread hold a lock."""
    taken, release = threading.Event(), threading.Event()

    def hold() -> None:
        with lock:
            taken.set()
            release.wait(60)

    thread = threading.Thread(target=hold)
    thread.start()
    taken.wait(60)
    try:
        yield
    finally:
        release.set()
        thread.join()


@tool(timeout=30)
def double(n: int) -> int:
    """Twice a number, in a thread."""
    return 2 * n


@tool
async def triple(n: int) -> int:
    """Three times a number, in a loop."""
    await asyncio.sleep(0)
    return 3 * n


def call_both() -> list[Any]:
    return [each.call_sync({"n": 4}).unwrap() for each in (double, triple)]


def test_a_handler_that_forks_goes_on_calling_tools_in_both_processes() -> None:
    def fork() -> list[Any]:
        """Fork, and call tools."""
        return [result_in_child(call_both), *call_both()]

    async def fork_in_loop() -> str:
        """Fork in the library's own loop, and call tools."""
        return result_in_child(call_both)

    called = call_both()
    forked = tool(fork, timeout=60, output=None).call_sync({}).unwrap()
    assert forked == [str(called), *called]
    assert tool(fork_in_loop).call_sync({}).unwrap() == str(called)


def test_places_that_the_parents_handlers_hold_are_free() -> None:
    begun, release = threading.Event(), threading.Event()

    @tool(limit=1)
    def wait(n: int) -> int:
        """Wait for the others."""
        if n:
            begun.set()
            release.wait(60)
        return n

    tools = Toolset([wait], limit=1)
    running = threading.Thread(target=lambda: tools.call_sync("wait", {"n": 1}))
    running.start()
    begun.wait(60)
    queued = threading.Thread(target=lambda: tools.call_sync("wait", {"n": 1}))
    queued.start()
    calls = [result_in_child(lambda: tools.call_sync("wait", {"n": 0}).text) for _ in "ab"]
    release.set()
    running.join()
    queued.join()
    assert calls == ["'0'"] * 2
    assert [bound.free for bound in tools._bounds] == [1]


def test_the_place_of_the_handler_that_forks_stays_its_own() -> None:
    @tool(limit=3)
    def fork() -> str:
        """Fork, and count the free places there."""
        return result_in_child(lambda: [bound.free for bound in tools._bounds])

    tools = Toolset([fork], limit=2)
    assert tools.call_sync("fork").unwrap() == "[1]"


def test_locks_that_another_thread_holds_are_made_anew() -> None:
    asking = double.replace(requires_approval=True)
    limited = Toolset([double], limiters=[RateLimit(100, seconds=60)], limit=3)
    fresh = tool(double.__wrapped__, name="fresh")
    locks_and_calls: list[tuple[Any, Callable[[], Any]]] = [
        (once_token.SPENT.lock, lambda: asking.call_sync({"n": 4}, approve=lambda _: True).text),
        (limited.limiters[0]._lock, lambda: limited.call_sync("double", {"n": 4}).text),  # type: ignore[attr-defined]
        (limits.WAITING.lock, lambda: limited.call_sync("double", {"n": 4}).text),
        (fresh._definition._lock, lambda: fresh.call_sync({"n": 4}).text),
    ]
    for lock, call in locks_and_calls:
        with held(lock):
            assert result_in_child(call) == "'8'"
