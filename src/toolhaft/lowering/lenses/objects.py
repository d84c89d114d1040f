"""Objects: renamed keys, null for an absent key, and pairs for the keys that were not declared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from toolhaft.lowering.lenses.lens import IDENTITY, NodeLens, Path, add_type_issue, step_into
from toolhaft.lowering.lenses.pairs import PairsLens
from toolhaft.spec import Issue

__all__ = ["Member", "ObjectLens", "object_lens"]


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
