"""Measure functions against each other in one process: short rounds, interleaved, ratios.

The time is the process's own on a CPU, so that a busy machine disturbs it less; nothing that is
measured waits.
"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable, Sequence
from functools import partial
from statistics import median, quantiles
from time import process_time_ns
from typing import Any, NamedTuple

__all__ = ["Ratio", "calls_a_round", "in_loop", "paired", "paired_async", "rounds_of", "settle"]

Work = Callable[[], Any]
Timer = Callable[[Work, int], int]

SLICE_NS = 1_000_000
FEWEST, MOST = 3, 300


class Ratio(NamedTuple):
    """The median of paired ratios, their quartiles, and the floor's time in microseconds.

    `worst` is the ratio of the worst of several shapes; `textless` is the median without the text
    for the model, if that is measured too.
    """

    median: float
    low: float
    high: float
    floor_us: float
    worst: float | None = None
    textless: float | None = None

    @classmethod
    def of(cls, below: Sequence[float], above: Sequence[float]) -> Ratio:
        """Compare the rounds of a floor and of a work, in nanoseconds a call, pair by pair."""
        ratios = [mine / least for least, mine in zip(below, above, strict=True)]
        low, _, high = quantiles(ratios, n=4)
        return cls(median(ratios), low, high, min(below) / 1000)


def settle() -> None:
    """Take what earlier rows left out of the collector's sight, so that a row costs by itself."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()


def _time(work: Work, count: int) -> int:
    start = process_time_ns()
    for _ in range(count):
        work()  # the result is dropped at once: kept results measure the allocator
    return process_time_ns() - start


async def _time_async(work: Work, count: int) -> int:
    start = process_time_ns()
    for _ in range(count):
        await work()
    return process_time_ns() - start


def rounds_of(
    works: Sequence[Work], *, rounds: int, count: int, timer: Timer = _time
) -> list[list[float]]:
    """Time all in turn, `count` calls a round: nanoseconds a call, a list for each work."""
    for work in works:
        timer(work, count)
    turns = [[timer(work, count) / count for work in works] for _ in range(rounds)]
    return [list(times) for times in zip(*turns, strict=True)]


def paired(
    floor: Work, work: Work, *, rounds: int = 101, count: int = 300, timer: Timer = _time
) -> Ratio:
    """Time both in turn, `count` calls a round, and give the ratio of each pair of rounds."""
    settle()
    below, above = rounds_of([floor, work], rounds=rounds, count=count, timer=timer)
    return Ratio.of(below, above)


def paired_async(floor: Work, work: Work, *, rounds: int = 101, count: int = 300) -> Ratio:
    """Like `paired`, for functions that return awaitables, all in one loop."""
    with asyncio.Runner() as runner:
        return paired(floor, work, rounds=rounds, count=count, timer=partial(in_loop, runner))


def in_loop(runner: asyncio.Runner, work: Work, count: int) -> int:
    """Time a function that gives awaitables."""
    return runner.run(_time_async(work, count))


def calls_a_round(work: Work, timer: Timer = _time) -> int:
    """Choose how many calls of a function a round has, so that it lasts about a millisecond."""
    timer(work, FEWEST)
    took = timer(work, FEWEST) / FEWEST
    return max(FEWEST, min(MOST, int(SLICE_NS / took)))
