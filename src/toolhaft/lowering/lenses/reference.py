"""A reference to a definition that is lowered once and may hold itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from toolhaft.lowering.lenses.lens import NodeLens, Path
from toolhaft.spec import Issue

__all__ = ["ReferenceLens"]


@dataclass(frozen=True, slots=True)
class ReferenceLens(NodeLens):
    """The lens of the definition at `pointer`, looked up when it is used."""

    pointer: str
    table: Mapping[str, NodeLens] = field(compare=False, repr=False)

    def put(self, value: Any) -> Any:
        return self.table[self.pointer].put(value)

    def get(self, wire: Any, at: Path, issues: list[Issue]) -> Any:
        return self.table[self.pointer].get(wire, at, issues)

    def wire_path(self, path: Path, wire: Any) -> Path:
        return self.table[self.pointer].wire_path(path, wire)
