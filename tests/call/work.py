"""How much work a call is, counted in function calls: no clock, and no endless test."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

__all__ = ["TooMuchWork", "work_of"]


class TooMuchWork(BaseException):
    """More functions were called than the test allows."""


def work_of(run: Callable[[], Any], most: int = 2_000_000) -> int:
    """Count the Python functions that are called by a second run of something."""
    run()
    count = 0

    def counted(frame: Any, event: str, argument: Any) -> None:
        nonlocal count
        count += event == "call"
        if count > most:
            raise TooMuchWork(most)

    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        run()
    finally:
        sys.setprofile(before)
    return count
