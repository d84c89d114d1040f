"""The part of the view law about keys: the schema's keys are the only names."""

from __future__ import annotations

from functools import partial
from random import Random
from typing import Any, Final

from tests.laws_of_calls.attacks import UNKNOWN, Attack, attacks
from tests.laws_of_calls.sameness import Sameness
from tests.laws_of_calls.sample import Run, Sample
from tests.laws_of_calls.tally import Judge
from toolhaft import Err, Ok

__all__ = ["KeyLaw"]

MOST_ATTACKS: Final = 8
POLICY: Final = "an undeclared key is refused, dropped or kept by the policy"


class KeyLaw:
    """The law on one type; `check` gives the attacks on one value that it tried."""

    def __init__(self, sample: Sample, judge: Judge, random: Random) -> None:
        self.spec = sample.spec
        self.judge = judge
        self.random = random
        self.tool = sample.tool()
        self.same = Sameness(sample.spec, extras=False)

    def check(self, value: Any, made: Any) -> list[Attack]:
        """Try keys that nobody declared, at every object of arguments that were accepted."""
        found = list(attacks(self.spec, made, value, self.random, MOST_ATTACKS))
        for each in found:
            self._attacked(each)
        return found

    def _attacked(self, attack: Attack) -> None:
        own, base = (
            Run(partial(self.tool.call_sync, each)) for each in (attack.value, attack.base)
        )
        alike = not own.seen or (bool(base.seen) and self.same.holds(own.seen, base.seen))
        shown = {"key": attack.path, "made": own.seen, "without it": base.seen}
        law = "no undeclared key changes a declared field"
        self.judge.holds(law, alike, attack.value, **shown)
        if attack.is_other_name:
            self._other_name(attack, own)
        elif attack.path[-1] == UNKNOWN and attack.place.is_certain and base.seen:
            self._unknown(attack, own)

    def _other_name(self, attack: Attack, own: Run) -> None:
        """Another name of a declared field is refused, whatever the policy, and told how."""
        outcome = own.outcome
        law = "another name of a field is refused"
        refused = isinstance(outcome, Err) and not own.seen
        self.judge.holds(law, refused, attack.value, key=attack.path, outcome=outcome)
        if isinstance(outcome, Err):
            told = any(each.path == attack.path for each in outcome.issues)
            told = told and (attack.field is None or attack.field.key in outcome.text)
            law = "another name is told, and the key that is meant"
            self.judge.holds(law, told, attack.value, key=attack.path, text=outcome.text)

    def _unknown(self, attack: Attack, own: Run) -> None:
        """A key that means nothing is refused, dropped and recorded, or kept, by the policy."""
        model, outcome = attack.place.model, own.outcome
        if self.spec.extra is not None and attack.place.path:
            return
        policy = self.spec.extra or model.extra
        if policy == "forbid" or (policy == "allow" and model.opening):
            fine = isinstance(outcome, Err) and any(
                each.code == "extra" and each.path == attack.path for each in outcome.issues
            )
        else:
            fine = isinstance(outcome, Ok)
            if isinstance(outcome, Ok) and policy == "ignore":
                fine = any(each.path == attack.path for each in outcome.coercions)
        shown = {"policy": policy, "key": attack.path, "outcome": outcome}
        self.judge.holds(POLICY, fine, attack.value, **shown)
