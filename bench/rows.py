"""A row of the table: what it is called and how it is measured."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from paired import Ratio

__all__ = ["Measured", "Row"]


class Measured(NamedTuple):
    """What was measured, and what did not go as the row wants it to: then no figure counts."""

    ratio: Ratio | None
    failures: tuple[str, ...] = ()
    shapes: tuple[str, ...] = ()


class Row(NamedTuple):
    """One line of the table, to be measured in so many rounds."""

    form: str
    workload: str
    measure: Callable[[int], Measured]

    @property
    def key(self) -> str:
        return f"{self.form}: {self.workload}"
