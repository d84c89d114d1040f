"""Any JSON value where every object must be closed: objects as entries of key and value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from toolhaft.lowering.lenses.arrays import ArrayLens
from toolhaft.lowering.lenses.lens import NodeLens, Path
from toolhaft.lowering.lenses.pairs import PairsLens
from toolhaft.lowering.lenses.wrap import WrapLens
from toolhaft.spec import Issue

__all__ = ["ANYTHING", "AnythingLens"]


@dataclass(frozen=True, slots=True)
class AnythingLens(NodeLens):
    """Scalars as they are, lists item by item, objects as `{"entries": [pairs]}`."""

    def put(self, value: Any) -> Any:
        return _lens_of(value).put(value)

    def get(self, wire: Any, at: Path, issues: list[Issue]) -> Any:
        return _lens_of(wire).get(wire, at, issues)

    def wire_path(self, path: Path, wire: Any) -> Path:
        return _lens_of(wire).wire_path(path, wire)


ANYTHING = AnythingLens()
_SCALAR = NodeLens()
_BY_TYPE: dict[type, NodeLens] = {
    dict: WrapLens("entries", PairsLens(ANYTHING)),
    list: ArrayLens(ANYTHING),
}


def _lens_of(value: Any) -> NodeLens:
    return _BY_TYPE.get(type(value), _SCALAR)
