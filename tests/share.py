"""How much of a law a run tries: a share in `make test`, all of it in `make thorough`."""

from __future__ import annotations

from hypothesis import settings

__all__ = ["share", "step"]

# The examples of hypothesis's own profiles: with these, a law is tried at full size.
WHOLE = 100


def share(whole: int) -> int:
    """Scale a number of values or of examples to the profile of hypothesis that this run has."""
    return max(1, whole * settings().max_examples // WHOLE)


def step() -> int:
    """Return the step through thousands of recorded values that this run takes."""
    return max(1, WHOLE // settings().max_examples)
