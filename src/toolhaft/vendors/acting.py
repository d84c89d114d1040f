"""Types whose validation has side effects: it imports a named module, or reads the file system.

Validators run before approval, so a call that is then denied would already have had effects.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from toolhaft.errors import Fault
from toolhaft.spec import Path

__all__ = ["FIX", "ActingCheck", "acting_faults"]

FIX: Final = "take a text or a Path, and look in the handler"
IMPORT_FIX: Final = "take a text, and look it up among the names that the handler knows"


class ActingCheck(NamedTuple):
    """A validator that acts, and where it stands; with `imports` it runs code, else it looks."""

    path: Path
    name: str
    imports: bool = False

    @property
    def where(self) -> str:
        """The place in words; `input` for the whole."""
        return ".".join(map(str, self.path)) or "input"


def acting_faults(tool: str, checks: Iterable[ActingCheck], *, asks: bool) -> list[Fault]:
    """Find the types that a tool may not take; with `asks`, somebody permits its calls."""
    return [
        Fault(tool, check.where, f"{check.name} imports what the model names", IMPORT_FIX)
        if check.imports
        else Fault(tool, check.where, f"{check.name} shows which files exist, unasked", FIX)
        for check in checks
        if check.imports or asks
    ]
