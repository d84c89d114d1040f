"""The gate law: exactly the data of the emitted schema are accepted, alike in every spelling."""

from __future__ import annotations

import json
from functools import partial
from random import Random
from typing import Any

from tests.laws_of_calls import exact
from tests.laws_of_calls.admitted import admitted
from tests.laws_of_calls.arguments import Sent, has_equal_keys
from tests.laws_of_calls.json_text import in_digits, written
from tests.laws_of_calls.oracle import Oracle
from tests.laws_of_calls.places import EXACT, MISSING, changed, number_paths, value_at
from tests.laws_of_calls.sameness import Sameness
from tests.laws_of_calls.sample import Run, Sample, plain
from tests.laws_of_calls.tally import Judge
from tests.laws_of_calls.twins import Twins
from tests.laws_of_calls.vendor_mode import takes
from toolhaft import Err, Ok
from toolhaft.spec import Path

__all__ = ["GateLaw"]


class GateLaw:
    """The law on one type; `check` tries it on one value."""

    def __init__(self, sample: Sample, judge: Judge, random: Random) -> None:
        self.sample = sample
        self.spec = sample.spec
        self.judge = judge
        self.random = random
        self.same = Sameness(sample.spec)
        self.safe = sample.tool()
        self.bare = sample.tool(coerce="none")
        self.schema = self.safe.input_schema.json_schema()
        self.oracle = Oracle(self.schema)
        self.twins = Twins(sample, judge)

    def check(self, sent: Sent) -> Run:
        """Try everything on one value; give the call without repairs."""
        run = Run(partial(self.bare.call_sync, sent.value))
        self._answers(sent.value, run)
        if isinstance(run.outcome, Ok):
            self._accepts_no_more(sent.value, run.outcome)
        elif isinstance(run.outcome, Err):
            self._accepts_no_less(sent.value, run.outcome)
        self._repairs(sent.value)
        self._spellings(sent.value)
        if isinstance(run.outcome, Ok) and len(run.seen) == 1:
            self._numbers(sent.value, run)
            for law, value, expected in exact.cases(self.spec, run.seen[0], sent.value):
                self._exactly(law, value, value, expected)
            for value, _, met in exact.literals(self.spec, run.seen[0], sent.value):
                self._exactly(exact.NUMBERS, value, written(value), met)
        self.twins.check(sent)
        return run

    def _answers(self, value: Any, run: Run) -> None:
        """Arguments are run or are `invalid_input`; nothing is raised, and nothing ran else."""
        outcome = run.outcome
        ran = isinstance(outcome, Ok) and len(run.seen) == 1
        refused = isinstance(outcome, Err) and outcome.kind == "invalid_input" and not run.seen
        shown = {"outcome": outcome, "raised": run.raised, "seen": run.seen}
        self.judge.holds("arguments run or are invalid_input", ran or refused, value, **shown)

    def _accepts_no_more(self, value: Any, outcome: Ok[Any]) -> None:
        """The schema accepts data that pass without repairs, unless a function widens it."""
        opened = [each.path for each in outcome.coercions if each.rule == "vendor"]
        dropped = [each.path for each in outcome.coercions if each.rule != "vendor"]
        strange = [each for each in opened if not self._is_opened(each, value)]
        law = "vendor is recorded behind a function only"
        self.judge.holds(law, not strange, value, recorded=strange)
        wrong = self.oracle.unexcused(_without(value, dropped), opened)
        law = "accepts no more than the schema"
        self.judge.holds(law, not wrong, value, wrong=wrong, coercions=outcome.coercions)

    def _accepts_no_less(self, value: Any, outcome: Err) -> None:
        """Data that the schema and the vendor accept are accepted, except for Keys and Numbers."""
        if self.spec.has_functions or not self.oracle.accepts(value):
            return
        if self._is_no_exception(value, outcome):
            taken = takes(self.sample, value)
            law = "accepts what schema and vendor take"
            self.judge.holds(law, not taken, value, issues=outcome.issues)

    def _is_no_exception(self, value: Any, outcome: Err) -> bool:
        """Whether neither Numbers, nor equal keys, nor an explicit `extra=` explains a refusal."""
        if has_equal_keys(value):
            return False
        is_closed = self.spec.extra == "forbid"
        if is_closed and any(each.code == "extra" for each in outcome.issues):
            return False
        numbers = (value_at(value, each) for each in number_paths(value))
        return all(abs(each) < EXACT for each in numbers)

    def _is_opened(self, path: Path, value: Any) -> bool:
        """Whether an author's function stands before a place.

        One that stands before a whole class opens it only for what is no object.
        """
        if self.spec.opened & set(path):
            return True
        keys = [each for each in path if isinstance(each, str)]
        is_object = isinstance(value_at(value, path), dict)
        return not is_object and (not keys or bool(self.spec.opened_classes & {keys[-1]}))

    def _repairs(self, value: Any) -> None:
        """The schema accepts repaired data too."""
        run = Run(partial(self.safe.call_sync, value))
        if isinstance(run.outcome, Ok) and len(run.seen) == 1:
            opened = [each.path for each in run.outcome.coercions if each.rule == "vendor"]
            given = admitted(self.spec, plain(run.outcome.arguments), value)
            wrong = self.oracle.unexcused(given, opened)
            shown = {"admitted": given, "wrong": wrong, "outcome": run.outcome}
            self.judge.holds("what was repaired, the schema accepts", not wrong, value, **shown)

    def _spellings(self, value: Any) -> None:
        """The same arguments as a dict, text and bytes have the same outcome."""
        text = json.dumps(value, ensure_ascii=self.random.random() < 0.5)
        for tool in (self.safe, self.bare):
            calls = (partial(tool.call_sync, raw) for raw in (value, text, text.encode()))
            runs = [Run(each) for each in calls]
            told = [_told(each) for each in runs]
            alike = told[0] == told[1] == told[2] and all(
                self.same.holds(each.seen, runs[0].seen) for each in runs
            )
            shown = {"told": told, "seen": [each.seen for each in runs]}
            self.judge.holds("dict, text and bytes are alike", alike, value, **shown)

    def _numbers(self, value: Any, run: Run) -> None:
        """`5` and `5.0` are the same number, wherever they stand."""
        for path in number_paths(value):
            number = value_at(value, path)
            if abs(number) >= EXACT or number != int(number) or self.spec.opened & set(path):
                continue
            twin = changed(value, path, int(number) if type(number) is float else float(number))
            again = Run(partial(self.bare.call_sync, twin))
            alike = isinstance(again.outcome, Ok) and self.same.holds(again.seen, run.seen)
            shown = {"made": again.seen, "outcome": again.outcome, "other": value, "its": run.seen}
            self.judge.holds("5 and 5.0 are one number", alike, twin, **shown)

    def _exactly(self, law: str, value: Any, raw: Any, expected: exact.Expectation) -> None:
        """A number, a time or a text at one place is read exactly, or refused."""
        if law == exact.NUMBERS and not self.oracle.accepts(value):
            return  # the schema asks for a text, as msgspec's does for a decimal
        run = Run(partial(self.bare.call_sync, raw))
        is_right = expected.is_met(run.seen[0]) if len(run.seen) == 1 else expected.is_refusal
        shown = {"expected": expected, "outcome": run.outcome, "seen": run.seen}
        self.judge.holds(law, is_right and run.raised is None, raw, **shown)


def _told(run: Run) -> Any:
    outcome = run.outcome
    if isinstance(outcome, Ok):
        return outcome.json, outcome.coercions, in_digits(plain(outcome.arguments))
    if isinstance(outcome, Err):
        return outcome.kind, [str(each) for each in outcome.issues], outcome.coercions
    return repr(run.raised)


def _without(value: Any, paths: list[Path]) -> Any:
    for path in paths:
        value = changed(value, path, MISSING)
    return value
