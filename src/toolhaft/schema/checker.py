"""The compiled check of a schema: a fast verdict, and an explanation when it is no.

The verdict is jsonschema-rs's, on the schema in 2020-12 terms. Nothing is ever fetched or read:
references lead into the schema or the schema is refused, and the engine's retriever refuses too.
`format` and `content*` are annotations and are not asserted (JSON Schema 2020-12, 7.2.1 and 8.2).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from toolhaft.schema.backtracking import going_back
from toolhaft.schema.engine import FEW_BACKTRACKS, compiled, quick_work
from toolhaft.schema.facts import Facts, facts_of
from toolhaft.schema.normalise import normalise
from toolhaft.spec import Issue

if TYPE_CHECKING:
    from toolhaft.schema.document.places import PlaceIndex
    from toolhaft.schema.explain.explainer import Explainer
    from toolhaft.schema.explain.node import NodeIssue
    from toolhaft.schema.numbers import Numbers

__all__ = ["Checker"]

# Steps of all patterns on all texts: some 50 ms.
MOST_STEPS: Final = 20_000_000


class Checker:
    """Check plain JSON data against one schema; compiled at first use, safe to share by threads.

    Data comes from `jsondata.snapshot`: at most 32 levels, integers of at most 4,300 digits.
    `is_current` is whether the schema is in 2020-12 terms already, and `shared` returns the verdict
    of a check that several schemas share, or None.

    Raises:
            SchemaRefused: At first use, if `limits.faults_of` finds faults.

    >>> checker = Checker({"type": "object", "required": ["city"]})
    >>> checker.is_valid({"city": "Paris"}), [str(issue) for issue in checker.issues({})]
    (True, ['city: required'])
    """

    def __init__(
        self,
        schema: Any,
        *,
        is_current: bool = False,
        shared: Callable[[], Callable[[Any], bool] | None] | None = None,
    ) -> None:
        self.schema = schema
        self._is_current = is_current
        self._shared = shared
        self._engines: dict[int, Callable[[Any], bool]] = {}

    def is_valid(self, data: Any) -> bool:
        """Return whether the schema accepts the data; False if the engine cannot read the data."""
        try:
            return self.accepts(data)
        except ValueError:  # a lone surrogate, a foreign object, a key that is no text
            return False

    def node_issues(self, data: Any, *, limit: int = 64) -> list[NodeIssue]:
        """Everything wrong with the data; empty exactly when it is valid."""
        return self.explainer.node_issues(data, limit=limit) or self._unexplained(data)

    def issues(self, data: Any) -> list[Issue]:
        """The issues of the findings alone."""
        return [finding.issue for finding in self.node_issues(data)]

    def _unexplained(self, data: Any) -> list[NodeIssue]:
        """The engine has the last word where explaining took too many steps."""
        from toolhaft.schema.explain.node import NodeIssue

        if self.is_valid(data):
            return []
        return [NodeIssue(Issue("does not match the schema"), self.normalised, required=True)]

    @cached_property
    def normalised(self) -> Any:
        """The schema in the terms of draft 2020-12."""
        return self.schema if self._is_current else normalise(self.schema)

    @cached_property
    def facts(self) -> Facts:
        """What the nodes of the normalised schema say together."""
        return facts_of(self.normalised)

    @cached_property
    def accepts(self) -> Callable[[Any], bool]:
        """The engine's own verdict, within what a call may go back in its texts."""
        if self._shared is not None and (accepts := self._shared()) is not None:
            return accepts
        schema = self.normalised
        patterns = going_back(self.facts.patterns)
        if not patterns:
            return compiled(schema)
        soon = _quick_verdict(schema, patterns)
        return lambda data: soon(data) or self._accepts_counted(data)

    def _accepts_counted(self, data: Any) -> bool:
        """The verdict of a walk, and the engine's, which goes back as often as the walk did."""
        most = self.explainer.backtracks_on(data)
        if most is None:
            return False
        accepts = self._engines.get(most) or compiled(self.normalised, most)
        return self._engines.setdefault(most, accepts)(data)

    @cached_property
    def explainer(self) -> Explainer:
        """The explainer of rejections, also for values against a part of the schema."""
        from toolhaft.schema.explain.explainer import Explainer  # only a call that fails needs it

        return Explainer(self.normalised)

    @property
    def places(self) -> PlaceIndex:
        """The schemas for each place in data."""
        return self.explainer.places(self.normalised)

    @cached_property
    def numbers(self) -> Numbers:
        """The numbers that the schema asks for, place by place."""
        from toolhaft.schema.numbers import Numbers

        return Numbers(self.normalised, self.facts)


def _quick_verdict(schema: Any, patterns: frozenset[str]) -> Callable[[Any], bool]:
    """Return the verdict on data that these patterns, which go back, match soon; else False."""
    accepts = compiled(schema, FEW_BACKTRACKS)

    def is_quick(data: Any) -> bool:
        left = MOST_STEPS
        for text in _texts(data):
            left -= sum(quick_work(pattern, len(text)) for pattern in patterns)
            if left < 0:
                return False
        return True

    return lambda data: is_quick(data) and accepts(data)


def _texts(data: Any) -> Iterator[str]:
    """All texts and keys of data."""
    rest = [data]
    while rest:
        value = rest.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            rest += value
            rest += value.values()
        elif isinstance(value, list):
            rest += value
