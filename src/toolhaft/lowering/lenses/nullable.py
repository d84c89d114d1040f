"""Null beside another form, where the target has a flag for it and no type."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from toolhaft.lowering.lenses.lens import IDENTITY, NodeLens, Path
from toolhaft.spec import Issue

__all__ = ["NullableLens", "nullable_lens"]


@dataclass(frozen=True, slots=True)
class NullableLens(NodeLens):
    """Null as it is, anything else through the other form's lens."""

    inner: NodeLens

    def put(self, value: Any) -> Any:
        return None if value is None else self.inner.put(value)

    def get(self, wire: Any, at: Path, issues: list[Issue]) -> Any:
        return None if wire is None else self.inner.get(wire, at, issues)

    def wire_path(self, path: Path, wire: Any) -> Path:
        return path if wire is None else self.inner.wire_path(path, wire)

    def own_path(self, path: Path, wire: Any) -> Path:
        return path if wire is None else self.inner.own_path(path, wire)


def nullable_lens(inner: NodeLens) -> NodeLens:
    """Return the lens, or the identity if it changes nothing."""
    return IDENTITY if inner is IDENTITY else NullableLens(inner)
