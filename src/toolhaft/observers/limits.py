"""`RateLimit`: at most so many calls in so many seconds, as an example of a `Limiter`."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Hashable
from threading import Lock
from time import monotonic

from toolhaft.call.after_fork import renew_after_fork
from toolhaft.call.outcome import Err
from toolhaft.definition.options import fault_of_seconds
from toolhaft.observers.details import CallStarted

__all__ = ["RateLimit"]


class RateLimit:
    """Reject calls beyond a number in any period, over all tools of a toolset together.

    A rejected call is `overloaded`: it did not run, does not count, and can be made again. If you
    pass one limit to several toolsets, it counts their calls together.

    Args:
        calls: How many calls may run in the period.
        seconds: The length of the period.
        key: A function of the call; calls are counted separately for each value it returns, as in
            `lambda call: call.context.user`.
        clock: A function that returns the time in seconds, for tests.

    Raises:
        ValueError: `calls` is not a whole number of at least 1, or `seconds` not a positive number.

    >>> from toolhaft import Toolset, tool
    >>> @tool
    ... def double(n: int) -> int:
    ...     "Twice a number."
    ...     return 2 * n
    >>> tools = Toolset([double], limiters=[RateLimit(1, seconds=60, clock=lambda: 0.0)])
    >>> tools.call_sync("double", {"n": 4}).text
    '8'
    >>> rejected = tools.call_sync("double", {"n": 5})
    >>> rejected.kind, rejected.retryable, rejected.effect
    ('overloaded', True, 'none')
    >>> rejected.text
    'Too many calls: at most 1 in 60 s. Please try again in 60 s.'
    """

    def __init__(
        self,
        calls: int,
        seconds: float,
        *,
        key: Callable[[CallStarted], Hashable] | None = None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        is_count = type(calls) is int and calls > 0
        if not is_count or fault_of_seconds(seconds or 0) is not None:
            raise ValueError("a rate limit needs at least one call, and a time that ends")
        self.calls = calls
        self.seconds = seconds
        self._key = key
        self._clock = clock
        self.renew()
        renew_after_fork(self)
        # In the order of their last calls: the oldest are first, and are forgotten.
        self._passed: dict[Hashable, deque[float]] = {}

    def renew(self) -> None:
        """Make a new lock, in a process that was forked while another thread held it."""
        self._lock = Lock()

    def admit(self, call: CallStarted, /) -> Err | None:
        """Let a call pass if fewer than `calls` passed in the last `seconds`.

        Args:
            call: The call before anything was done about it.
        """
        key = None if self._key is None else self._key(call)
        with self._lock:
            now = self._clock()
            self._forget(now)
            passed = self._passed.get(key) or deque(maxlen=self.calls)
            seconds_left = passed[0] + self.seconds - now if len(passed) == self.calls else 0.0
            if seconds_left <= 0:
                passed.append(now)
                self._passed.pop(key, None)
                self._passed[key] = passed
                return None
        return call.refusal(
            "overloaded",
            f"Too many calls: at most {self.calls} in {self.seconds:g} s. "
            f"Please try again in {math.ceil(seconds_left)} s.",
            retry_after=seconds_left,
        )

    def _forget(self, now: float) -> None:
        """Drop the keys whose last call counts no more."""
        while self._passed:
            key, passed = next(iter(self._passed.items()))
            if passed[-1] + self.seconds > now:
                return
            del self._passed[key]
