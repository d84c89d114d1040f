"""A value written as JSON text, where the target has no structure for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from toolhaft.jsonio import jsontext
from toolhaft.lowering.lenses.lens import NodeLens, Path, add_type_issue
from toolhaft.spec import Issue

__all__ = ["JsonTextLens"]


@dataclass(frozen=True, slots=True)
class JsonTextLens(NodeLens):
    """JSON text on the wire; read under the same strict rules as any arguments."""

    def put(self, value: Any) -> Any:
        return jsontext.write(value)

    def get(self, wire: Any, at: Path, issues: list[Issue]) -> Any:
        if not isinstance(wire, str):
            add_type_issue(issues, at, "string", wire)
            return wire
        try:
            return jsontext.read(wire)
        except jsontext.JsonSyntaxError as fault:
            issues.append(Issue(fault.message, at, "json"))
            return wire

    def wire_path(self, path: Path, wire: Any) -> Path:  # noqa: ARG002 - the shape of a lens
        return ()

    def own_path(self, path: Path, wire: Any) -> Path:  # noqa: ARG002 - the shape of a lens
        return ()
