"""The slow way, for arguments that were refused: repair by the table, try again, or say why."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from toolhaft.call.coerce import repair
from toolhaft.call.outcome import Coercion
from toolhaft.call.paths import at
from toolhaft.spec import Issue
from toolhaft.vendors.adapter import Adapter

__all__ = ["Refused", "recover"]

MOST_MASKED = 200
# A shorter text is masked as a whole word only: cutting every "1" would leave no sentence.
SHORT = 3


class Refused(Exception):
    """The arguments stay refused; `coercions` are the repairs that did not suffice."""

    def __init__(self, issues: Iterable[Issue], coercions: tuple[Coercion, ...] = ()) -> None:
        super().__init__()
        self.issues = tuple(issues)
        self.coercions = coercions


def recover(
    adapter: Adapter[Any], data: Any, error: Exception, policy: str
) -> tuple[Any, Any, tuple[Coercion, ...]]:
    """Repair refused arguments and construct them again.

    Raises:
        Refused: with every issue that remains.
    """
    repaired, coercions = repair(adapter.checker("input"), data, policy)
    if repaired is not data:
        try:
            return adapter.construct(repaired), repaired, coercions
        except adapter.rejects as again:
            error = again
    issues = [_masked(issue, repaired) for issue in adapter.issues(error, repaired)]
    raise Refused(issues, coercions)


def _masked(issue: Issue, data: Any) -> Issue:
    """An author's own words may quote what they refused; what the model sent is not echoed."""
    if issue.code != "custom":
        return issue
    words = issue.message
    for text in sorted(set(_texts(at(data, issue.path))), key=len, reverse=True)[:MOST_MASKED]:
        exact = re.escape(text)
        words = re.sub(exact if len(text) >= SHORT else rf"(?<!\w){exact}(?!\w)", "…", words)
    return Issue(words, issue.path, "custom", issue.expected, issue.received, issue.vendor_code)


def _texts(value: Any) -> Iterator[str]:
    """Every text that the refused value could be quoted as, its parts included."""
    queue, seen = [value], 0
    while queue and seen < MOST_MASKED:
        one, seen = queue.pop(), seen + 1
        if isinstance(one, dict):
            queue += [*one.keys(), *one.values()]
        elif isinstance(one, list):
            queue += one
        if one not in (None, "", True, False):
            yield from (str(one), repr(one))
