"""One run of the laws over random types of one vendor."""

from __future__ import annotations

from random import Random
from typing import Any

from tests.laws_of_calls.arguments import Sent, drawn
from tests.laws_of_calls.draw import draw
from tests.laws_of_calls.exact import widened
from tests.laws_of_calls.gate_law import GateLaw
from tests.laws_of_calls.prelude import COUNTS
from tests.laws_of_calls.sample import Sample
from tests.laws_of_calls.tally import Tally
from tests.laws_of_calls.view_law import ViewLaw
from toolhaft import DefinitionError

__all__ = ["run", "run_one"]


def run(vendor: str, types: int, values: int, seed: int, start: int = 0) -> Tally:
    """Hold the laws on that many types."""
    tally = Tally(vendor)
    for number in range(start, start + types):
        run_one(tally, seed, number, values)
    return tally


def run_one(tally: Tally, seed: int, number: int, values: int) -> None:
    """Hold the laws on the type of a number."""
    tally.number = number
    tally.types += 1
    COUNTS.clear()
    sample = Sample(draw(tally.vendor, seed, number))
    try:
        if _is_usable(sample, tally):
            _hold(sample, tally, Random(f"{seed}:{number}"), values)
    finally:
        sample.close()


def _is_usable(sample: Sample, tally: Tally) -> bool:
    """Whether the type makes a tool, and rightly does or does not."""
    expected, why = sample.spec.refusal, ""
    try:
        sample.tool()
    except DefinitionError as error:
        why = str(error)
    if why and expected:
        tally.refusals[expected] += 1
    elif why:
        tally.check("a right definition is taken", False, sample.source, None, why)
    elif expected:
        tally.check("a wrong definition is refused", False, sample.source, None, expected)
    return not why and not expected


def _hold(sample: Sample, tally: Tally, random: Random, values: int) -> None:
    tally.usable += 1
    tally.transforming += sample.spec.is_transforming
    gate = GateLaw(sample, tally, random)
    try:
        view = ViewLaw(sample, tally, random)
    except DefinitionError as error:
        view = None
        known = sample.spec.may_not_come_back
        tally.check("a right definition is taken", known, sample.source, None, str(error))
    for sent in drawn(gate.schema, random, values, values):
        run = gate.check(sent)
        if view is not None and (run.seen or sent.path is None):
            view.check(sent)
        if sent.path is None and run.seen:
            _hold_widened(sample, gate, view, sent.value, run.seen[0])


def _hold_widened(
    sample: Sample, gate: GateLaw, view: ViewLaw | None, value: Any, made: Any
) -> None:
    """Hold the laws on what only an author's functions read."""
    for other, path in widened(sample.spec, made, value):
        sent = Sent(other, path, "widened")
        gate.check(sent)
        if view is not None:
            view.check(sent)
