"""`RateLimit`: at most so many calls in so many seconds, as an example of a `Limiter`."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Hashable
from threading import Lock
from time import monotonic

from toolhaft.call.after_fork import renew_after_fork
from toolhaft.call.outcome import Err
from toolhaft.observers.details import CallStarted

__all__ = ["RateLimit"]


class RateLimit:
    """Refuse calls beyond `calls` in any `seconds`, over all tools of the toolset together.

    A refused call is `overloaded`: it did not run, does not count, and may be made again. One
    limit may be given to several toolsets, and counts their calls together. With `key`, calls are
    counted apart by what it gives for each, as in `key=lambda call: call.context.user`.

    Raises:
        ValueError: A limit that lets nothing pass, or lasts no time, or for ever.

    >>> from toolhaft import Toolset, tool
    >>> @tool
    ... def double(n: int) -> int:
    ...     "Twice a number."
    ...     return 2 * n
    >>> tools = Toolset([double], limiters=[RateLimit(1, seconds=60, clock=lambda: 0.0)])
    >>> tools.call_sync("double", {"n": 4}).text
    '8'
    >>> refused = tools.call_sync("double", {"n": 5})
    >>> refused.kind, refused.retryable, refused.effect
    ('overloaded', True, 'none')
    >>> refused.text
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
        if calls < 1 or not 0 < seconds < math.inf:
            raise ValueError("a rate limit needs at least one call, and a time that ends")
        self.calls = calls
        self.seconds = seconds
        self._key = key
        self._clock = clock
        self.renew()
        renew_after_fork(self)
        # In the order of their last calls: what is old stands first, and is forgotten.
        self._passed: dict[Hashable, deque[float]] = {}

    def renew(self) -> None:
        """Make the lock anew, in a process that was forked while another thread held it."""
        self._lock = Lock()

    def admit(self, call: CallStarted, /) -> Err | None:
        """Let a call pass while fewer than `calls` passed in the last `seconds`."""
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
        )

    def _forget(self, now: float) -> None:
        """Drop the keys whose last call counts no more."""
        while self._passed:
            key, passed = next(iter(self._passed.items()))
            if passed[-1] + self.seconds > now:
                return
            del self._passed[key]
