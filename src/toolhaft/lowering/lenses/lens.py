"""The shape of every lens, the lens that changes nothing, and that of a reference.

A lens reads a model's arguments for the lowered schema (`get`), writes arguments for it (`put`) and
maps a place in the arguments to its place on the wire (`wire_path`) and back (`own_path`). `get`
never raises: a value that cannot be read becomes an issue whose path is in the terms of the
original schema.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from toolhaft.spec import Code, Issue

__all__ = [
    "IDENTITY",
    "ChosenLens",
    "NodeLens",
    "Path",
    "ReferenceLens",
    "add_type_issue",
    "kind_of",
    "step_into",
]

Path: TypeAlias = tuple[str | int, ...]

_KINDS: dict[type, str] = {
    dict: "object",
    list: "array",
    str: "string",
    bool: "boolean",
    int: "number",
    float: "number",
    type(None): "null",
}


class NodeLens:
    """The identity: a node whose values are written on the wire as they are."""

    __slots__ = ()

    def put(self, value: Any) -> Any:
        """The wire's form of a value of the original schema."""
        return value

    def get(self, wire: Any, at: Path, issues: list[Issue]) -> Any:  # noqa: ARG002 - the shape
        """Return the wire value in the original's form, and add faults to `issues`."""
        return wire

    def wire_path(self, path: Path, wire: Any) -> Path:  # noqa: ARG002 - the shape
        """Where `path` of the original stands in `wire`."""
        return path

    def own_path(self, path: Path, wire: Any) -> Path:  # noqa: ARG002 - the shape
        """Which place of the original is written at `path` of `wire`, or the nearest around it."""
        return path


IDENTITY = NodeLens()


def step_into(wire: Any, step: str | int) -> Any:
    """Return the value at a step into `wire`, or None if it has no such step."""
    try:
        return wire[step]
    except (KeyError, IndexError, TypeError):
        return None


def kind_of(value: Any) -> str:
    """The JSON kind of a value; an integer is a number."""
    return _KINDS.get(type(value), "object")


def add_type_issue(
    issues: list[Issue], at: Path, expected: str, wire: Any, *, code: Code = "type"
) -> None:
    """Add an issue that another kind was expected, without the value."""
    received = kind_of(wire)
    issues.append(Issue(f"expected {expected}, received {received}", at, code, expected, received))


class ChosenLens(NodeLens, ABC):
    """A lens for each value, such as the one of its kind."""

    __slots__ = ()

    @abstractmethod
    def lens_for(self, value: Any) -> NodeLens:
        """Return the lens of a value, which may be the original's or the wire's."""

    def put(self, value: Any) -> Any:
        return self.lens_for(value).put(value)

    def get(self, wire: Any, at: Path, issues: list[Issue]) -> Any:
        return self.lens_for(wire).get(wire, at, issues)

    def wire_path(self, path: Path, wire: Any) -> Path:
        return self.lens_for(wire).wire_path(path, wire)

    def own_path(self, path: Path, wire: Any) -> Path:
        return self.lens_for(wire).own_path(path, wire)


@dataclass(frozen=True, slots=True)
class ReferenceLens(ChosenLens):
    """The lens of the definition at `pointer`, looked up when it is used: it may hold itself."""

    pointer: str
    table: Mapping[str, NodeLens] = field(compare=False, repr=False)

    def lens_for(self, value: Any) -> NodeLens:
        del value  # a lens is absent while a default inside the definition is written
        return self.table.get(self.pointer, IDENTITY)
