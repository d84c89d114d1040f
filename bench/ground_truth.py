"""Whether a call's arguments are right, compared as the Berkeley Function Calling Leaderboard does.

An answer lists for each parameter the values that count as right; `""` among them says that the
parameter may be left out. Parameters that the answer does not list are wrong. Text is compared
without case, spaces and the characters `, . / - _ * ^`; a whole float equals the integer;
lists are compared in order; objects by the values listed for each of their keys. A call is right
if it fits any of the answers. (BFCL `ast_checker.py`, gorilla repository, 2024.)
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["is_right"]

IGNORED = re.compile(r"[ ,./\-_*^]")
OPTIONAL = ""


def is_right(arguments: Mapping[str, Any], answers: Sequence[Mapping[str, Sequence[Any]]]) -> bool:
    """Whether the arguments fit one of the answers; no answers: the call was not expected.

    >>> is_right({"city": "new york"}, [{"city": ["New York"], "days": [3, ""]}])
    True
    """
    return any(_fits_all(arguments, answer) for answer in answers)


def _fits_all(given: Mapping[str, Any], listed: Mapping[str, Any]) -> bool:
    if not given.keys() <= listed.keys():
        return False
    return all(
        _is_listed(given[name], values) if name in given else OPTIONAL in values
        for name, values in listed.items()
    )


def _is_listed(given: Any, values: Any) -> bool:
    """Whether a value is one of those listed; some answers write the only one without a list."""
    if not isinstance(values, list):
        return _equal(given, values)
    return any(_equal(given, value) for value in values) or _equal(given, values)


def _equal(given: Any, expected: Any) -> bool:
    if isinstance(given, str) and isinstance(expected, str):
        return _plain(given) == _plain(expected)
    if isinstance(given, bool) or isinstance(expected, bool):
        return given is expected
    if isinstance(given, list) and isinstance(expected, list):
        return len(given) == len(expected) and all(map(_equal, given, expected))
    if isinstance(given, dict) and isinstance(expected, dict):
        return _fits_all(given, expected)
    return bool(given == expected)


def _plain(text: str) -> str:
    return IGNORED.sub("", text).lower()
