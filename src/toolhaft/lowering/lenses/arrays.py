"""Arrays: each item through its own lens, and tuples written as objects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from toolhaft.lowering.lenses.lens import (
    IDENTITY,
    NodeLens,
    Path,
    add_type_issue,
    step_into,
)
from toolhaft.schema.issues import move_issue
from toolhaft.spec import Issue

__all__ = ["ArrayLens", "TupleLens", "array_lens"]


@dataclass(frozen=True, slots=True)
class ArrayLens(NodeLens):
    """A list whose first items have lenses of their own and whose others share one."""

    items: NodeLens
    first: tuple[NodeLens, ...] = ()

    def at(self, index: int) -> NodeLens:
        """Return the lens of the item at `index`."""
        return self.first[index] if index < len(self.first) else self.items

    def put(self, value: Any) -> Any:
        if not isinstance(value, list):
            return value
        return [self.at(index).put(each) for index, each in enumerate(value)]

    def get(self, wire: Any, at: Path, issues: list[Issue]) -> Any:
        if not isinstance(wire, list):
            add_type_issue(issues, at, "array", wire)
            return wire
        return [self.at(i).get(each, (*at, i), issues) for i, each in enumerate(wire)]

    def wire_path(self, path: Path, wire: Any) -> Path:
        if not path or not isinstance(path[0], int):
            return path
        index = path[0]
        return (index, *self.at(index).wire_path(path[1:], step_into(wire, index)))

    def own_path(self, path: Path, wire: Any) -> Path:
        if not path or not isinstance(path[0], int):
            return path
        index = path[0]
        return (index, *self.at(index).own_path(path[1:], step_into(wire, index)))


def array_lens(lens: ArrayLens) -> NodeLens:
    """Return the lens, or the identity if it changes nothing."""
    same = lens.items is IDENTITY and all(each is IDENTITY for each in lens.first)
    return IDENTITY if same else lens


@dataclass(frozen=True, slots=True)
class TupleLens(NodeLens):
    """A tuple as an object: `item_0`, `item_1`, ..., and `rest` for what follows.

    `required` is the number of items that are always there; a later one may be left out, or
    null where `null_is_absent`.
    """

    first: tuple[NodeLens, ...]
    rest: NodeLens | None
    required: int
    null_is_absent: bool

    def put(self, value: Any) -> Any:
        if not isinstance(value, list):
            return value
        wire = {f"item_{i}": self.first[i].put(each) for i, each in self._fixed_items(value)}
        if self.null_is_absent:
            wire.update((f"item_{i}", None) for i in range(len(value), len(self.first)))
        tail = value[len(self.first) :]
        if self.rest is not None and (tail or self.null_is_absent):
            wire["rest"] = self.rest.put(tail)
        return wire

    def _fixed_items(self, value: list[Any]) -> list[tuple[int, Any]]:
        return list(enumerate(value[: len(self.first)]))

    def get(self, wire: Any, at: Path, issues: list[Issue]) -> Any:
        if not isinstance(wire, dict):
            add_type_issue(issues, at, "object", wire)
            return wire
        items = [
            lens.get(wire[f"item_{i}"], (*at, i), issues)
            for i, lens in enumerate(self.first)
            if not self._is_absent(wire, i)
        ]
        gap = next((i for i in range(len(self.first)) if self._is_absent(wire, i)), len(self.first))
        rest = self._read_rest(wire.get("rest", []), at, issues)
        if len(items) > gap or (rest and gap < len(self.first)):
            issues.append(Issue("required", (*at, gap), "missing"))
        return items + rest

    def _read_rest(self, wire: Any, at: Path, issues: list[Issue]) -> list[Any]:
        """Read the items after the first ones; their indexes go on from those."""
        rest_issues: list[Issue] = []
        rest = [] if self.rest is None else self.rest.get(wire, (), rest_issues)
        issues += [move_issue(issue, (*at, *self._shift_path(issue.path))) for issue in rest_issues]
        return rest if isinstance(rest, list) else []

    def _shift_path(self, path: Path) -> Path:
        """Turn a path into the rest into a path into the whole tuple."""
        if not path or not isinstance(path[0], int):
            return ()
        return (path[0] + len(self.first), *path[1:])

    def _is_absent(self, wire: dict[str, Any], index: int) -> bool:
        key = f"item_{index}"
        if index < self.required or not self.null_is_absent:
            return key not in wire
        return wire.get(key) is None

    def wire_path(self, path: Path, wire: Any) -> Path:
        if not path or not isinstance(path[0], int):
            return path
        index, within = path[0], path[1:]
        if index < len(self.first):
            key = f"item_{index}"
            return (key, *self.first[index].wire_path(within, step_into(wire, key)))
        after = (index - len(self.first), *within)
        rest = self.rest if self.rest is not None else IDENTITY
        return ("rest", *rest.wire_path(after, step_into(wire, "rest")))

    def own_path(self, path: Path, wire: Any) -> Path:
        if not path:
            return ()
        key, within = path[0], path[1:]
        if key == "rest" and self.rest is not None:
            return self._shift_path(self.rest.own_path(within, step_into(wire, key)))
        for index, lens in enumerate(self.first):
            if key == f"item_{index}":
                return (index, *lens.own_path(within, step_into(wire, key)))
        return ()
