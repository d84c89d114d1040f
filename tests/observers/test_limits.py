"""A rate limit counts what passed in a window, by a clock that a test can hold."""

from __future__ import annotations

import math
from typing import Any

import pytest

from tests.observers.recording import double
from toolhaft import Err, Toolset
from toolhaft.observers.limits import RateLimit


class Clock:
    """A clock that stands still until it is set."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.requirement("observers-limits")
def test_calls_beyond_the_rate_are_overloaded_until_the_window_has_moved_on() -> None:
    clock = Clock()
    tools = Toolset([double], limiters=[RateLimit(2, 10, clock=clock)])

    def passes() -> bool:
        return bool(tools.call_sync("double", {"n": 1}))

    assert [passes(), passes(), passes()] == [True, True, False]
    clock.now = 9.9
    refused = tools.call_sync("double", {"n": 1})
    assert isinstance(refused, Err)
    assert (refused.kind, refused.retryable, refused.effect) == ("overloaded", True, "none")
    assert refused.text == "Too many calls: at most 2 in 10 s. Please try again in 1 s."
    clock.now = 10.0
    assert [passes(), passes(), passes()] == [True, True, False]


def test_one_limit_counts_the_calls_of_several_sets_together() -> None:
    limit = RateLimit(1, 10, clock=Clock())
    one, two = Toolset([double], limiters=[limit]), Toolset([double], limiters=[limit])
    assert one.call_sync("double", {"n": 1})
    assert not two.call_sync("double", {"n": 1})


@pytest.mark.parametrize(
    ("calls", "seconds"),
    [(0, 1), (1, 0), (1, math.nan), (1, math.inf), (1, 10**400), (1, "3"), (1, True), ("1", 3)],
)
def test_a_limit_that_limits_nothing_or_everything_is_refused(calls: Any, seconds: Any) -> None:
    with pytest.raises(ValueError, match="at least one call"):
        RateLimit(calls, seconds)


@pytest.mark.requirement("observers-know-who")
def test_a_rate_counts_callers_separately_by_a_key_and_forgets_old_ones() -> None:
    now = [0.0]
    limit = RateLimit(1, 10, key=lambda call: call.context, clock=lambda: now[0])
    tools = Toolset([double], limiters=[limit])

    def kind(user: str) -> str:
        outcome = tools.call_sync("double", {"n": 1}, context=user)
        return "ok" if outcome else outcome.kind

    assert [kind("ann"), kind("bob"), kind("ann")] == ["ok", "ok", "overloaded"]
    now[0] = 11.0
    assert [kind("bob"), kind("eve")] == ["ok", "ok"]
    assert list(limit._passed) == ["bob", "eve"]


@pytest.mark.requirement("observers-know-who")
def test_a_key_that_fails_refuses_the_call() -> None:
    limit = RateLimit(1, 10, key=lambda call: call.context.user)
    refused = Toolset([double], limiters=[limit]).call_sync("double", {"n": 1})
    assert (refused.kind, refused.effect) == ("runtime_error", "none")  # type: ignore[union-attr]
