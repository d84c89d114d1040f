"""The faults of a schema itself: the place, the reason, and the fix."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from toolhaft.errors import ToolhaftError

__all__ = ["SchemaFault", "SchemaRefused"]


class SchemaFault(NamedTuple):
    """One thing wrong with a schema; `pointer` is a JSON pointer (RFC 6901), "" for the root."""

    pointer: str
    reason: str
    fix: str

    def __str__(self) -> str:
        return f"{self.pointer or 'schema'}: {self.reason}; {self.fix}"


class SchemaRefused(ToolhaftError):
    """A schema cannot be used; `faults` says why."""

    def __init__(self, faults: Iterable[SchemaFault]) -> None:
        self.faults = tuple(faults)
        super().__init__("\n".join(map(str, self.faults)))
