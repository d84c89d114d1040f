"""How much work a pattern that goes back may be on a text.

Where the engine does not go back, it goes on: each part of a pattern takes a step, and one that
repeats may look at the whole text. Then it goes back, from each place in the text where a match
may start. So the steps of going on once, times how often it goes back, bound the work.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

from toolhaft.schema.pattern_parts import inside, is_repeat, parsed

__all__ = ["work"]

GOING_BACK: Final = 8  # steps that going back once takes by itself
# Parts that are cut off after they matched, so the engine does not backtrack into them.
CUT: Final = frozenset({"ASSERT", "ASSERT_NOT", "ATOMIC_GROUP", "POSSESSIVE_REPEAT"})
REFERENCES: Final = frozenset({"GROUPREF", "GROUPREF_EXISTS"})


@lru_cache(maxsize=4096)
def work(pattern: str, length: int) -> tuple[int, int]:
    """Return the steps of a pattern on a text without backtracking, and of backtracking once.

    >>> work("^(?=.*a)(?=.*b)", 100), work("^((?!a).)*$", 100)
    ((207, 215), (502, 15))
    """
    items = parsed(pattern)
    if items is None:
        return length * length, length * length + GOING_BACK
    whole = _steps(items, length, is_cut=True)
    return whole, _steps(items, length, is_cut=False) + GOING_BACK


def _steps(items: Any, length: int, *, is_cut: bool) -> int:
    return sum(_steps_of(operator, argument, length, is_cut) for operator, argument in items)


def _steps_of(operator: Any, argument: Any, length: int, is_cut: bool) -> int:
    """The steps of an item; each round of a repetition that is not cut off goes back by itself."""
    name = str(operator)
    if name in REFERENCES:
        return length
    is_inner_cut = is_cut or name in CUT
    steps = 1 + sum(
        _steps(part, length, is_cut=is_inner_cut) for part in inside(operator, argument)
    )
    if not is_repeat(operator):
        return steps
    rounds = min(int(argument[1]), length)
    if not _is_hard(argument[2]):  # left to an engine that runs in linear time
        return rounds + 1
    return steps * max(rounds, 1) if is_inner_cut else steps


def _is_hard(items: Any) -> bool:
    """Whether some of the items need an engine that goes back."""
    return any(
        str(operator) in CUT | REFERENCES or any(map(_is_hard, inside(operator, argument)))
        for operator, argument in items
    )
