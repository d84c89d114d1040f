"""Objects: renamed keys, null for an absent key, maps as pairs, and a value under the only key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from toolhaft.lowering.lenses.lens import IDENTITY, NodeLens, Path, add_type_issue, step_into
from toolhaft.spec import Issue

__all__ = ["Member", "ObjectLens", "PairsLens", "WrapLens", "object_lens"]


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


@dataclass(frozen=True, slots=True)
class Member:
    """How one declared property is written: its key, its lens, and whether null means absent."""

    key: str
    lens: NodeLens = IDENTITY
    null_is_absent: bool = False


@dataclass(frozen=True, slots=True)
class ObjectLens(NodeLens):
    """Declared properties by their members; other keys as they are, or in a list of pairs."""

    members: Mapping[str, Member]
    others: NodeLens = IDENTITY
    rest_key: str | None = None
    rest: PairsLens = field(default_factory=PairsLens)
    rest_required: bool = False

    def put(self, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        wire: dict[str, Any] = {}
        for name, member in self.members.items():
            if name in value:
                wire[member.key] = member.lens.put(value[name])
            elif member.null_is_absent:
                wire[member.key] = None
        others = {name: each for name, each in value.items() if name not in self.members}
        if self.rest_key is None:
            wire.update((name, self.others.put(each)) for name, each in others.items())
        elif others or self.rest_required:
            wire[self.rest_key] = self.rest.put(others)
        return wire

    def get(self, wire: Any, at: Path, issues: list[Issue]) -> Any:
        if not isinstance(wire, dict):
            add_type_issue(issues, at, "object", wire)
            return wire
        names = {member.key: name for name, member in self.members.items()}
        arguments: dict[str, Any] = {}
        for key, each in wire.items():
            if key == self.rest_key:
                self._add_values(self.rest.get(each, at, issues), arguments, at, issues)
                continue
            name = names.get(key)
            member = self.members[name] if name is not None else Member(key, self.others)
            if each is None and member.null_is_absent:
                continue
            name = key if name is None else name
            self._add_values(
                {name: member.lens.get(each, (*at, name), issues)}, arguments, at, issues
            )
        return arguments

    def _add_values(
        self, more: Any, arguments: dict[str, Any], at: Path, issues: list[Issue]
    ) -> None:
        if not isinstance(more, dict):
            return
        for name, value in more.items():
            if name in arguments:
                issues.append(Issue("key written twice", (*at, name), "json"))
            arguments[name] = value

    def wire_path(self, path: Path, wire: Any) -> Path:
        if not path:
            return ()
        name, within = path[0], path[1:]
        member = self.members.get(name) if isinstance(name, str) else None
        if member is not None:
            return (member.key, *member.lens.wire_path(within, step_into(wire, member.key)))
        beside = isinstance(wire, dict) and name in wire and name != self.rest_key
        if self.rest_key is not None and not beside:
            return (self.rest_key, *self.rest.wire_path(path, step_into(wire, self.rest_key)))
        return (name, *self.others.wire_path(within, step_into(wire, name)))

    def own_path(self, path: Path, wire: Any) -> Path:
        if not path:
            return ()
        key, within = path[0], path[1:]
        if key == self.rest_key:
            return self.rest.own_path(within, step_into(wire, key))
        name, lens = next(
            ((name, member.lens) for name, member in self.members.items() if member.key == key),
            (key, self.others),
        )
        return (name, *lens.own_path(within, step_into(wire, key)))


def object_lens(lens: ObjectLens) -> NodeLens:
    """Return the lens, or the identity if it changes nothing."""
    plain = all(member == Member(name) for name, member in lens.members.items())
    return IDENTITY if plain and lens.rest_key is None and lens.others is IDENTITY else lens


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
