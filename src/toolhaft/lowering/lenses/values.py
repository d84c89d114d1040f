"""Values that are written as others: enum members, JSON text, and any JSON value of closed objects.

Where a definition may hold itself, objects of any value are entries of key and value, to any
depth. Where it may not, scalars stand as they are and only a list or an object is JSON text, under
`json`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from toolhaft.jsonio import jsontext
from toolhaft.lowering.lenses.arrays import ArrayLens
from toolhaft.lowering.lenses.lens import IDENTITY, ChosenLens, NodeLens, Path, add_type_issue
from toolhaft.lowering.lenses.objects import PairsLens, WrapLens
from toolhaft.schema.document.kinds import json_equal
from toolhaft.spec import Issue

__all__ = [
    "ANYTHING",
    "SCALAR_OR_TEXT",
    "EnumLens",
    "JsonTextLens",
]


class _LeafLens(NodeLens):
    """A value whose places are not on the wire."""

    __slots__ = ()

    def wire_path(self, path: Path, wire: Any) -> Path:  # noqa: ARG002 - the shape of a lens
        return ()

    def own_path(self, path: Path, wire: Any) -> Path:  # noqa: ARG002 - the shape of a lens
        return ()


@dataclass(frozen=True, slots=True)
class EnumLens(_LeafLens):
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


@dataclass(frozen=True, slots=True)
class JsonTextLens(_LeafLens):
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


@dataclass(frozen=True, slots=True)
class _AnythingLens(ChosenLens):
    """Scalars as they are, lists item by item, objects as `{"entries": [pairs]}`."""

    def lens_for(self, value: Any) -> NodeLens:
        return _BY_TYPE.get(type(value), IDENTITY)


ANYTHING = _AnythingLens()
_BY_TYPE: dict[type, NodeLens] = {
    dict: WrapLens("entries", PairsLens(ANYTHING)),
    list: ArrayLens(ANYTHING),
}


@dataclass(frozen=True, slots=True)
class _ScalarOrTextLens(_LeafLens):
    """Scalars as they are; `{"json": text}` for a list or an object."""

    def put(self, value: Any) -> Any:
        return _TEXT.put(value) if isinstance(value, dict | list) else value

    def get(self, wire: Any, at: Path, issues: list[Issue]) -> Any:
        return _TEXT.get(wire, at, issues) if isinstance(wire, dict) else wire

    def wire_path(self, path: Path, wire: Any) -> Path:  # noqa: ARG002 - the shape of a lens
        return ("json",) if isinstance(wire, dict) else ()


SCALAR_OR_TEXT = _ScalarOrTextLens()
_TEXT = WrapLens("json", JsonTextLens())
