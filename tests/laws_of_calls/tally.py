"""The results for one vendor: the number of checks, and each violation with its evidence."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, NamedTuple

__all__ = ["Judge", "Tally", "Violation"]


@dataclass(frozen=True, slots=True)
class Violation:
    """A law broken: by which type, on which arguments, and the actual result."""

    law: str
    vendor: str
    seed: int
    number: int
    source: str
    value: Any
    detail: str

    def __str__(self) -> str:
        return (
            f"--- {self.law}: {self.vendor}, type {self.number} (again: --vendor {self.vendor} "
            f"--seed {self.seed} --start {self.number} --types 1)\n{self.source}\n"
            f"arguments: {self.value!r}\n{self.detail}\n"
        )


@dataclass(slots=True)
class Tally:
    """The figures of a vendor; of each law the violation with the shortest source is kept."""

    vendor: str
    seed: int = 1
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


class Judge(NamedTuple):
    """Counts the checks of one type: each law by its sentence."""

    tally: Tally
    source: str

    def holds(self, law: str, holds: bool, value: Any, **shown: Any) -> None:
        """Count a check; `shown` is recorded if the law does not hold."""
        tally = self.tally
        tally.checks[law] += 1
        if holds:
            return
        tally.broken[law] += 1
        tally.types_broken.setdefault(law, set()).add(tally.number)
        known = tally.samples.get(law)
        if known is None or len(self.source) < len(known.source):
            detail = "\n".join(f"{name}: {each!r}" for name, each in shown.items())
            made = (law, tally.vendor, tally.seed, tally.number, self.source, value, detail)
            tally.samples[law] = Violation(*made)
