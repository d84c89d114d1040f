"""A type beside the same without its opening functions, or without its settings for text."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from functools import partial
from typing import Any, Final

from tests.laws_of_calls.arguments import Sent
from tests.laws_of_calls.places import EXACT, number_paths, value_at
from tests.laws_of_calls.sameness import Sameness
from tests.laws_of_calls.sample import Run, Sample
from tests.laws_of_calls.spec import Switches
from tests.laws_of_calls.tally import Judge
from toolhaft import Coercion, Err, Ok
from toolhaft.spec import Path
from toolhaft.tools.tool import AnyTool

__all__ = ["Twins"]

# Between what `str_min_length` and `str_max_length` of random types ask for.
LONGEST_SAFE: Final = 6
SHORTEST_SAFE: Final = 2
NEIGHBOURS: Final = "a function changes nothing for its neighbours"
TEXTS: Final = "str_* changes nothing but text"


class Twins:
    """The laws that compare a type with what it would be without one thing."""

    def __init__(self, sample: Sample, judge: Judge) -> None:
        self.sample = sample
        self.spec = sample.spec
        self.judge = judge
        self.safe = sample.tool()
        self.bare = sample.tool(coerce="none")
        self.but_opened = Sameness(self.spec, opened=False)
        self.but_texts = Sameness(self.spec, texts=False)
        self.without_functions: AnyTool | None = None
        if self.spec.has_openings and not self.spec.moves:
            self.without_functions = sample.twin(Switches(functions=False)).tool()
        self.without_settings: AnyTool | None = None
        if any(each.settings for each in self.spec.models):
            twin = sample.twin(Switches(settings=False))
            self.without_settings = twin.tool(coerce="none")

    def check(self, sent: Sent) -> None:
        """Compare what both do with one value."""
        is_beside = self._is_beside(sent.path or ()) and not self._is_inexact(sent.value)
        if self.without_functions is not None and is_beside:
            self._compare_neighbours(self.without_functions, sent.value)
        if self.without_settings is not None:
            self._compare_texts(self.without_settings, sent.value)

    def _is_beside(self, path: Path) -> bool:
        """Whether no function runs before the changed value, nor reads it as its whole."""
        return not (self.spec.opened & set(path) or self.spec.opened_classes & set(path[-1:]))

    def _is_inexact(self, value: Any) -> bool:
        """Whether a number behind a function is one that the type without it may refuse."""
        paths = (each for each in number_paths(value) if self.spec.opened & set(each))
        return any(abs(value_at(value, each)) >= EXACT for each in paths)

    def _compare_neighbours(self, twin: AnyTool, value: Any) -> None:
        """A function that opens one field changes nothing for another."""
        own, other = (Run(partial(each.call_sync, value)) for each in (self.safe, twin))
        if _is_closed(own) or _is_closed(other):
            return
        alike = type(own.outcome) is type(other.outcome)
        alike = alike and self.but_opened.holds(own.seen, other.seen)
        if isinstance(own.outcome, Ok) and isinstance(other.outcome, Ok):
            alike = alike and _repairs(own.outcome) == _repairs(other.outcome)
        self._hold(NEIGHBOURS, alike, value, own, other)

    def _compare_texts(self, twin: AnyTool, value: Any) -> None:
        """Settings for text change nothing but text; values beyond their reach are accepted."""
        own, other = (Run(partial(each.call_sync, value)) for each in (self.bare, twin))
        if own.seen and other.seen:
            self._hold(TEXTS, self.but_texts.holds(own.seen, other.seen), value, own, other)
        elif other.seen and "pattern" not in self.sample.source:
            is_safe = all(map(_is_safe, _texts(other.seen)))
            self._hold(TEXTS, not is_safe, value, own, other)

    def _hold(self, law: str, holds: bool, value: Any, own: Run, other: Run) -> None:
        shown = {"outcome": own.outcome, "made": own.seen}
        twin = {"the twin's": other.outcome, "the twin made": other.seen}
        self.judge.holds(law, holds, value, **shown, **twin)


def _repairs(outcome: Ok[Any]) -> list[Coercion]:
    return [each for each in outcome.coercions if each.rule != "vendor"]


def _is_closed(run: Run) -> bool:
    """Whether undeclared keys were refused, as a function of the whole closes an open object."""
    outcome = run.outcome
    return isinstance(outcome, Err) and any(each.code == "extra" for each in outcome.issues)


def _texts(made: Any) -> Iterator[str]:
    """Yield every text in an object; a member of an enum is not one."""
    if isinstance(made, str) and not isinstance(made, Enum):
        yield made
    elif isinstance(made, dict):
        for key, each in made.items():
            yield from _texts(key)
            yield from _texts(each)
    elif isinstance(made, (list, tuple, set, frozenset)):
        for each in made:
            yield from _texts(each)
    elif hasattr(made, "__dict__"):
        yield from _texts(vars(made))
        yield from _texts(getattr(made, "model_extra", None))


def _is_safe(text: str) -> bool:
    """Whether no setting, and no constraint after it, can refuse a text that was accepted."""
    fits = SHORTEST_SAFE <= len(text) <= LONGEST_SAFE and text == text.strip()
    return fits and not text.lower().startswith("z")  # which check_str refuses
