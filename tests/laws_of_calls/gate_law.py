"""The gate law: what is accepted is what the emitted schema says, alike in every spelling."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from random import Random
from typing import Any, Final

from tests.laws_of_calls import exact
from tests.laws_of_calls.arguments import Sent
from tests.laws_of_calls.oracle import Oracle
from tests.laws_of_calls.places import MISSING, changed, value_at
from tests.laws_of_calls.sameness import Sameness
from tests.laws_of_calls.sample import Run, Sample, plain
from tests.laws_of_calls.seen import resent
from tests.laws_of_calls.tally import Tally
from tests.laws_of_calls.twins import Twins
from tests.laws_of_calls.vendor_mode import takes
from toolhaft import Err, Ok
from toolhaft.spec import Path

__all__ = ["GateLaw"]

# Where the numbers end that a double holds each by itself.
EXACT: Final = 2**53


class GateLaw:
    """The law on one type; `check` tries it on one value."""

    def __init__(self, sample: Sample, tally: Tally, random: Random) -> None:
        self.sample = sample
        self.spec = sample.spec
        self.tally = tally
        self.same = Sameness(sample.spec)
        self.random = random
        self.safe = sample.tool()
        self.bare = sample.tool(coerce="none")
        self.schema = self.safe.input_schema.json_schema()
        self.oracle = Oracle(self.schema)
        self.twins = Twins(sample, tally)
        classes = {each.name for each in self.spec.models if each.opening}
        self.classes_opened = {
            each.key for each in self.spec.fields() if classes & set(each.shape.models())
        }

    def check(self, sent: Sent) -> Run:
        """Try everything on one value; give the call without repairs."""
        run = Run(lambda: self.bare.call_sync(sent.value))
        self.tally.values += 1
        self.tally.accepted += isinstance(run.outcome, Ok)
        self._answers(sent, run)
        self._accepts_what_the_schema_does(sent, run)
        self._repaired(sent)
        self._spellings(sent)
        if isinstance(run.outcome, Ok) and len(run.seen) == 1:
            self._numbers(sent, run)
            for law, value, expected in exact.cases(self.spec, run.seen[0], sent.value):
                self._exact(law, value, expected)
        self.twins.check(sent)
        return run

    def holds(self, law: str, holds: bool, value: Any, detail: Callable[[], str]) -> bool:
        text = "" if holds else detail()
        return self.tally.check(law, holds, self.sample.source, value, text)

    def _answers(self, sent: Sent, run: Run) -> None:
        """Arguments are run or are `invalid_input`; nothing is raised, and nothing ran else."""
        outcome = run.outcome
        fine = isinstance(outcome, Ok) and len(run.seen) == 1
        fine = fine or (isinstance(outcome, Err) and outcome.kind == "invalid_input")
        fine = fine and (isinstance(outcome, Ok) or not run.seen)
        self.holds("answers", fine, sent.value, lambda: f"{outcome!r}, raised {run.raised!r}")

    def _accepts_what_the_schema_does(self, sent: Sent, run: Run) -> None:
        outcome = run.outcome
        if isinstance(outcome, Ok):
            # Nothing is repaired without coercion: what is recorded else was dropped.
            opened = [each.path for each in outcome.coercions if each.rule == "vendor"]
            dropped = [each.path for each in outcome.coercions if each.rule != "vendor"]
            admitted = _without(sent.value, dropped)
            strange = [each for each in opened if not self._is_opened(each, sent.value)]
            self.holds("vendor is recorded behind a function only", not strange, sent.value,
                       lambda: f"recorded: {strange}")  # fmt: skip
            wrong = self.oracle.unexcused(admitted, opened)
            detail = lambda: f"accepted: {wrong}; coercions {outcome.coercions}"  # noqa: E731
            self.holds("accepts no more than the schema", not wrong, sent.value, detail)
        elif isinstance(outcome, Err) and not self.spec.has_functions:
            if self.oracle.accepts(sent.value) and self._is_no_exception(sent.value, outcome):
                taken = takes(self.sample, sent.value)
                self.holds("accepts what schema and vendor take", not taken, sent.value,
                           lambda: f"refused: {outcome.issues}")  # fmt: skip

    def _repaired(self, sent: Sent) -> None:
        """What was admitted after repairs, the schema accepts too."""
        run = Run(lambda: self.safe.call_sync(sent.value))
        if isinstance(run.outcome, Ok) and len(run.seen) == 1:
            opened = [each.path for each in run.outcome.coercions if each.rule == "vendor"]
            told = plain(run.outcome.arguments)
            admitted = resent(self.spec, run.seen[0], told, vars(self.sample.module))
            wrong = self.oracle.unexcused(admitted, opened)
            self.holds("what was repaired, the schema accepts", not wrong, sent.value,
                       lambda: f"admitted {admitted}: {wrong}; {run.outcome!r}")  # fmt: skip

    def _is_opened(self, path: Path, value: Any) -> bool:
        """Whether an author's function stands before a place.

        One that stands before a whole class opens it only for what is no object.
        """
        if self.twins.opened & set(path):
            return True
        keys = [each for each in path if isinstance(each, str)]
        is_object = isinstance(value_at(value, path), dict)
        return not is_object and (not keys or bool(self.classes_opened & {keys[-1]}))

    def _is_no_exception(self, value: Any, outcome: Err) -> bool:
        """Whether neither Numbers, nor an explicit `extra=`, explains a refusal."""
        closed = self.spec.extra == "forbid"
        if closed and any(each.code == "extra" for each in outcome.issues):
            return False
        numbers = (value_at(value, each) for each in number_paths(value))
        return all(abs(each) < EXACT for each in numbers)

    def _spellings(self, sent: Sent) -> None:
        """The same arguments as a dict, text and bytes have the same outcome."""
        text = json.dumps(sent.value, ensure_ascii=self.random.random() < 0.5)
        for tool in (self.safe, self.bare):
            runs = [Run(lambda raw=raw: tool.call_sync(raw)) for raw in  # type: ignore[misc]
                    (sent.value, text, text.encode())]  # fmt: skip
            told = [self._told(each) for each in runs]
            alike = told[0] == told[1] == told[2] and all(
                self.same.holds(each.seen, runs[0].seen) for each in runs
            )
            self.holds("dict, text and bytes alike", alike, sent.value,
                       lambda: "\n".join(map(repr, zip(told, (x.seen for x in runs)))))  # fmt: skip

    def _told(self, run: Run) -> Any:
        outcome = run.outcome
        if isinstance(outcome, Ok):
            return outcome.json, outcome.coercions, plain(outcome.arguments)
        if outcome is None:
            return repr(run.raised)
        return outcome.kind, [str(each) for each in outcome.issues], outcome.coercions

    def _numbers(self, sent: Sent, run: Run) -> None:
        """`5` and `5.0` are the same number, wherever they stand."""
        for path in number_paths(sent.value):
            number = value_at(sent.value, path)
            if abs(number) >= EXACT or number != int(number) or self.twins.opened & set(path):
                continue
            other = int(number) if isinstance(number, float) else float(number)
            value = changed(sent.value, path, other)
            again = Run(lambda value=value: self.bare.call_sync(value))  # type: ignore[misc]
            alike = isinstance(again.outcome, Ok) and self.same.holds(again.seen, run.seen)
            self.holds("5 and 5.0 are one number", alike, value,
                       lambda: f"{sent.value!r} gave {run.seen}; this {again.outcome!r} "
                               f"{again.seen}")  # fmt: skip

    def _exact(self, law: str, value: Any, expected: exact.Expected) -> None:
        """A number or a time at one place is read exactly, or refused."""
        run = Run(lambda: self.bare.call_sync(value))
        is_right = isinstance(run.outcome, Err)
        if expected is not exact.REFUSED:
            is_right = isinstance(run.outcome, Ok) and expected.is_met(run.seen[0])
        self.holds(law, is_right, value, lambda: f"{expected}; {run.outcome!r} {run.seen}")


def number_paths(value: Any, path: Path = ()) -> Iterable[Path]:
    """Give the place of every number."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield from number_paths(each, (*path, key))
    elif isinstance(value, list):
        for at, each in enumerate(value):
            yield from number_paths(each, (*path, at))
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield path


def _without(value: Any, paths: list[Path]) -> Any:
    for path in paths:
        value = changed(value, path, MISSING)
    return value
