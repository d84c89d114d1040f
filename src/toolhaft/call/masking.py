"""Mask the values that a model sent where an author's own messages quote them."""

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
    message = issue.message
    for text in sorted(set(_quotable_texts(value_at(data, issue.path))), key=len, reverse=True)[
        :MOST_MASKED
    ]:
        exact = re.escape(text)
        message = re.sub(exact if len(text) >= SHORT else rf"(?<!\w){exact}(?!\w)", "…", message)
    return Issue(message, issue.path, "custom", issue.expected, issue.received, issue.vendor_code)


def _quotable_texts(value: Any) -> Iterator[str]:
    """Give every text that the refused value and its parts could be quoted as."""
    queue, seen = [value], 0
    while queue and seen < MOST_MASKED:
        part, seen = queue.pop(), seen + 1
        if isinstance(part, dict):
            queue += [*part.keys(), *part.values()]
        elif isinstance(part, list):
            queue += part
        if part not in (None, "", True, False):
            yield str(part)
            if isinstance(part, str):
                yield repr(part)[1:-1]  # as an f-string with !r quotes it
