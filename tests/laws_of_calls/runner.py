"""One run of the laws over random types of one vendor."""

from __future__ import annotations

from random import Random
from typing import Any

from tests.laws_of_calls.arguments import Sent, drawn
from tests.laws_of_calls.draw import draw
from tests.laws_of_calls.exact import widened
from tests.laws_of_calls.gate_law import GateLaw
from tests.laws_of_calls.predicate_law import PredicateLaw
from tests.laws_of_calls.prelude import COUNTS
from tests.laws_of_calls.sample import Sample
from tests.laws_of_calls.tally import Judge, Tally
from tests.laws_of_calls.view_law import ViewLaw
from toolhaft import DefinitionError

__all__ = ["run", "run_one"]


def run(vendor: str, types: int, values: int, seed: int, start: int = 0) -> Tally:
    """Hold the laws on that many types."""
    tally = Tally(vendor, seed)
    for number in range(start, start + types):
        run_one(tally, number, values)
    return tally


def run_one(tally: Tally, number: int, values: int) -> None:
    """Hold the laws on the type of a number."""
    tally.number = number
    tally.types += 1
    COUNTS.clear()
    sample = Sample(draw(tally.vendor, tally.seed, number))
    try:
        judge = Judge(tally, sample.source)
        if _is_usable(sample, judge):
            _hold(sample, judge, Random(f"{tally.seed}:{number}"), values)
    finally:
        sample.close()


def _is_usable(sample: Sample, judge: Judge) -> bool:
    """Whether the type makes a tool, and rightly does or does not."""
    expected, why = sample.spec.refusal, ""
    try:
        sample.tool()
    except DefinitionError as error:
        why = str(error)
    if expected is None:
        judge.holds("a right definition is taken", not why, None, why=why)
    else:
        judge.holds("a wrong definition is refused", bool(why), None, why=expected)
        judge.tally.refusals[expected] += 1
    return not why and expected is None


def _hold(sample: Sample, judge: Judge, random: Random, values: int) -> None:
    tally = judge.tally
    tally.usable += 1
    tally.transforming += sample.spec.is_transforming
    gate, view = GateLaw(sample, judge, random), _view(sample, judge, random)
    predicates = PredicateLaw(sample, judge)
    for sent in drawn(gate.schema, random, values, values):
        run = gate.check(sent)
        tally.values += 1
        tally.accepted += bool(run.seen)
        if run.seen or sent.path is None:
            predicates.check(sent)
            if view is not None:
                view.check(sent)
        if sent.path is None and run.seen:
            _hold_widened(sample, gate, view, sent.value, run.seen[0])


def _view(sample: Sample, judge: Judge, random: Random) -> ViewLaw | None:
    """Return the view law; None if factories forbid that a person approves calls."""
    expected, why = sample.spec.cannot_be_asked, ""
    law = None
    try:
        law = ViewLaw(sample, judge, random)
    except DefinitionError as error:
        why = str(error)
    judge.holds(
        "a factory is called before somebody is asked", bool(why) == expected, None, why=why
    )
    if expected:
        judge.tally.refusals["nobody can be shown what its factory gives"] += 1
    return law


def _hold_widened(
    sample: Sample, gate: GateLaw, view: ViewLaw | None, value: Any, made: Any
) -> None:
    """Hold the laws on what only an author's functions read."""
    for other, path in widened(sample.spec, made, value):
        sent = Sent(other, path, "widened")
        gate.check(sent)
        if view is not None:
            view.check(sent)
