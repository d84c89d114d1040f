"""Drop the undeclared keys of objects whose policy is to ignore them, and say which.

An adapter marks the objects that ignore (`schema.marks`): models, dataclasses, TypedDicts, and all
objects of a tool with `extra="ignore"`. The keys go before any of the author's code runs, so that
no validator can read one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from toolhaft.schema import references
from toolhaft.schema.checker import Checker
from toolhaft.schema.marks import marks_of
from toolhaft.spec import Path

__all__ = ["UnknownKeys", "unknown_keys"]

# Looks at data that satisfies the gate, and gives the paths of its undeclared keys.
Search: TypeAlias = Callable[[Any], Sequence[Path]]
UNIONS = ("anyOf", "oneOf")


class UnknownKeys:
    """The undeclared keys that one schema lets pass."""

    def __init__(self, search: Search) -> None:
        self.search = search

    def drop(self, data: Any) -> tuple[Any, Sequence[Path]]:
        """Give data without such keys, and the paths of those that there were."""
        paths = self.search(data)
        return (_without(data, paths) if paths else data), paths


def unknown_keys(schema: Any) -> UnknownKeys | None:
    """Compile the search of a marked gate; None where no object ignores keys."""
    search = _Searches(schema).node(schema)
    return None if search is None else UnknownKeys(search)


class _Searches:
    """The searches of one schema; a reference is compiled once, when data first comes to it."""

    def __init__(self, root: Any) -> None:
        self.root = root
        self.targets: dict[str, Search | None] = {}

    def node(self, node: Any) -> Search | None:
        if not isinstance(node, Mapping):
            return None
        found: list[Search | None] = [self.members(node), self.items(node), self.union(node)]
        found += [self.node(part) for part in node.get("allOf", ())]
        if isinstance(node.get("$ref"), str):
            found.append(self.reference(node["$ref"]))
        return _all([search for search in found if search is not None])

    def reference(self, ref: str) -> Search | None:
        if ref in self.targets:  # a recursive one: look again when it has been compiled
            return lambda data: self.follow(ref, data)
        self.targets[ref] = None
        self.targets[ref] = self.node(references.resolve(self.root, ref))
        return self.targets[ref]

    def follow(self, ref: str, data: Any) -> Sequence[Path]:
        target = self.targets[ref]
        return () if target is None else target(data)

    def members(self, node: Mapping[str, Any]) -> Search | None:
        declared: Mapping[str, Any] = node.get("properties", {})
        inner = [(name, look) for name, sub in declared.items() if (look := self.node(sub))]
        others = self.node(node.get("additionalProperties"))
        ignores = marks_of(node).get("extra") == "ignore"
        if not (inner or others or ignores):
            return None

        def search(data: Any) -> Sequence[Path]:
            found: list[Path] = []
            if type(data) is not dict:
                return found
            if (ignores or others) and not data.keys() <= declared.keys():
                for key, value in data.items():
                    if key not in declared:
                        found += [(key,)] if others is None else _under(key, others(value))
            for name, look in inner:
                if name in data:
                    found += _under(name, look(data[name]))
            return found

        return search

    def items(self, node: Mapping[str, Any]) -> Search | None:
        first = [self.node(sub) for sub in node.get("prefixItems", ())]
        rest = self.node(node.get("items"))
        if rest is None and not any(first):
            return None

        def search(data: Any) -> Sequence[Path]:
            found: list[Path] = []
            for place, item in enumerate(data if type(data) is list else ()):
                look = first[place] if place < len(first) else rest
                if look is not None:
                    found += _under(place, look(item))
            return found

        return search

    def union(self, node: Mapping[str, Any]) -> Search | None:
        """A key is undeclared in a union where the branch that is meant does not declare it."""
        branches = [branch for word in UNIONS for branch in node.get(word, ())]
        searches = [self.node(branch) for branch in branches]
        if not any(searches):
            return None
        fits = [self.check(branch) for branch in branches]

        def search(data: Any) -> Sequence[Path]:
            pairs = zip(searches, fits, strict=True)
            found = [look(data) if look else () for look, fit in pairs if fit(data)]
            return min(found, key=len, default=())

        return search

    def check(self, branch: Any) -> Callable[[Any], bool]:
        if not isinstance(branch, dict):
            return Checker(branch).is_valid
        shared = {"$defs": self.root["$defs"]} if "$defs" in self.root else {}
        return Checker({**shared, **branch}).is_valid


def _under(step: str | int, paths: Sequence[Path]) -> list[Path]:
    return [(step, *path) for path in paths]


def _all(searches: list[Search]) -> Search | None:
    if len(searches) <= 1:
        return searches[0] if searches else None
    return lambda data: [path for search in searches for path in search(data)]


def _without(data: Any, paths: Sequence[Path]) -> Any:
    """A copy of data without these keys; what holds none of them is shared."""
    if () in paths:
        raise ValueError("the whole of the data is no key")
    gone = {path[0] for path in paths if len(path) == 1}
    below: dict[Any, list[Path]] = {}
    for path in paths:
        if path[0] not in gone:
            below.setdefault(path[0], []).append(path[1:])
    if type(data) is list:
        items = enumerate(data)
        return [_without(one, below[at]) if at in below else one for at, one in items]
    kept = ((key, value) for key, value in data.items() if key not in gone)
    return {key: _without(value, below[key]) if key in below else value for key, value in kept}
