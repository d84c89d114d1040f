"""Maps written as a list of `{"key": ..., "value": ...}`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from toolhaft.lowering.lenses.lens import IDENTITY, NodeLens, Path, add_type_issue, step_into
from toolhaft.spec import Issue

__all__ = ["PairsLens"]


@dataclass(frozen=True, slots=True)
class PairsLens(NodeLens):
    """An object as a list of pairs, in order; the same key twice is an issue."""

    values: NodeLens = IDENTITY

    def put(self, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        return [{"key": key, "value": self.values.put(each)} for key, each in value.items()]

    def get(self, wire: Any, at: Path, issues: list[Issue]) -> Any:
        if not isinstance(wire, list):
            add_type_issue(issues, at, "array", wire)
            return wire
        entries: dict[str, Any] = {}
        for pair in wire:
            key = pair.get("key") if isinstance(pair, dict) else None
            if not isinstance(key, str) or "value" not in pair:
                issues.append(Issue("expected pairs of key and value", at, "type", "object"))
            elif key in entries:
                issues.append(Issue("key written twice", (*at, key), "json", facts={"key": "once"}))
            else:
                entries[key] = self.values.get(pair["value"], (*at, key), issues)
        return entries

    def wire_path(self, path: Path, wire: Any) -> Path:
        if not path:
            return ()
        pairs = wire if isinstance(wire, list) else []
        for index in reversed(range(len(pairs))):  # the last, so that a repeated key is shown
            pair = pairs[index]
            if isinstance(pair, dict) and pair.get("key") == path[0]:
                return (index, "value", *self.values.wire_path(path[1:], pair.get("value")))
        return path

    def own_path(self, path: Path, wire: Any) -> Path:
        pair = step_into(wire, path[0]) if path else None
        key = step_into(pair, "key")
        if not isinstance(key, str):
            return ()
        within = path[2:] if path[1:2] == ("value",) else ()
        return (key, *self.values.own_path(within, step_into(pair, "value")))
