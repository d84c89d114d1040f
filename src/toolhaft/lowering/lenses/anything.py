"""Any JSON value where every object must be closed.

Where a definition may hold itself, objects are entries of key and value, to any depth. Where it
may not, scalars stand as they are and only a list or an object is JSON text, under `json`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from toolhaft.lowering.lenses.arrays import ArrayLens
from toolhaft.lowering.lenses.json_text import JsonTextLens
from toolhaft.lowering.lenses.lens import IDENTITY, NodeLens, Path
from toolhaft.lowering.lenses.pairs import PairsLens
from toolhaft.lowering.lenses.wrap import WrapLens
from toolhaft.spec import Issue

__all__ = ["ANYTHING", "SCALAR_OR_TEXT", "AnythingLens", "ScalarOrTextLens"]


@dataclass(frozen=True, slots=True)
class AnythingLens(NodeLens):
    """Scalars as they are, lists item by item, objects as `{"entries": [pairs]}`."""

    def put(self, value: Any) -> Any:
        return _lens_of(value).put(value)

    def get(self, wire: Any, at: Path, issues: list[Issue]) -> Any:
        return _lens_of(wire).get(wire, at, issues)

    def wire_path(self, path: Path, wire: Any) -> Path:
        return _lens_of(wire).wire_path(path, wire)

    def own_path(self, path: Path, wire: Any) -> Path:
        return _lens_of(wire).own_path(path, wire)


ANYTHING = AnythingLens()
_BY_TYPE: dict[type, NodeLens] = {
    dict: WrapLens("entries", PairsLens(ANYTHING)),
    list: ArrayLens(ANYTHING),
}


def _lens_of(value: Any) -> NodeLens:
    return _BY_TYPE.get(type(value), IDENTITY)


@dataclass(frozen=True, slots=True)
class ScalarOrTextLens(NodeLens):
    """Scalars as they are; `{"json": text}` for a list or an object."""

    def put(self, value: Any) -> Any:
        return _TEXT.put(value) if isinstance(value, dict | list) else value

    def get(self, wire: Any, at: Path, issues: list[Issue]) -> Any:
        return _TEXT.get(wire, at, issues) if isinstance(wire, dict) else wire

    def wire_path(self, path: Path, wire: Any) -> Path:  # noqa: ARG002 - the shape of a lens
        return ("json",) if isinstance(wire, dict) else ()

    def own_path(self, path: Path, wire: Any) -> Path:  # noqa: ARG002 - the shape of a lens
        return ()


SCALAR_OR_TEXT = ScalarOrTextLens()
_TEXT = WrapLens("json", JsonTextLens())
