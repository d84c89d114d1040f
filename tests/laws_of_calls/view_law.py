"""The view law: the arguments that are shown, approved and run are one value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any, Final

from tests.laws_of_calls.admitted import admitted
from tests.laws_of_calls.arguments import Sent
from tests.laws_of_calls.exact import Expected, literals
from tests.laws_of_calls.json_text import written
from tests.laws_of_calls.key_law import KeyLaw
from tests.laws_of_calls.oracle import Oracle, is_near
from tests.laws_of_calls.places import factories, places, value_at
from tests.laws_of_calls.sameness import Sameness
from tests.laws_of_calls.sample import KEY, Run, Sample, plain
from tests.laws_of_calls.seen import Difference, differences, is_of
from tests.laws_of_calls.tally import Judge
from toolhaft import Err, Ok, Prepared, Toolset
from toolhaft.spec import Path

__all__ = ["ViewLaw"]

KINDS: Final = {
    "unseen": "every declared value is seen",
    "otherwise": "every declared value is seen as it is",
    "for nothing": "nothing else is shown",
}


class ViewLaw:
    """The law on one type; `check` tries it on one value.

    Raises:
        DefinitionError: A factory cannot be called before a person is asked.
    """

    def __init__(self, sample: Sample, judge: Judge, random: Random) -> None:
        self.sample = sample
        self.spec = sample.spec
        self.judge = judge
        self.same = Sameness(sample.spec)
        self.views: list[Any] = []
        self.asking = sample.tool(requires_approval=True)
        self.oracle = Oracle(self.asking.input_schema.json_schema())
        self.waiting = self.asking
        self.other = sample.changed_twin(random)
        self.keys = KeyLaw(sample, judge, random)

    def _approve(self, prepared: Prepared[Any]) -> bool:
        self.views.append(plain(prepared.arguments))
        return True

    def check(self, sent: Sent) -> None:
        """Try everything on one value."""
        value = sent.value
        run = self._asked(partial(self.asking.call_sync, value, approve=self._approve))
        if not run.seen:
            self._refused(value, run)
            return
        self._compare("the approver", value, run)
        self._count("the approver", value, run, run.counts)
        self._make_again(value, run)
        self._approve_and_run(value)
        self._resume_changed(value)
        for whole, path, expected in literals(self.spec, run.seen[0], value):
            if self.oracle.accepts(whole):
                self._keep_digits(whole, path, expected)
        for attack in self.keys.check(value, run.seen[0]):
            again = self._asked(partial(self.asking.call_sync, attack.value, approve=self._approve))
            if again.seen:
                self._compare("the approver", attack.value, again)

    def _asked(self, call: Callable[[], Any]) -> Run:
        self.views.clear()
        return Run(call, is_moving=True)

    def _refused(self, value: Any, run: Run) -> None:
        """No person is asked about a rejected call.

        Only factories, and functions in a branch of a union, may be the program's fault.
        """
        outcome = run.outcome
        fine = isinstance(outcome, Err) and not self.views
        if isinstance(outcome, Err) and outcome.kind != "invalid_input":
            is_excused = self.spec.may_not_come_back or self.spec.may_be_of_another_branch
            fine = fine and is_excused and outcome.effect == "none"
        shown = {"outcome": outcome, "raised": run.raised, "shown": self.views}
        self.judge.holds("nobody is asked about what is refused", fine, value, **shown)

    def _compare(self, who: str, value: Any, run: Run) -> None:
        """Each person saw the handler's arguments."""
        is_once = len(self.views) == len(run.seen) == 1
        shown = {"who": who, "shown": self.views[:], "made": run.seen}
        self.judge.holds("each is asked once", is_once, value, **shown)
        if not is_once:
            return
        names = vars(self.sample.module)
        found = list(differences(self.spec, run.seen[0], self.views[0], names))
        found = found and self._unexcused(found, self.views[0])
        for kind, law in KINDS.items():
            wrong = [each for each in found if each.kind == kind]
            self.judge.holds(law, not wrong, value, wrong=wrong, **shown)

    def _unexcused(self, found: list[Difference], shown: Any) -> list[Difference]:
        """Leave out what an author's function read that its field's schema does not accept."""
        return [each for each in found if not self._is_excused(each, shown)]

    def _is_excused(self, difference: Difference, shown: Any) -> bool:
        path = difference.path
        known = path[:-1] if difference.kind == "unseen" else path
        opened = [at for at, step in enumerate(known, 1) if step in self.spec.opened]
        if opened and type(difference.made) in (int, float) and difference.made == difference.shown:
            return True  # a converter is given 5.0 as it was sent
        return any(
            is_near(path[at:], wrong)
            for at in opened
            for wrong in self.oracle.places(str(path[at - 1]), value_at(shown, path[:at]))
        )

    def _count(self, who: str, value: Any, run: Run, ran: Counter[str]) -> None:
        """A factory runs once for each object that lacks its key."""
        if not self.spec.has_factories or _is_repaired(run) or self.spec.moves:
            return
        expected: Counter[str] = Counter()
        for place in places(self.spec, run.seen[0], value):
            if not is_of(place.model, place.made):
                return  # a converter kept the data as they were sent, and made no object of them
            expected.update(factories(self.spec, place))
        shown = {"who": who, "ran": ran, "expected": expected}
        self.judge.holds("a factory runs once a call", ran == expected, value, **shown)

    def _make_again(self, value: Any, run: Run) -> None:
        """Equal objects are made from the admitted data; the outcome has the same arguments."""
        shown, made = self.views[0], run.seen[0]
        given = admitted(self.spec, shown, value)
        if isinstance(run.outcome, Ok):
            told = plain(run.outcome.arguments)
            alike = admitted(self.spec, told, value) == given
            law = "the outcome's arguments are what was shown"
            self.judge.holds(law, alike, value, arguments=told, shown=shown)
        text = written(given)
        again = self._asked(partial(self.asking.call_sync, text, approve=self._approve))
        alike = len(again.seen) == 1 and self.same.holds(again.seen[0], made)
        found = {"made": made, "shown": shown, "again": again.seen, "outcome": again.outcome}
        self.judge.holds("made again, it is equal", alike, value, **found, text=text)

    # ------------------------------------------------------------------------- approval

    def _approve_and_run(self, value: Any) -> None:
        """A call runs with the approved arguments: asked, prepared, and resumed from text."""
        self._prepare_and_run("Prepared.call", value, _called)
        self._prepare_and_run("resume", value, partial(_resumed, Toolset([self.waiting])))

    def _prepare_and_run(
        self, who: str, value: Any, call: Callable[[Prepared[Any]], Ok[Any] | Err]
    ) -> None:
        before = self._asked(partial(self.waiting.prepare, value))
        prepared = before.outcome
        if not isinstance(prepared, Prepared):
            return
        shown = plain(prepared.arguments)
        run = self._asked(partial(call, prepared))
        self.views[:] = [shown]
        ran = isinstance(run.outcome, Ok) and len(run.seen) == 1
        found = {"who": who, "outcome": run.outcome, "raised": run.raised}
        self.judge.holds("what is approved runs", ran, value, **found)
        if ran:
            self._compare(who, value, run)
            self._count(who, value, run, before.counts + run.counts)

    def _keep_digits(self, whole: Any, path: Path, expected: Expected) -> None:
        """View and resumed text keep the digits of a decimal, and the double of a float."""
        prepared = self.waiting.prepare(written(whole))
        if not isinstance(prepared, Prepared):
            return
        shown = value_at(plain(prepared.arguments), path)
        run = Run(partial(_resumed, Toolset([self.waiting]), prepared))
        is_kept = len(run.seen) == 1 and expected.is_met(run.seen[0])
        is_shown = type(expected.value)(str(shown)) == expected.value
        found = {"shown": shown, "outcome": run.outcome, "made": run.seen, "expected": expected}
        self.judge.holds("digits are kept", is_kept and is_shown, written(whole), **found)

    def _resume_changed(self, value: Any) -> None:
        """A call that was prepared with one default is not run with another."""
        if self.other is None or self.other[0].key in value:
            return
        field, twin = self.other
        prepared = self.waiting.prepare(value)
        if isinstance(prepared, Prepared):
            run = Run(partial(_resumed, Toolset([twin]), prepared))
            denied = isinstance(run.outcome, Err) and run.outcome.kind == "denied"
            shown = {"changed": field.name, "outcome": run.outcome, "raised": run.raised}
            self.judge.holds("a changed default denies", denied and not run.seen, value, **shown)


def _is_repaired(run: Run) -> bool:
    """Whether the arguments differ from the ones that were sent."""
    outcome = run.outcome
    return isinstance(outcome, Ok) and any(each.rule != "vendor" for each in outcome.coercions)


def _called(prepared: Prepared[Any]) -> Ok[Any] | Err:
    return prepared.call_sync()


def _resumed(tools: Toolset, prepared: Prepared[Any]) -> Ok[Any] | Err:
    again = tools.resume(prepared.to_json(key=KEY), key=KEY)
    return again if isinstance(again, Err) else again.call_sync()
