"""What was seen of one vendor: how much was tried, and each violation with what shows it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Tally", "Violation"]


@dataclass(frozen=True, slots=True)
class Violation:
    """A law broken: by which type, on which arguments, and what was seen instead."""

    law: str
    vendor: str
    number: int
    source: str
    value: Any
    detail: str

    def __str__(self) -> str:
        return (
            f"--- {self.law}: {self.vendor}, type {self.number}\n{self.source}\n"
            f"arguments: {self.value!r}\n{self.detail}\n"
        )


@dataclass(slots=True)
class Tally:
    """The figures of a vendor; of each law the violation with the shortest source is kept."""

    vendor: str
    number: int = 0
    types: int = 0
    usable: int = 0
    transforming: int = 0
    values: int = 0
    accepted: int = 0
    refusals: Counter[str] = field(default_factory=Counter[str])
    checks: Counter[str] = field(default_factory=Counter[str])
    broken: Counter[str] = field(default_factory=Counter[str])
    types_broken: dict[str, set[int]] = field(default_factory=dict[str, set[int]])
    samples: dict[str, Violation] = field(default_factory=dict[str, Violation])

    def check(self, law: str, holds: bool, source: str, value: Any, detail: str) -> bool:
        """Count one check of a law, and its violation where it does not hold."""
        self.checks[law] += 1
        if not holds:
            self.broken[law] += 1
            self.types_broken.setdefault(law, set()).add(self.number)
            known = self.samples.get(law)
            if known is None or len(source) < len(known.source):
                made = Violation(law, self.vendor, self.number, source, value, detail)
                self.samples[law] = made
        return holds
