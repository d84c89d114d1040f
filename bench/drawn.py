"""The rows of drawn tools: each is measured over several shapes, and its figure is their median."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from functools import partial
from itertools import count
from random import Random
from statistics import median, quantiles

from cases import FORMS, Case, Draw, Form, WrongOutcomeError, cases
from paired import Ratio, calls_a_round, in_loop, rounds_of, settle
from rows import Measured, Row

__all__ = ["drawn_rows"]

LEAST_ROUNDS = 3


def drawn_rows(seed: str, shapes: int) -> Iterator[Row]:
    """Every row of every form, over so many shapes each."""
    for form in FORMS:
        for name, draw_case in cases(form):
            seeds = f"{seed}/{name}"
            yield Row(form.name, name, partial(_over_shapes, draw_case, form, seeds, shapes))


def _over_shapes(draw_case: Draw, form: Form, seeds: str, shapes: int, rounds: int) -> Measured:
    """Measure each shape: the median of their ratios, the quartiles and the worst of them."""
    drawn = list(_drawn_cases(draw_case, form, seeds, shapes))
    settle()
    each = max(LEAST_ROUNDS, rounds // shapes)
    figures = [(case.shape, _measured(case, each)) for case in drawn if isinstance(case, Case)]
    failures = tuple(case for case in drawn if isinstance(case, str))
    shown = tuple(
        f"{ratio.median:6.2f} of {ratio.floor_us:6.2f} us  {shape}" for shape, ratio in figures
    )
    ratios = [ratio for _, ratio in figures]
    return Measured(_summary(ratios) if ratios else None, failures, shown)


def _drawn_cases(draw_case: Draw, form: Form, seeds: str, shapes: int) -> Iterator[Case | str]:
    """Yield so many cases, or the reason for each one missing; skip cases that are undecided."""
    found = 0
    for number in count():
        if found == shapes:
            return
        made: Case | str | None
        try:
            made = draw_case(form, Random(f"{seeds}/{number}"))  # noqa: S311  no secret
        except WrongOutcomeError as error:
            made = f"#{number} {error}"
        if made is not None:
            found += 1
            yield made


def _measured(case: Case, rounds: int) -> Ratio:
    """The ratios of one shape."""
    if case.asynchronous:
        with asyncio.Runner() as runner:
            timer = partial(in_loop, runner)
            number = calls_a_round(case.work, timer)
            works = [case.floor, case.work]
            below, above = rounds_of(works, rounds=rounds, count=number, timer=timer)
        return Ratio.of(below, above)
    number, works = calls_a_round(case.work), [case.floor, case.work]
    if case.textless is None:
        below, above = rounds_of(works, rounds=rounds, count=number)
        return Ratio.of(below, above)
    below, above, bare = rounds_of([*works, case.textless], rounds=rounds, count=number)
    return Ratio.of(below, above)._replace(textless=Ratio.of(below, bare).median)


def _summary(ratios: list[Ratio]) -> Ratio:
    """The median over shapes."""
    medians = [ratio.median for ratio in ratios]
    low, _, high = quantiles(medians, n=4) if len(medians) > 1 else medians * 3
    floor_us = median(ratio.floor_us for ratio in ratios)
    textless = [ratio.textless for ratio in ratios if ratio.textless is not None]
    without = median(textless) if textless else None
    return Ratio(median(medians), low, high, floor_us, max(medians), without)
