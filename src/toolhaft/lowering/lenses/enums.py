"""Enum members that the target cannot write, each with a text that stands for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from toolhaft.lowering.lenses.lens import NodeLens, Path
from toolhaft.schema.document.kinds import json_equal
from toolhaft.spec import Issue

__all__ = ["EnumLens"]


@dataclass(frozen=True, slots=True)
class EnumLens(NodeLens):
    """A table from the text on the wire to the member that it stands for."""

    table: tuple[tuple[Any, Any], ...]

    def put(self, value: Any) -> Any:
        return next((text for text, each in self.table if json_equal(each, value)), value)

    def get(self, wire: Any, at: Path, issues: list[Issue]) -> Any:
        for text, member in self.table:
            if json_equal(text, wire):
                return member
        issues.append(Issue("expected one of the listed values", at, "enum"))
        return wire

    def wire_path(self, path: Path, wire: Any) -> Path:  # noqa: ARG002 - the shape of a lens
        return ()

    def own_path(self, path: Path, wire: Any) -> Path:  # noqa: ARG002 - the shape of a lens
        return ()
