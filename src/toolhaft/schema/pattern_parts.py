"""The parts of a pattern, as Python's own parser reads them."""

from __future__ import annotations

import re
import warnings
from importlib import import_module
from typing import Any, Final

__all__ = ["inside", "is_repeat", "parsed"]

_PARSER: Final[Any] = import_module("re._parser")  # the module has no public name since 3.11
# ECMA-262 spellings that Python lacks, and equivalents that its parser reads.
_SPELLINGS: Final = (
    (r"\(\?<(?![=!])", "(?P<"), (r"\\k<(\w+)>", r"(?P=\1)"), (r"\\[pP]\{[^}]*\}", r"\\w"),
)  # fmt: skip
REPEATS: Final = frozenset({"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"})


def parsed(pattern: str) -> Any:
    """The items of a pattern; None for one that only another engine can read."""
    for spelling, same in _SPELLINGS:
        pattern = re.sub(spelling, same, pattern)
    try:
        with warnings.catch_warnings(action="ignore"):
            return _PARSER.parse(pattern)
    except (re.error, OverflowError, RecursionError):
        return None


def inside(operator: Any, argument: Any) -> list[Any]:
    """The parts of an item that are patterns themselves."""
    name = str(operator)
    if name in REPEATS:
        return [argument[2]]
    if name == "SUBPATTERN":
        return [argument[3]]
    if name == "BRANCH":
        return list(argument[1])
    if name in {"ASSERT", "ASSERT_NOT"}:
        return [argument[1]]
    if name == "GROUPREF_EXISTS":
        return [part for part in argument[1:] if part is not None]
    return [argument] if name == "ATOMIC_GROUP" else []


def is_repeat(operator: Any) -> bool:
    """Whether an item repeats a part."""
    return str(operator) in REPEATS
