"""The engine's verdict on data whose patterns are matched soon."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from toolhaft.schema.engine import FEW_BACKTRACKS, compiled, quick_work

__all__ = ["quick_verdict"]

# Steps of all patterns on all texts: some 50 ms.
MOST_STEPS: Final = 20_000_000


def quick_verdict(schema: Any, patterns: frozenset[str]) -> Callable[[Any], bool]:
    """The verdict on data; those on which the patterns, which go back, might take long are refused.

    >>> verdict = quick_verdict({"pattern": "(?=.*a)b"}, frozenset({"(?=.*a)b"}))
    >>> verdict("ba"), verdict("ab"), verdict("ba" * 100_000)
    (True, False, False)
    """
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
