"""The view law: what is shown, approved and run is one value, and only its keys are names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any, Final

from tests.laws_of_calls.arguments import Sent
from tests.laws_of_calls.attacks import UNKNOWN, Attack, attacks
from tests.laws_of_calls.json_text import written
from tests.laws_of_calls.places import places
from tests.laws_of_calls.sameness import Sameness
from tests.laws_of_calls.sample import KEY, Run, Sample, plain
from tests.laws_of_calls.seen import differences, resent
from tests.laws_of_calls.tally import Tally
from toolhaft import Err, Ok, Prepared, Toolset

__all__ = ["ViewLaw"]

MOST_ATTACKS: Final = 8
KINDS: Final = {
    "unseen": "every declared value is seen",
    "otherwise": "every declared value is seen as it is",
    "for nothing": "nothing else is shown",
}


class ViewLaw:
    """The law on one type; `check` tries it on one value.

    Raises:
        DefinitionError: A factory's value cannot come back equal, and somebody is asked.
    """

    def __init__(self, sample: Sample, tally: Tally, random: Random) -> None:
        self.sample = sample
        self.spec = sample.spec
        self.tally = tally
        self.same = Sameness(sample.spec)
        self.but_extras = Sameness(sample.spec, extras=False)
        self.random = random
        self.views: list[Any] = []
        self.plain = sample.tool()
        self.asking = sample.tool(authorize=self._authorize)
        self.waiting = sample.tool(requires_approval=True)
        self.other = sample.changed_twin(random)

    def _authorize(self, arguments: Any, context: Any) -> bool:
        self.views.append(plain(arguments))
        return True

    def _approve(self, prepared: Prepared[Any]) -> bool:
        self.views.append(plain(prepared.arguments))
        return True

    def check(self, sent: Sent) -> None:
        """Try everything on one value."""
        run = self._asked(lambda: self.asking.call_sync(sent.value))
        if not run.seen:
            self._refused(sent.value, run)
            return
        self._judge("authorize", sent.value, run)
        self._counted("authorize", sent.value, run, run.counts)
        self._made_again(sent.value, run)
        if isinstance(run.outcome, Ok):
            self._told(sent.value, run.outcome, run.seen[0])
        self._approved(sent.value)
        self._changed(sent.value)
        for attack in attacks(self.spec, run.seen[0], sent.value, self.random, MOST_ATTACKS):
            self._attacked(attack)

    def holds(self, law: str, holds: bool, value: Any, detail: Callable[[], str]) -> bool:
        text = "" if holds else detail()
        return self.tally.check(law, holds, self.sample.source, value, text)

    def _asked(self, call: Callable[[], Ok[Any] | Err], *, is_moving: bool = True) -> Run:
        self.views.clear()
        return Run(call, is_moving=is_moving)

    def _refused(self, value: Any, run: Run) -> None:
        """Nobody is asked about what is refused; only a factory may be the program's fault."""
        fine = isinstance(run.outcome, Err) and not self.views
        if fine and isinstance(run.outcome, Err) and run.outcome.kind != "invalid_input":
            fine = self.spec.may_not_come_back and run.outcome.effect == "none"
        self.holds("nobody is asked about what is refused", fine, value,
                   lambda: f"{run.outcome!r}, raised {run.raised!r}, shown {self.views}")  # fmt: skip

    def _judge(self, who: str, value: Any, run: Run) -> None:
        """Whoever was asked saw what the handler was given."""
        once = len(self.views) == len(run.seen) == 1
        self.holds("each is asked once", once, value, lambda: f"{who}: {self.views} {run.seen}")
        if not once:
            return
        found = list(differences(self.spec, run.seen[0], self.views[0], vars(self.sample.module)))
        for kind, law in KINDS.items():
            wrong = [each for each in found if each.kind == kind]
            self.holds(law, not wrong, value, lambda wrong=wrong: (  # type: ignore[misc]
                f"{who} saw {self.views[0]}, the handler got {run.seen[0]}: {wrong}"))  # fmt: skip

    def _counted(self, who: str, value: Any, run: Run, ran: Counter[str]) -> None:
        """A factory runs once for each object that lacks its key."""
        if not self.spec.has_factories or _is_repaired(run) or self.spec.moves:
            return
        expected: Counter[str] = Counter()
        for place in places(self.spec, run.seen[0], value):
            for field in place.model.fields:
                if field.factory is not None and field.key not in place.sent:
                    expected[field.factory] += 1
        self.holds("a factory runs once a call", ran == expected, value,
                   lambda: f"{who}: ran {dict(ran)}, expected {dict(expected)}")  # fmt: skip

    def _made_again(self, value: Any, run: Run) -> None:
        """From what was shown, equal objects are made."""
        shown, made = self.views[0], run.seen[0]
        again = written(self._admitted(made, shown))
        other = self._asked(lambda: self.asking.call_sync(again))
        alike = len(other.seen) == 1 and self.same.holds(other.seen[0], made)
        self.holds("made again, it is equal", alike, value,
                   lambda: f"{made} was shown as {shown}; {again} made {other.seen}, "
                           f"{other.outcome!r}")  # fmt: skip
        self.views[:] = [shown]

    def _told(self, value: Any, outcome: Ok[Any], made: Any) -> None:
        """The outcome's arguments are those that were shown, with static defaults or without."""
        told, shown = plain(outcome.arguments), self.views[0]
        alike = self._admitted(made, told) == self._admitted(made, shown)
        self.holds("the outcome's arguments are what was shown", alike, value,
                   lambda: f"{told} for {shown}")  # fmt: skip

    def _admitted(self, made: Any, shown: Any) -> Any:
        return resent(self.spec, made, shown, vars(self.sample.module))

    # ------------------------------------------------------------------------- approval

    def _approved(self, value: Any) -> None:
        """An approval runs with what was approved: asked, prepared, and resumed from text."""
        run = self._asked(lambda: self.waiting.call_sync(value, approve=self._approve))
        if run.seen:
            self._judge("the approver", value, run)
            self._counted("the approver", value, run, run.counts)
        self._prepared("Prepared.call", value, lambda prepared: prepared.call_sync())
        tools = Toolset([self.waiting])
        self._prepared("resume", value, lambda prepared: _resumed(tools, prepared))

    def _prepared(
        self, who: str, value: Any, call: Callable[[Prepared[Any]], Ok[Any] | Err]
    ) -> None:
        before = Run(lambda: self.waiting.prepare(value), is_moving=True)
        prepared = before.outcome
        if not isinstance(prepared, Prepared):
            return
        shown = plain(prepared.arguments)
        run = self._asked(lambda: call(prepared))
        self.views[:] = [shown]
        ran = isinstance(run.outcome, Ok) and len(run.seen) == 1
        self.holds("what is approved runs", ran, value, lambda: f"{who}: {run.outcome!r}")
        if ran:
            self._judge(who, value, run)
            self._counted(who, value, run, before.counts + run.counts)

    def _changed(self, value: Any) -> None:
        """A call that was prepared with one default is not run with another."""
        if self.other is None or self.other[0].key in value:
            return
        field, twin = self.other
        prepared = self.waiting.prepare(value)
        if isinstance(prepared, Prepared):
            run = Run(lambda: _resumed(Toolset([twin]), prepared))
            denied = isinstance(run.outcome, Err) and run.outcome.kind == "denied"
            self.holds("a changed default denies", denied and not run.seen, value,
                       lambda: f"{field.name} changed: {run.outcome!r} {run.raised!r} {run.seen}")  # fmt: skip

    # ------------------------------------------------------------------------- attacks

    def _attacked(self, attack: Attack) -> None:
        """No undeclared key changes a declared field, and another name of one is refused."""
        own, base = (Run(lambda at=at: self.plain.call_sync(at)) for at in (attack.value, attack.base))  # type: ignore[misc]  # fmt: skip
        alike = not own.seen or (bool(base.seen) and self.but_extras.holds(own.seen, base.seen))
        self.holds("no undeclared key changes a declared field", alike, attack.value,
                   lambda: f"{attack.path} made {own.seen} of {base.seen}")  # fmt: skip
        if attack.is_other_name:
            self._other_name(attack, own)
        elif attack.path[-1] == UNKNOWN and attack.place.is_certain and base.seen:
            self._unknown(attack, own)

    def _other_name(self, attack: Attack, own: Run) -> None:
        outcome = own.outcome
        refused = isinstance(outcome, Err) and not own.seen
        self.holds("another name of a field is refused", refused, attack.value,
                   lambda: f"{attack.path}: {outcome!r} {own.seen}")  # fmt: skip
        if refused and isinstance(outcome, Err):
            told = any(each.path == attack.path for each in outcome.issues)
            told = told and "did you mean" in outcome.text
            self.holds("another name is told with did you mean", told, attack.value,
                       lambda: f"{attack.path}: {outcome.text}")  # fmt: skip

    def _is_refused(self, law: str, attack: Attack, own: Run) -> None:
        outcome = own.outcome
        refused = (
            isinstance(outcome, Err)
            and not own.seen
            and any(each.code == "extra" and each.path == attack.path for each in outcome.issues)
        )
        self.holds(law, refused, attack.value, lambda: f"{attack.path}: {outcome!r} {own.seen}")

    def _unknown(self, attack: Attack, own: Run) -> None:
        """A key that means nothing is refused, dropped and recorded, or kept, by the policy."""
        model = attack.place.model
        policy: str = self.spec.extra if self.spec.extra and not attack.place.path else model.extra
        if self.spec.extra and attack.place.path:
            return
        law = "an undeclared key is refused, dropped or kept by the policy"
        if policy == "forbid" or (policy == "allow" and model.opening):
            self._is_refused(law, attack, own)
            return
        outcome = own.outcome
        fine = isinstance(outcome, Ok)
        if isinstance(outcome, Ok) and policy == "ignore":
            fine = any(each.path == attack.path for each in outcome.coercions)
        self.holds(law, fine, attack.value, lambda: f"{policy} at {attack.path}: {outcome!r}")


def _is_repaired(run: Run) -> bool:
    """Whether the arguments are not those that were sent."""
    outcome = run.outcome
    return isinstance(outcome, Ok) and any(each.rule != "vendor" for each in outcome.coercions)


def _resumed(tools: Toolset, prepared: Prepared[Any]) -> Ok[Any] | Err:
    again = tools.resume(prepared.to_json(key=KEY), key=KEY)
    return again if isinstance(again, Err) else again.call_sync()
