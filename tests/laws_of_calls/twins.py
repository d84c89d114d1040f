"""A type beside the same without its opening functions, or without its settings for text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any

from tests.laws_of_calls.arguments import Sent
from tests.laws_of_calls.sameness import Sameness
from tests.laws_of_calls.sample import Run, Sample
from tests.laws_of_calls.spec import Switches
from tests.laws_of_calls.tally import Tally
from toolhaft import Coercion, Err, Ok
from toolhaft.tools import AnyTool

__all__ = ["Twins"]

LONGEST_SAFE = 6
SHORTEST_SAFE = 2


class Twins:
    """The laws that compare a type with what it would be without one thing."""

    def __init__(self, sample: Sample, tally: Tally) -> None:
        self.sample = sample
        self.spec = sample.spec
        self.tally = tally
        self.tool = sample.tool()
        self.but_opened = Sameness(self.spec, opened=False)
        self.but_texts = Sameness(self.spec, texts=False)
        self.opened = {each.key for each in self.spec.fields() if each.is_opened}
        self.without_functions = self._twin(Switches(functions=False), self._has_openings())
        has_settings = any(each.settings for each in self.spec.models)
        self.bare = sample.tool(coerce="none")
        self.without_settings = self._twin(Switches(settings=False), has_settings, coerce="none")

    def _has_openings(self) -> bool:
        openings = any(each.opening for each in self.spec.models)
        return (bool(self.opened) or openings) and not self.spec.moves

    def _twin(self, switches: Switches, is_wanted: bool, **options: Any) -> AnyTool | None:
        if not is_wanted:
            return None
        return self.sample.twin(switches).tool(**options)

    def check(self, sent: Sent) -> None:
        if self.without_functions is not None and not self.opened & set(sent.path or ()):
            self._neighbours(self.without_functions, sent)
        if self.without_settings is not None:
            self._texts(self.without_settings, sent)

    def _neighbours(self, twin: AnyTool, sent: Sent) -> None:
        """A function that opens one field changes nothing for another."""
        own, other = (Run(lambda at=at: at.call_sync(sent.value)) for at in (self.tool, twin))  # type: ignore[misc]
        if _is_closed(own) or _is_closed(other):
            return
        alike = type(own.outcome) is type(other.outcome) and self.but_opened.holds(
            own.seen, other.seen
        )
        if isinstance(own.outcome, Ok) and isinstance(other.outcome, Ok):
            alike = alike and _repairs(own.outcome) == _repairs(other.outcome)
        self._holds("a function changes nothing for its neighbours", alike, sent, own, other)

    def _texts(self, twin: AnyTool, sent: Sent) -> None:
        """Settings for text change nothing but text; what they cannot concern is accepted."""
        own, other = (Run(lambda at=at: at.call_sync(sent.value)) for at in (self.bare, twin))  # type: ignore[misc]
        law = "str_* changes nothing but text"
        if own.seen and other.seen:
            self._holds(law, self.but_texts.holds(own.seen, other.seen), sent, own, other)
        elif other.seen and "pattern" not in self.sample.source:
            is_safe = all(map(_is_safe, texts(other.seen)))
            self._holds(law, not is_safe, sent, own, other)

    def _holds(self, law: str, holds: bool, sent: Sent, own: Run, other: Run) -> None:
        detail: Callable[[], str] = lambda: (  # noqa: E731
            f"this: {own.outcome!r} {own.seen}\nthe twin: {other.outcome!r} {other.seen}"
        )
        self.tally.check(law, holds, self.sample.source, sent.value, "" if holds else detail())


def _repairs(outcome: Ok[Any]) -> list[Coercion]:
    return [each for each in outcome.coercions if each.rule != "vendor"]


def _is_closed(run: Run) -> bool:
    """Whether undeclared keys were refused, as a function of the whole closes an open object."""
    outcome = run.outcome
    return isinstance(outcome, Err) and any(each.code == "extra" for each in outcome.issues)


def texts(made: Any) -> Iterator[str]:
    """Give every text in an object; a member of an enum is none."""
    if isinstance(made, str) and not isinstance(made, Enum):
        yield made
    elif isinstance(made, dict):
        for key, each in made.items():
            yield from texts(key)
            yield from texts(each)
    elif isinstance(made, (list, tuple, set, frozenset)):
        for each in made:
            yield from texts(each)
    elif hasattr(made, "__dict__"):
        yield from texts(vars(made))
        yield from texts(getattr(made, "model_extra", None))


def _is_safe(text: str) -> bool:
    """Whether no setting, and no constraint after it, can refuse a text that was accepted."""
    fits = SHORTEST_SAFE <= len(text) <= LONGEST_SAFE and text == text.strip()
    return fits and not text.lower().startswith("z")  # which check_str refuses
