"""The engine that validates: jsonschema-rs, limited to local references and bounded patterns.

A pattern runs in linear time, unless it has a lookaround or a back reference: its engine then
backtracks, at most as often as its limit allows. A text that needs more is rejected.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

from toolhaft.schema.faults import SchemaFault, SchemaRefused
from toolhaft.schema.pattern_work import work

__all__ = ["FEW_BACKTRACKS", "compiled", "is_linear", "match_counted", "matcher", "quick_matcher"]
__all__ += ["quick_work"]

# How often one pattern may go back on one text: 1 ms, and enough for lookarounds on 100 KB.
BACKTRACK_LIMIT: Final = 100_000
# How often on each of many texts that nobody counts.
FEW_BACKTRACKS: Final = 100
# How many steps then.
FEW_STEPS: Final = 100_000
# The limit of steps in that case.
TRIALS: Final = (10, 50, 250, 1_000, 5_000, 25_000, BACKTRACK_LIMIT)
# Bytes that one compiled pattern may take: `\p{L}{1,64}` takes nearly 3 MB, real ones far less.
SIZE_LIMIT: Final = 4 << 20


@lru_cache(maxsize=64)
def matcher(pattern: str) -> Callable[[str], bool]:
    """The test of a pattern (ECMA-262) on a text, in linear time or with bounded backtracking.

    Raises:
        SchemaRefused: No engine can run the pattern.
    """
    return compiled({"pattern": pattern})


@lru_cache(maxsize=64)
def quick_matcher(pattern: str) -> Callable[[str], bool]:
    """Like `matcher`, for many texts: a text that takes too long counts as no match."""
    matches = compiled({"pattern": pattern}, FEW_BACKTRACKS)
    if is_linear(pattern):
        return matches
    return lambda text: quick_work(pattern, len(text)) <= FEW_STEPS and matches(text)


def quick_work(pattern: str, length: int) -> int:
    """Return the most steps of a pattern on a text if it goes back a few times only."""
    whole, again = work(pattern, length)
    return whole + FEW_BACKTRACKS * again


@lru_cache(maxsize=256)
def is_linear(pattern: str) -> bool:
    """Whether a pattern runs in linear time, without going back in a text.

    >>> is_linear("^(a+)+$"), is_linear("^(?!a)")
    (True, False)
    """
    import jsonschema_rs

    try:
        _validator({"pattern": pattern}, jsonschema_rs.RegexOptions(SIZE_LIMIT))
    except ValueError:
        return False
    return True


def match_counted(pattern: str, text: str, most: int) -> tuple[bool | None, int, int]:
    """Match a text, and say how often the pattern may have gone back, and what steps that took.

    None stands for a match that might take more than `most` steps.

    >>> match_counted("^(?!a)", "b", 1_000), match_counted("^(?!a)", "b", 1)
    ((True, 10, 113), (None, 0, 0))
    """
    spent = 0
    whole, again = work(pattern, len(text))
    for limit in TRIALS:
        cost = whole + limit * again
        if spent + cost > most:
            break
        spent += cost
        matches = _attempt(pattern, limit)(text)
        if matches is not None:
            return matches, limit, spent
    return None, 0, spent


@lru_cache(maxsize=256)
def _attempt(pattern: str, limit: int) -> Callable[[str], bool | None]:
    """Return the test of a pattern on a text; its result is None if the limit is exceeded."""
    import jsonschema_rs

    gave_up = jsonschema_rs.ValidationErrorKind.BacktrackLimitExceeded
    options = jsonschema_rs.FancyRegexOptions(limit, SIZE_LIMIT)
    validator = _validator({"pattern": pattern}, options)

    def attempt(text: str) -> bool | None:
        kinds = [error.kind for error in validator.iter_errors(text)]
        return None if any(isinstance(kind, gave_up) for kind in kinds) else not kinds

    return attempt


def compiled(schema: Any, backtracks: int = BACKTRACK_LIMIT) -> Callable[[Any], bool]:
    """The engine's verdict on data, which raises `ValueError` for some data that are not plain.

    `backtracks` is how often a pattern may go back on one text; data with a text on which it would
    do so more often are refused.

    Raises:
        SchemaRefused: The schema does not compile.
    """
    import jsonschema_rs

    options = jsonschema_rs.FancyRegexOptions(backtracks, SIZE_LIMIT)
    try:
        accepts: Callable[[Any], bool] = _validator(schema, options).is_valid
    except ValueError as error:
        reason = str(error).partition("\n")[0][:200]
        fault = SchemaFault("", f"the schema does not compile: {reason}", "correct the schema")
        raise SchemaRefused([fault]) from None
    return accepts


def _validator(schema: Any, patterns: Any) -> Any:
    import jsonschema_rs

    return jsonschema_rs.Draft202012Validator(
        schema, validate_formats=False, retriever=_refuse, pattern_options=patterns
    )


def _refuse(uri: str) -> Any:
    raise LookupError(uri)
