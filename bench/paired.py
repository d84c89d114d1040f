"""Measure functions against each other in one process: short rounds, interleaved, ratios."""

from __future__ import annotations

import gc
from collections.abc import Callable
from statistics import median, quantiles
from time import perf_counter_ns
from typing import NamedTuple

__all__ = ["Ratio", "paired"]

Work = Callable[[], object]


class Ratio(NamedTuple):
    """The median of paired ratios, their middle half, and the floor's time in microseconds."""

    median: float
    low: float
    high: float
    floor_us: float


def _time(work: Work, count: int) -> int:
    start = perf_counter_ns()
    for _ in range(count):
        work()  # the result is dropped at once: kept results measure the allocator
    return perf_counter_ns() - start


def paired(floor: Work, work: Work, *, rounds: int = 201, count: int = 500) -> Ratio:
    """Time both in turn, `count` calls a round, and give the ratio of each pair of rounds."""
    for one in (floor, work):
        _time(one, count)
    ratios, floors = [], []
    gc.collect()
    for _ in range(rounds):
        below, above = _time(floor, count), _time(work, count)
        ratios.append(above / below)
        floors.append(below / count / 1000)
    low, _, high = quantiles(ratios, n=4)
    return Ratio(median(ratios), low, high, min(floors))
