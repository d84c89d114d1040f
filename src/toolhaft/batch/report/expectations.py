"""Compare arguments with the expected ones, as the Berkeley leaderboard (BFCL) does.

An expectation is a list of alternatives; each has, for each parameter, the values that are right.
Text is compared without case, spaces and `, . / - _ * ^`, integers equal floats, lists are in
order, and `""` among the values means that a parameter may be absent.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["is_right"]

_IGNORED = re.compile(r"[ ,./\-_*^]")


def is_right(arguments: Mapping[str, Any], expected: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether arguments fit one of the alternatives; without any, no call was right.

    >>> expected = [{"city": ["New York"], "days": [3, ""]}]
    >>> is_right({"city": "new-york"}, expected), is_right({"city": "York"}, expected)
    (True, False)
    """
    return any(_fits(arguments, alternative) for alternative in expected)


def _fits(arguments: Any, alternative: Any) -> bool:
    """Compare an object, key by key, with the values that each may have."""
    if not isinstance(arguments, dict) or not isinstance(alternative, dict):
        return False
    if not arguments.keys() <= alternative.keys():
        return False
    return all(
        any(_equal(arguments[key], value) for value in _as_list(values) or [[]])
        if key in arguments
        else "" in _as_list(values)
        for key, values in alternative.items()
    )


def _as_list(values: Any) -> list[Any]:
    return values if isinstance(values, list) else [values]


def _equal(value: Any, right: Any) -> bool:
    if isinstance(value, str) and isinstance(right, str):
        return _plain(value) == _plain(right)
    if isinstance(value, bool) or isinstance(right, bool):
        return value is right
    if isinstance(value, list) and isinstance(right, list):
        return len(value) == len(right) and all(map(_equal, value, right))
    if isinstance(value, dict) and isinstance(right, dict):
        return _fits(value, right) or value == right
    return bool(value == right)


def _plain(text: str) -> str:
    return _IGNORED.sub("", text).lower().replace("'", '"')
