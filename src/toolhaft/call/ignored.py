"""Find the keys that a validator let pass without looking at them.

A schema that says nothing about further keys leaves them to the validator. Signatures with
`extra="ignore"`, models, dataclasses and TypedDicts drop them; the caller is told which.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from toolhaft.schema import refs
from toolhaft.spec import Path

__all__ = ["Watch", "watch"]

# Looks at data, and gives the paths of its undeclared keys.
Watch: TypeAlias = Callable[[Any], Sequence[Path]]

CLOSING = ("additionalProperties", "unevaluatedProperties", "patternProperties")
UNIONS = ("anyOf", "oneOf")


def watch(schema: Any) -> Watch | None:
    """Compile the search for undeclared keys; None where every object is closed or open."""
    return _Watches(schema).node(schema)


class _Watches:
    """The watches of one schema; a reference is compiled once, when data first comes to it."""

    def __init__(self, root: Any) -> None:
        self.root = root
        self.targets: dict[str, Watch | None] = {}

    def node(self, node: Any) -> Watch | None:
        if not isinstance(node, Mapping):
            return None
        if isinstance(node.get("$ref"), str):
            return self.reference(node["$ref"])
        parts = [self.properties(node), self.items(node), self.union(node)]
        return _all([part for part in parts if part is not None])

    def reference(self, ref: str) -> Watch | None:
        if ref in self.targets:  # a recursive one: look again when it has been compiled
            return lambda data: self.follow(ref, data)
        self.targets[ref] = None
        self.targets[ref] = self.node(refs.resolve(self.root, ref))
        return self.targets[ref]

    def follow(self, ref: str, data: Any) -> Sequence[Path]:
        target = self.targets[ref]
        return () if target is None else target(data)

    def properties(self, node: Mapping[str, Any]) -> Watch | None:
        declared = node.get("properties")
        if not isinstance(declared, Mapping):
            return None
        known = frozenset(declared)
        inner = [(name, look) for name, sub in declared.items() if (look := self.node(sub))]
        is_open = not any(word in node for word in CLOSING)
        if not inner and not is_open:
            return None

        def search(data: Any) -> Sequence[Path]:
            found: Sequence[Path] = ()
            if type(data) is not dict:
                return found
            if is_open and not data.keys() <= known:
                found = [(key,) for key in data if key not in known]
            for name, look in inner:
                if name in data and (more := look(data[name])):
                    found = [*found, *((name, *path) for path in more)]
            return found

        return search

    def items(self, node: Mapping[str, Any]) -> Watch | None:
        look = self.node(node.get("items"))
        if look is None:
            return None

        def search(data: Any) -> Sequence[Path]:
            if type(data) is not list:
                return ()
            return [(place, *path) for place, item in enumerate(data) for path in look(item)]

        return search

    def union(self, node: Mapping[str, Any]) -> Watch | None:
        """A key is undeclared in a union where the branch that knows most does not declare it."""
        branches = [branch for word in UNIONS for branch in node.get(word, ())]
        looks = [look for branch in branches if (look := self.node(branch)) is not None]
        if len(looks) < len(branches) or len(looks) == 1:
            return looks[0] if len(looks) == 1 else None
        return (lambda data: min((look(data) for look in looks), key=len)) if looks else None


def _all(watches: list[Watch]) -> Watch | None:
    if len(watches) <= 1:
        return watches[0] if watches else None
    return lambda data: [path for look in watches for path in look(data)]
