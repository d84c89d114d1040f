"""The checks of a node for one JSON type: a quick test, and a function that explains failures.

Most values are valid. A test without a path, a report and a count of steps finds that out in a part
of the time, so a walk goes only to places that are or may be wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from toolhaft.schema.explain.node import Check, Fits, KindCheck, Walk
from toolhaft.spec import Path

__all__ = ["RIGHT", "combined", "never", "refused", "to_refusal", "to_walk"]

# Tests that are made of one value without counting them as steps.
MAX_TESTS = 16
# How many parts of an object or an array may be looked at for one step.
PARTS_A_STEP = 4


def never(_: Any) -> bool:
    """The test of what only a walk can tell."""
    return False


def refused(_: Any) -> bool:
    """The test of what is always wrong."""
    return False


def _find_nothing(_: Walk, __: Any, ___: Path, ____: bool) -> None:
    pass


RIGHT = KindCheck(None, _find_nothing)


def to_walk(check: Check) -> KindCheck:
    """The check that walks every value."""
    return KindCheck(never, check)


def to_refusal(check: Check) -> KindCheck:
    """The check that refuses every value."""
    return KindCheck(refused, check)


def combined(checks: Sequence[KindCheck], whole: Fits | None = None) -> KindCheck:
    """All checks of a node in their order; `whole` tests an object or an array as a whole."""
    checks = [check for check in checks if check.fits is not None]
    if not checks:
        return RIGHT
    if whole is not None:
        return KindCheck(whole, _explain(checks, has_parts=True))
    if len(checks) == 1:
        return replace(checks[0], is_final=False)
    tests = sum(check.tests for check in checks)
    return KindCheck(_all_fit(checks, tests), _explain(checks, has_parts=False), tests)


def _all_fit(checks: Sequence[KindCheck], tests: int) -> Fits:
    fits = [check.fits for check in checks if check.fits is not None]
    if tests > MAX_TESTS or never in fits:
        return never
    match fits:
        case [first, second]:  # the bounds of a number or a text
            return lambda value: first(value) and second(value)
        case _:
            return _all_of(fits)


def _all_of(fits: Sequence[Fits]) -> Fits:
    def all_fit(value: Any) -> bool:
        for fit in fits:  # noqa: SIM110 - a generator costs more than the tests
            if not fit(value):
                return False
        return True

    return all_fit


def _explain(checks: Sequence[KindCheck], *, has_parts: bool) -> Check:
    if has_parts and all(check.fits is never and not check.is_final for check in checks):
        return _explain_parts([check.explain for check in checks])
    steps = _steps(checks)

    def explain(run: Walk, value: Any, path: Path, required: bool) -> None:
        run.steps -= len(steps) + (len(value) // PARTS_A_STEP if has_parts else 0)
        if run.steps < 0:
            run.stop()
        for fits, tell, is_final in steps:
            if fits is None or not fits(value):
                tell(run, value, path, required)
                if is_final:
                    return

    return explain


def _explain_parts(tells: Sequence[Check]) -> Check:
    """Walk an object or an array; the commonest keywords need nothing else."""
    count = len(tells)

    def explain(run: Walk, value: Any, path: Path, required: bool) -> None:
        run.steps -= count + len(value) // PARTS_A_STEP
        if run.steps < 0:
            run.stop()
        for tell in tells:
            tell(run, value, path, required)

    return explain


def _steps(checks: Sequence[KindCheck]) -> list[tuple[Fits | None, Check, bool]]:
    """Return the steps of each check; a test that never fits need not run."""
    return [
        (None if check.fits is never else check.fits, check.explain, check.is_final)
        for check in checks
    ]
