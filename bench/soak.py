"""Make calls that fail, hang and are cancelled at random, and show that none is lost or doubled.

    python bench/soak.py [--calls 100000] [--seed 1]

Every batch is a turn with an Anthropic response, run through `call_all` with a guard against loops.
Each call has a number of its own; handlers note in a ledger that they began and ended. Promises are
asserted; counts are printed.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import logging
import os
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Generator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from toolhaft import Err, LoopGuard, Ok, ToolCall, ToolError, Toolset, tool
from toolhaft.call import workers
from toolhaft.toolset.export import Export

BATCH = 50
TIMEOUT = 0.003
FEW = 4
CANCELLED = 0.05
# The interpreter and the allocator may grow by this factor in the last four fifths of the calls.
MOST_GROWTH = 1.05


class Ledger:
    """How often each call's handler began and ended, and how many ran at once under a limit."""

    def __init__(self, calls: int) -> None:
        self.began = bytearray(calls)
        self.ended = bytearray(calls)
        self.few = self.most = 0

    @contextmanager
    def noted(self, n: int) -> Generator[None]:
        self.began[n] += 1
        try:
            yield
        finally:
            self.ended[n] += 1

    @contextmanager
    def counted(self) -> Generator[None]:
        self.few += 1
        self.most = max(self.most, self.few)
        try:
            yield
        finally:
            self.few -= 1


class Way(NamedTuple):
    """One kind of call: its arguments, and the outcomes that it may have."""

    tool: str
    arguments: Callable[[int], Any]
    kinds: frozenset[str]


def plain(n: int) -> Any:
    """Return valid arguments."""
    return {"n": n}


# In a crowd a call may time out in the queue, and threads that hang can fill the pool.
SYNC = frozenset({"ok", "overloaded"})
WAYS = (
    *[Way("good", plain, frozenset({"ok"}))] * 4,
    *[Way("threaded", plain, SYNC)] * 3,
    Way("alone", plain, frozenset({"ok"})),
    *[Way("few", plain, frozenset({"ok"}))] * 2,
    Way("late", plain, frozenset({"timeout"})),
    Way("stubborn", plain, frozenset({"timeout"})),
    Way("stuck", plain, frozenset({"timeout", "ok", "overloaded"})),
    Way("crash", plain, frozenset({"runtime_error"})),
    Way("words", plain, frozenset({"tool_error", "overloaded"})),
    Way("cancels", plain, frozenset({"runtime_error"})),
    Way("broken", plain, frozenset({"output_invalid"})),
    # The same call each time, and now and then three in a row.
    Way("good", lambda _: {"n": "none"}, frozenset({"invalid_input", "loop"})),
    Way("good", lambda n: f'{{"n": {n}', frozenset({"truncated"})),
    Way("god", plain, frozenset({"unknown_tool"})),
)


def toolset(ledger: Ledger) -> Toolset:  # noqa: C901  one tool for each way
    """Make a tool for each way."""

    @tool
    async def good(n: int) -> int:
        """Return the number."""
        with ledger.noted(n):
            await asyncio.sleep(0)
        return n

    @tool
    def threaded(n: int) -> int:
        """Return the number from a thread."""
        with ledger.noted(n):
            return n

    @tool(parallel=False)
    async def alone(n: int) -> int:
        """Return the number, with nothing else running."""
        with ledger.noted(n):
            await asyncio.sleep(0)
        return n

    @tool(limit=FEW)
    async def few(n: int) -> int:
        """Return the number, a few at a time."""
        with ledger.noted(n), ledger.counted():
            await asyncio.sleep(0)
        return n

    @tool(timeout=TIMEOUT)
    async def late(n: int) -> int:
        """Never end."""
        with ledger.noted(n):
            await asyncio.Event().wait()
        return n

    @tool(timeout=TIMEOUT)
    async def stubborn(n: int) -> int:
        """Take no for an answer, but not at once."""
        with ledger.noted(n):
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                await asyncio.sleep(TIMEOUT)
        return n

    @tool(timeout=TIMEOUT)
    def stuck(n: int) -> int:
        """Block a thread beyond the deadline."""
        with ledger.noted(n):
            time.sleep(2 * TIMEOUT)
        return n

    @tool
    async def crash(n: int) -> int:
        """Crash."""
        with ledger.noted(n):
            raise RuntimeError(n)

    @tool
    def words(n: int) -> int:
        """Tell the model."""
        with ledger.noted(n):
            raise ToolError("no such number")

    @tool
    async def cancels(n: int) -> int:
        """Cancel by itself."""
        with ledger.noted(n):
            raise asyncio.CancelledError

    @tool
    async def broken(n: int) -> int:
        """Break its promise."""
        with ledger.noted(n):
            return "a number"  # type: ignore[return-value]

    members = [good, threaded, alone, few, late, stubborn, stuck, crash, words, cancels, broken]
    return Toolset(members, limit=BATCH)


class Soak:
    """One run: batches one after the other, every outcome checked as it comes."""

    def __init__(self, calls: int, seed: int) -> None:
        self.calls = calls
        self.random = Random(seed)  # noqa: S311  a seed gives the same calls again
        self.ledger = Ledger(calls)
        self.tools = toolset(self.ledger)
        self.wire: Export = self.tools.export("anthropic")
        self.guard = LoopGuard()
        self.kinds: Counter[str] = Counter()

    async def run(self) -> list[float]:
        """Make all the calls; give the resident memory after each fifth of them, in MiB."""
        memory: list[float] = []
        for first in range(0, self.calls, BATCH):
            ways = self.random.choices(WAYS, k=min(BATCH, self.calls - first))
            await self._batch([(first + place, way) for place, way in enumerate(ways)])
            if first * 5 // self.calls < (first + BATCH) * 5 // self.calls:
                memory.append(resident())
        return memory

    async def _batch(self, batch: list[tuple[int, Way]]) -> None:
        calls = [ToolCall(f"c{n}", way.tool, way.arguments(n)) for n, way in batch]
        turn = asyncio.ensure_future(self.wire.call_all(calls, guard=self.guard))
        if self.random.random() < CANCELLED:
            for _ in range(self.random.randrange(8)):
                await asyncio.sleep(0)
            turn.cancel()
        await asyncio.wait({turn})
        if turn.cancelled():
            self._cancelled(calls)
        else:
            self._answered(batch, turn.result())
        await self._nothing_left()

    def _answered(self, batch: list[tuple[int, Way]], outcomes: list[Ok[Any] | Err]) -> None:
        assert [one.call_id for one in outcomes] == [f"c{n}" for n, _ in batch]
        for (n, way), outcome in zip(batch, outcomes, strict=True):
            kind = outcome.kind if isinstance(outcome, Err) else "ok"
            self.kinds[kind] += 1
            assert kind in way.kinds, (way.tool, kind)
            assert isinstance(outcome, Err) or outcome.value == n
            ran = not isinstance(outcome, Err) or outcome.effect != "none"
            # A thread that is late may not have come to its first line yet.
            began = self.ledger.began[n]
            assert began == ran or (way.tool, began) == ("stuck", 0), (way.tool, kind)

    def _cancelled(self, calls: list[ToolCall]) -> None:
        """The conversation goes on: each call is answered once."""
        content: list[dict[str, Any]] = [
            {"type": "tool_use", "id": one.id, "name": one.name, "input": {}} for one in calls
        ]
        left = self.wire.unanswered({"role": "assistant", "content": content})
        assert [one["tool_use_id"] for one in left.results] == [one.id for one in calls]
        self.kinds["(cancelled)"] += len(calls)

    async def _nothing_left(self) -> None:
        """Only handlers that outlive their deadline may go on after their turn, for a while."""
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        assert tasks <= workers.ABANDONED_TASKS
        if tasks:
            await asyncio.wait(tasks)

    def end(self) -> None:
        """Check what must hold of all calls together, once threads are done."""
        while workers.POOL.abandoned or workers.POOL.idle < workers.POOL.threads:
            time.sleep(TIMEOUT)
        assert self.kinds.total() == self.calls
        assert max(self.ledger.began) == 1
        assert self.ledger.began == self.ledger.ended
        assert self.ledger.most == FEW
        assert [limit.free for limit in self.tools._bounds] == [BATCH]
        assert threading.active_count() <= 1 + workers.THREADS


def resident() -> float:
    """Return the resident memory of this process in MiB."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / (1 << 20)


def timed(work: Coroutine[Any, Any, list[float]]) -> tuple[list[float], float]:
    """Run a coroutine on a loop of its own, and give the seconds that it took."""
    start = time.perf_counter()
    result = asyncio.run(work)
    return result, time.perf_counter() - start


def main(arguments: list[str]) -> int:
    """Run the soak and print the results."""
    parser = argparse.ArgumentParser(description="Calls that fail, hang and are cancelled.")
    parser.add_argument("--calls", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    logging.getLogger("toolhaft").disabled = True  # a traceback for every crash
    soak = Soak(given.calls, given.seed)
    memory, seconds = timed(soak.run())
    soak.end()
    print(f"{given.calls} calls in {seconds:.1f} s ({given.calls / seconds:.0f} a second)")
    for kind, number in soak.kinds.most_common():
        print(f"  {kind:15} {number}")
    print(f"tasks left: 0; threads: {threading.active_count()}; lost or doubled: 0")
    print("resident MiB after each fifth:", *(f"{one:.1f}" for one in memory))
    assert memory[-1] <= memory[0] * MOST_GROWTH, "memory grows"
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
