"""A tool that tells which process answers, for clients of several workers."""

from __future__ import annotations

import os

from toolhaft import tool


@tool
def whose(number: int) -> list[int]:
    """Return the number and the process that answers.

    Args:
        number: Any.
    """
    return [number, os.getpid()]
