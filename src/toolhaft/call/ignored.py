"""Find the keys that a validator let pass without looking at them.

A schema that says nothing about further keys leaves them to the validator. Signatures with
`extra="ignore"`, models, dataclasses and TypedDicts drop them; the caller is told which.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from toolhaft.schema import refs
from toolhaft.spec import Path

__all__ = ["Watch", "watch"]

Watch: TypeAlias = Callable[[Any, Path], Iterator[Path]]

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
            return lambda data, path: self.found(ref, data, path)
        self.targets[ref] = None
        self.targets[ref] = self.node(refs.resolve(self.root, ref))
        return self.targets[ref]

    def found(self, ref: str, data: Any, path: Path) -> Iterator[Path]:
        target = self.targets[ref]
        return iter(()) if target is None else target(data, path)

    def properties(self, node: Mapping[str, Any]) -> Watch | None:
        declared = node.get("properties")
        if not isinstance(declared, Mapping):
            return None
        known = frozenset(declared)
        inner = {name: found for name, sub in declared.items() if (found := self.node(sub))}
        is_open = not any(word in node for word in CLOSING)
        if not inner and not is_open:
            return None

        def search(data: Any, path: Path) -> Iterator[Path]:
            if not isinstance(data, dict):
                return
            if is_open and not data.keys() <= known:
                yield from ((*path, key) for key in data if key not in known)
            for name, look in inner.items():
                if name in data:
                    yield from look(data[name], (*path, name))

        return search

    def items(self, node: Mapping[str, Any]) -> Watch | None:
        look = self.node(node.get("items"))
        if look is None:
            return None

        def search(data: Any, path: Path) -> Iterator[Path]:
            if isinstance(data, list):
                for place, item in enumerate(data):
                    yield from look(item, (*path, place))

        return search

    def union(self, node: Mapping[str, Any]) -> Watch | None:
        """A key is undeclared in a union where no branch declares it."""
        branches = [branch for word in UNIONS for branch in node.get(word, ())]
        looks = [look for branch in branches if (look := self.node(branch)) is not None]
        if not looks:
            return None
        if len(looks) == 1:
            return looks[0]

        def search(data: Any, path: Path) -> Iterator[Path]:
            found = [list(look(data, path)) for look in looks]
            return iter(min(found, key=len))

        return search


def _all(watches: list[Watch]) -> Watch | None:
    if len(watches) < 2:
        return watches[0] if watches else None
    return lambda data, path: (where for look in watches for where in look(data, path))
