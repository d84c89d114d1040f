"""Which version of a library is installed, for tests of what only newer ones have."""

from __future__ import annotations

import re
from importlib.metadata import version

import pytest

__all__ = ["at_least", "needs"]


def at_least(name: str, oldest: str) -> bool:
    """Whether a library is of this version or newer."""
    return _numbers(version(name)) >= _numbers(oldest)


def needs(name: str, oldest: str) -> pytest.MarkDecorator:
    """Skip a test, or one case of it, where a library is older."""
    return pytest.mark.skipif(not at_least(name, oldest), reason=f"{name} has it from {oldest} on")


def _numbers(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", text)]
