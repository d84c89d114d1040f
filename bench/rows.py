"""A row of the table: its name and its measurement."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from paired import Ratio

__all__ = ["Measured", "Row"]


class Measured(NamedTuple):
    """A measurement, with the failures against the row's expectations, in which case it is void."""

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
