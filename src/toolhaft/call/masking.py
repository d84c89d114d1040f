"""Keep what a model sent out of an author's own words: they may quote what they refused."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from toolhaft.call.paths import value_at
from toolhaft.spec import Issue

__all__ = ["mask_value"]

MOST_MASKED = 200
# A shorter text is masked as a whole word only: cutting every "1" would leave no sentence.
SHORT = 3


def mask_value(issue: Issue, data: Any) -> Issue:
    """Replace each occurrence of the refused value, and of its parts, in a custom issue."""
    if issue.code != "custom":
        return issue
    words = issue.message
    for text in sorted(set(_texts(value_at(data, issue.path))), key=len, reverse=True)[
        :MOST_MASKED
    ]:
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
            yield str(one)
            if isinstance(one, str):
                yield repr(one)[1:-1]  # as an f-string with !r quotes it
