"""How sure a share is: Wilson's interval, and Newcombe's for the difference of two shares."""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

__all__ = ["Share", "difference"]

# The normal deviate of 95 %.
Z = 1.959963984540054


class Share(NamedTuple):
    """So many of a total, with Wilson's interval at 95 % (E. B. Wilson, 1927).

    >>> share = Share(8, 10)
    >>> share.value, round(share.low, 3), round(share.high, 3)
    (0.8, 0.49, 0.943)
    >>> Share(0, 0).low, Share(0, 0).high
    (0.0, 1.0)
    """

    part: int
    total: int

    @property
    def value(self) -> float:
        return self.part / self.total if self.total else 0.0

    @property
    def low(self) -> float:
        return max(0.0, self._centre - self._reach) if self.part else 0.0

    @property
    def high(self) -> float:
        return min(1.0, self._centre + self._reach) if self.part < self.total else 1.0

    @property
    def _centre(self) -> float:
        return (self.value + Z * Z / (2 * self.total)) / (1 + Z * Z / self.total)

    @property
    def _reach(self) -> float:
        total, spread = self.total, self.value * (1 - self.value)
        return Z * sqrt(spread / total + Z * Z / (4 * total * total)) / (1 + Z * Z / total)

    def as_json(self) -> dict[str, float]:
        """Return the share as plain JSON data."""
        numbers = {"share": self.value, "low": self.low, "high": self.high}
        rounded = {key: round(number, 4) for key, number in numbers.items()}
        return {"count": self.part, "total": self.total, **rounded}


def difference(first: Share, second: Share) -> tuple[float, float, float]:
    """Return by how much the second share is larger, and the interval of that at 95 %.

    Newcombe's hybrid of two Wilson intervals (R. G. Newcombe, 1998, method 10).

    >>> [round(number, 4) for number in difference(Share(48, 80), Share(56, 70))]
    [0.2, 0.0524, 0.3339]
    """
    gain = second.value - first.value
    low = gain - sqrt((second.value - second.low) ** 2 + (first.high - first.value) ** 2)
    high = gain + sqrt((second.high - second.value) ** 2 + (first.value - first.low) ** 2)
    return gain, low, high
