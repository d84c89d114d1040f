"""A reference to a definition that is lowered once and may hold itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from toolhaft.lowering.lenses.lens import IDENTITY, NodeLens, Path
from toolhaft.spec import Issue

__all__ = ["ReferenceLens"]


@dataclass(frozen=True, slots=True)
class ReferenceLens(NodeLens):
    """The lens of the definition at `pointer`, looked up when it is used."""

    pointer: str
    table: Mapping[str, NodeLens] = field(compare=False, repr=False)

    def _target_lens(self) -> NodeLens:
        return self.table.get(
            self.pointer, IDENTITY
        )  # absent while a default inside the definition is written

    def put(self, value: Any) -> Any:
        return self._target_lens().put(value)

    def get(self, wire: Any, at: Path, issues: list[Issue]) -> Any:
        return self._target_lens().get(wire, at, issues)

    def wire_path(self, path: Path, wire: Any) -> Path:
        return self._target_lens().wire_path(path, wire)

    def own_path(self, path: Path, wire: Any) -> Path:
        return self._target_lens().own_path(path, wire)
