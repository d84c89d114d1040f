"""The predicate law: `authorize` and `requires_approval` get what the handler gets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from tests.laws_of_calls.arguments import Sent
from tests.laws_of_calls.json_text import written
from tests.laws_of_calls.sameness import Sameness
from tests.laws_of_calls.sample import KEY, Run, Sample
from tests.laws_of_calls.tally import Judge
from toolhaft import DefinitionError, Err, Ok, Toolset
from toolhaft.tools.internals import boundary_of
from toolhaft.tools.tool import AnyTool

__all__ = ["PredicateLaw"]

SAME = "a predicate gets the handler's own objects"
EQUAL = "made again, what a predicate gets is equal"


class PredicateLaw:
    """The law on one type; `check` tries it on one value."""

    def __init__(self, sample: Sample, judge: Judge) -> None:
        self.judge = judge
        self.same = Sameness(sample.spec)
        self.takes_names = sample.spec.root.library == "function"
        self.asked: list[Any] = []
        self.authorized = sample.tool(authorize=self._sees)
        roles = boundary_of(self.authorized).binder.roles
        self.injected = {parameter.name for parameter in roles.injected}
        self.asking = _asking(sample, self._sees)

    def _sees(self, arguments: Any) -> bool:
        self.asked.append(arguments)
        return True

    def check(self, sent: Sent) -> None:
        """Try every way to the handler with one value, as data and as text."""
        spellings: list[Any] = (
            [sent.value, written(sent.value)] if type(sent.value) is dict else [sent.value]
        )
        for spelled in spellings:
            self._hold(partial(self.authorized.call_sync, spelled), sent)
            if self.asking is not None:
                approved = partial(self.asking.call_sync, spelled, approve=lambda _: True)
                self._hold(approved, sent)
                self._hold(partial(self._resume, self.asking, spelled), sent)

    def _resume(self, asking: AnyTool, raw: Any) -> Ok[Any] | Err:
        waiting = asking.call_sync(raw)
        if isinstance(waiting, Ok) or waiting.prepared is None:
            return waiting
        text = waiting.prepared.to_json(key=KEY)
        again = Toolset([asking]).resume(text, key=KEY)
        return again if isinstance(again, Err) else again.call_sync()

    def _hold(self, call: Callable[[], Any], sent: Sent) -> None:
        self.asked.clear()
        run = Run(call)
        shown = {"asked": self.asked[:], "made": run.seen, "outcome": run.outcome}
        if len(run.seen) != 1:
            refused = isinstance(run.outcome, Err) and run.outcome.kind == "invalid_input"
            holds = not (refused and self.asked)
            self.judge.holds("no predicate is asked about what is refused", holds, sent, **shown)
            return
        given = run.seen[0]
        same = bool(self.asked) and self._is_same(self.asked[-1], given)
        self.judge.holds(SAME, same, sent, **shown)
        equal = all(self._is_equal(each, given) for each in self.asked)
        self.judge.holds(EQUAL, equal, sent, **shown)

    def _is_same(self, arguments: Any, given: Any) -> bool:
        if not self.takes_names:
            return arguments is given
        names = given.keys() - self.injected
        return arguments.keys() == names and all(arguments[each] is given[each] for each in names)

    def _is_equal(self, arguments: Any, given: Any) -> bool:
        if not isinstance(arguments, Mapping) or not self.takes_names:
            return self.same.holds(arguments, given)
        return all(self.same.holds(arguments[name], given[name]) for name in arguments)


def _asking(sample: Sample, sees: Callable[[Any], bool]) -> AnyTool | None:
    """Return the tool that needs a person too, or None if its factories forbid it."""
    try:
        return sample.tool(requires_approval=sees, authorize=sees)
    except DefinitionError:
        return None
