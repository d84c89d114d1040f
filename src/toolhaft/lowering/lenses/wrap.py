"""A value inside an object of one key: a root of another type, or a value beside null."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from toolhaft.lowering.lenses.lens import NodeLens, Path, add_type_issue, step_into
from toolhaft.spec import Issue

__all__ = ["WrapLens"]


@dataclass(frozen=True, slots=True)
class WrapLens(NodeLens):
    """The value under `key`, the only key of an object on the wire."""

    key: str
    inner: NodeLens

    def put(self, value: Any) -> Any:
        return {self.key: self.inner.put(value)}

    def get(self, wire: Any, at: Path, issues: list[Issue]) -> Any:
        if not isinstance(wire, dict):
            add_type_issue(issues, at, "object", wire)
            return wire
        if self.key not in wire:
            issues.append(Issue("required", at, "missing"))
            return None
        return self.inner.get(wire[self.key], at, issues)

    def wire_path(self, path: Path, wire: Any) -> Path:
        return (self.key, *self.inner.wire_path(path, step_into(wire, self.key)))

    def own_path(self, path: Path, wire: Any) -> Path:
        return self.inner.own_path(path[1:], step_into(wire, self.key))
