"""Measure functions against each other in one process: short rounds, interleaved, ratios."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable
from functools import partial
from statistics import median, quantiles
from time import perf_counter_ns
from typing import Any, NamedTuple

__all__ = ["Ratio", "paired", "paired_async"]

Work = Callable[[], Any]
Timer = Callable[[Work, int], int]


class Ratio(NamedTuple):
    """The median of paired ratios, their quartiles, and the floor's time in microseconds."""

    median: float
    low: float
    high: float
    floor_us: float


def _time(work: Work, count: int) -> int:
    start = perf_counter_ns()
    for _ in range(count):
        work()  # the result is dropped at once: kept results measure the allocator
    return perf_counter_ns() - start


async def _time_async(work: Work, count: int) -> int:
    start = perf_counter_ns()
    for _ in range(count):
        await work()
    return perf_counter_ns() - start


def paired(
    floor: Work, work: Work, *, rounds: int = 101, count: int = 300, timer: Timer = _time
) -> Ratio:
    """Time both in turn, `count` calls a round, and give the ratio of each pair of rounds."""
    for one in (floor, work):
        timer(one, count)
    ratios, floors = [], []
    gc.collect()
    for _ in range(rounds):
        below, above = timer(floor, count), timer(work, count)
        ratios.append(above / below)
        floors.append(below / count / 1000)
    low, _, high = quantiles(ratios, n=4)
    return Ratio(median(ratios), low, high, min(floors))


def paired_async(floor: Work, work: Work, *, rounds: int = 101, count: int = 300) -> Ratio:
    """Do as `paired` does for functions that give awaitables, all in one loop."""
    with asyncio.Runner() as runner:
        return paired(floor, work, rounds=rounds, count=count, timer=partial(_in_loop, runner))


def _in_loop(runner: asyncio.Runner, work: Work, count: int) -> int:
    return runner.run(_time_async(work, count))
