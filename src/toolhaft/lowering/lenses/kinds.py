"""A node of several kinds that stays one node: the lens of the value's own kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from toolhaft.lowering.lenses.lens import IDENTITY, NodeLens, Path, kind_of
from toolhaft.spec import Issue

__all__ = ["KindLens", "kind_lens"]


@dataclass(frozen=True, slots=True)
class KindLens(NodeLens):
    """One lens for each JSON kind; kinds keep theirs on the wire."""

    lenses: Mapping[str, NodeLens]

    def _lens_for(self, value: Any) -> NodeLens:
        return self.lenses.get(kind_of(value), IDENTITY)

    def put(self, value: Any) -> Any:
        return self._lens_for(value).put(value)

    def get(self, wire: Any, at: Path, issues: list[Issue]) -> Any:
        return self._lens_for(wire).get(wire, at, issues)

    def wire_path(self, path: Path, wire: Any) -> Path:
        return self._lens_for(wire).wire_path(path, wire)

    def own_path(self, path: Path, wire: Any) -> Path:
        return self._lens_for(wire).own_path(path, wire)


def kind_lens(lens: KindLens) -> NodeLens:
    """Return the lens, or the identity if it changes nothing."""
    return IDENTITY if all(each is IDENTITY for each in lens.lenses.values()) else lens
