"""Drop the undeclared keys of objects whose policy is to ignore them, and say which.

An adapter marks the objects that ignore (`schema.marks`): models, dataclasses, TypedDicts, and all
objects of a tool with `extra="ignore"`. The keys go before any of the author's code runs, so that
no validator can read one. In a union the branch that is meant decides, which is the one that
declares the most of the data: another name of one of its fields is refused, and a key that it
forbids, although a branch that knows nothing of the object might take it. Where the object without
its undeclared keys would be another branch, they are refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import filterfalse
from typing import Any, Literal, NamedTuple, TypeAlias

from toolhaft.schema.checker import Checker
from toolhaft.schema.document import references
from toolhaft.schema.document.walk import child_nodes, nodes_of, replace_children
from toolhaft.schema.explain.extra_keys import other_name
from toolhaft.schema.marks import marks_of
from toolhaft.spec import Issue, Path

__all__ = ["Declared", "UnknownKeys", "unknown_keys"]


class Undeclared(NamedTuple):
    """A key that an object does not declare, and the number of values under it.

    Another name of a declared key, `meant`, has the policy `refuse`, and so has a key that its
    object forbids.
    """

    path: Path
    size: int
    policy: Literal["ignore", "allow", "refuse", "forbid"]
    meant: str | None = None


class Declared(NamedTuple):
    """Data without the keys that are ignored, the paths of those, and the keys that are refused."""

    data: Any
    ignored: Sequence[Path]
    issues: list[Issue]


# Takes data that satisfies the gate, and returns its undeclared keys.
Search: TypeAlias = Callable[[Any], Sequence[Undeclared]]
# The place of a branch in its union, and the keys that it does not declare.
_Branch: TypeAlias = tuple[int, Sequence[Undeclared]]
UNIONS = ("anyOf", "oneOf")


class UnknownKeys:
    """The undeclared keys that one schema lets pass."""

    def __init__(self, search: Search) -> None:
        self.search = search

    def drop(self, data: Any) -> Declared:
        """Return data without the keys that are ignored."""
        undeclared = self.search(data)
        paths = [key.path for key in undeclared if key.policy == "ignore"]
        issues = [
            Issue(other_name(key.meant), key.path, "extra")
            for key in undeclared
            if key.policy in ("refuse", "forbid")
        ]
        return Declared(_without(data, paths) if paths else data, paths, issues)


def unknown_keys(schema: Any) -> UnknownKeys | None:
    """Compile the search of a marked gate, or return None if no object ignores keys."""
    search = _Searches(schema).node(schema)
    return None if search is None else UnknownKeys(search)


class _Searches:
    """The searches of one schema; a reference is compiled once, when data first comes to it.

    With `in_union`, further keys and other names count too: they tell which branch is meant.
    """

    def __init__(self, root: Any, *, in_union: bool = False) -> None:
        self.root = root
        self.in_union = in_union
        self.counted = {"ignore"}
        if in_union:
            marks = [marks_of(node) for node in nodes_of(root)]
            policies = {facts.get("extra") for facts in marks}
            may_matter = "ignore" in policies or any("other_names" in facts for facts in marks)
            self.counted |= {"allow", "forbid"} if may_matter else {"allow"}
        self.targets: dict[str, Search | None] = {}

    @cached_property
    def branches(self) -> _Searches:
        """The searches of the branches of unions."""
        return self if self.in_union else _Searches(self.root, in_union=True)

    @cached_property
    def definitions(self) -> dict[str, Any]:
        """The targets of references in a branch, which accept other names of keys."""
        definitions = self.root.get("$defs", {})
        return {name: _with_other_names(node) for name, node in definitions.items()}

    def node(self, node: Any) -> Search | None:
        if not isinstance(node, Mapping):
            return None
        searches: list[Search | None] = [self.members(node), self.items(node), self.union(node)]
        searches += [self.node(part) for part in node.get("allOf", ())]
        if isinstance(node.get("$ref"), str):
            searches.append(self.reference(node["$ref"]))
        return _all([search for search in searches if search is not None])

    def reference(self, ref: str) -> Search | None:
        if ref in self.targets:  # a recursive one: look again when it has been compiled
            return lambda data: self.follow(ref, data)
        self.targets[ref] = None
        self.targets[ref] = self.node(references.resolve(self.root, ref))
        return self.targets[ref]

    def follow(self, ref: str, data: Any) -> Sequence[Undeclared]:
        target = self.targets[ref]
        return () if target is None else target(data)

    def members(self, node: Mapping[str, Any]) -> Search | None:
        facts = marks_of(node)
        others: Mapping[str, Any] = facts.get("other_names", {}) if self.in_union else {}
        properties: Mapping[str, Any] = node.get("properties", {})
        declared = {name: sub for name, sub in properties.items() if name not in others}
        inner = [(name, look) for name, sub in declared.items() if (look := self.node(sub))]
        further = self.node(node.get("additionalProperties"))
        policy: Any = facts.get("extra")
        counts = policy in self.counted
        has_own = bool(counts or further or others)
        if not (inner or has_own):
            return None

        def search(data: Any) -> Sequence[Undeclared]:
            undeclared: list[Undeclared] = []
            if type(data) is not dict:
                return undeclared
            for key in filterfalse(declared.__contains__, data) if has_own else ():
                if key in others:
                    undeclared.append(Undeclared((key,), _size(data[key]), "refuse", others[key]))
                elif further is not None:
                    undeclared += _under(key, further(data[key]))
                elif counts:
                    undeclared.append(Undeclared((key,), _size(data[key]), policy))
            for name, look in inner:
                if name in data:
                    undeclared += _under(name, look(data[name]))
            return undeclared

        return search

    def items(self, node: Mapping[str, Any]) -> Search | None:
        first = [self.node(sub) for sub in node.get("prefixItems", ())]
        rest = self.node(node.get("items"))
        if rest is None and not any(first):
            return None

        def search(data: Any) -> Sequence[Undeclared]:
            undeclared: list[Undeclared] = []
            for index, item in enumerate(data if type(data) is list else ()):
                look = first[index] if index < len(first) else rest
                if look is not None:
                    undeclared += _under(index, look(item))
            return undeclared

        return search

    def union(self, node: Mapping[str, Any]) -> Search | None:
        """A key is undeclared in a union where the branch that is meant does not declare it."""
        branches = [branch for word in UNIONS for branch in node.get(word, ())]
        searches = [self.branches.node(branch) for branch in branches]
        if not any(searches):
            return None
        checks = [self.check(branch) for branch in branches]

        def meant(data: Any) -> _Branch:
            tries = enumerate(zip(searches, checks, strict=True))
            fitting = [(at, look(data) if look else ()) for at, (look, fit) in tries if fit(data)]
            return _meant_of(fitting)

        def search(data: Any) -> Sequence[Undeclared]:
            branch, undeclared = meant(data)
            dropped = [key.path for key in undeclared if key.policy == "ignore"]
            if dropped and meant(_without(data, dropped))[0] != branch:
                # The remaining data would mean another branch, which rejected the values of these
                # keys.
                return [*map(_refused, undeclared)]
            return undeclared

        return search

    def check(self, branch: Any) -> Callable[[Any], bool]:
        """Whether a branch may be meant: it fits, but for other names of its keys."""
        if not isinstance(branch, dict):
            return Checker(branch).is_valid
        shared = {"$defs": self.definitions} if self.definitions else {}
        return Checker({**shared, **_with_other_names(branch)}).is_valid


def _with_other_names(node: Any) -> Any:
    """Return a gate that accepts other names of declared keys, and keys that its objects forbid."""
    if not isinstance(node, dict):
        return node
    changes = {steps: _with_other_names(sub) for steps, sub in child_nodes(node)}
    changed = replace_children(node, changes)
    if marks_of(node).get("extra") == "forbid":
        changed["additionalProperties"] = True
    others = marks_of(node).get("other_names", {})
    if others:
        declared = {name: sub for name, sub in changed["properties"].items() if name not in others}
        changed["properties"] = declared
    return changed


def _size(value: Any) -> int:
    """Count the values of which a value is made."""
    if type(value) is dict or type(value) is list:
        return 1 + sum(map(_size, value.values() if type(value) is dict else value))
    return 1


def _refused(key: Undeclared) -> Undeclared:
    return key._replace(policy="forbid") if key.policy == "ignore" else key


def _meant_of(branches: Sequence[_Branch]) -> _Branch:
    """Return the branch that declares the most; one that keeps all keys beats a rejection."""
    meant = min(branches, key=_weight, default=(-1, ()))
    if any(key.policy == "forbid" for key in meant[1]):
        keeping = [branch for branch in branches if all(key.policy == "allow" for key in branch[1])]
        return min(keeping, key=_weight, default=meant)
    return meant


def _weight(branch: _Branch) -> tuple[int, int]:
    sizes = [key.size for key in branch[1]]
    return sum(sizes), sum(key.policy == "forbid" for key in branch[1])


def _under(step: str | int, undeclared: Sequence[Undeclared]) -> list[Undeclared]:
    return [key._replace(path=(step, *key.path)) for key in undeclared]


def _all(searches: list[Search]) -> Search | None:
    if len(searches) <= 1:
        return searches[0] if searches else None
    return lambda data: [key for search in searches for key in search(data)]


def _without(data: Any, paths: Sequence[Path]) -> Any:
    """Return a copy of data without these keys; unaffected parts are shared."""
    if () in paths:
        raise ValueError("the whole of the data is no key")
    dropped = {path[0] for path in paths if len(path) == 1}
    below: dict[Any, list[Path]] = {}
    for path in paths:
        if path[0] not in dropped:
            below.setdefault(path[0], []).append(path[1:])
    if type(data) is list:
        items = enumerate(data)
        return [_without(item, below[at]) if at in below else item for at, item in items]
    rest = ((key, value) for key, value in data.items() if key not in dropped)
    return {key: _without(value, below[key]) if key in below else value for key, value in rest}
