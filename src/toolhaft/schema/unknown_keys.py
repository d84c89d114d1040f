"""Drop the undeclared keys of objects whose policy is to ignore them, and say which.

An adapter marks the objects that ignore (`schema.marks`): models, dataclasses, TypedDicts, and all
objects of a tool with `extra="ignore"`. The keys go before any of the author's code runs, so that
no validator can read one. In a union the branch that is meant decides (`schema/meant.py`): another
name of one of its fields is refused, and a key that it forbids, although a branch that knows
nothing of the object might take it. Where the object without its undeclared keys would be another
branch, they are refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import filterfalse
from typing import Any, Final, Literal, NamedTuple, TypeAlias
from weakref import ReferenceType

from toolhaft.schema.branches import Trial, meant_branch
from toolhaft.schema.document.places import branches_of
from toolhaft.schema.document.references import followed
from toolhaft.schema.explain.extra_keys import other_name
from toolhaft.schema.facts import Facts, facts_of
from toolhaft.schema.gate import is_meant_by_keys
from toolhaft.schema.marks import marks_of
from toolhaft.schema.meant import Unions
from toolhaft.spec import Issue, Path

__all__ = ["Declared", "UnknownKeys", "branch_of", "unknown_keys"]


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
Meant: TypeAlias = tuple[int | None, Sequence[Undeclared]]
NONE: Final[Meant] = (None, ())


class UnknownKeys:
    """The undeclared keys that one schema lets pass."""

    def __init__(self, search: Search, searches: _Searches) -> None:
        self.search = search
        self._searches = searches  # kept alive for recursive parts, which refer to it weakly

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


def unknown_keys(
    schema: Any, facts: Facts | None = None, unions: Unions | None = None
) -> UnknownKeys | None:
    """Compile the search of a marked gate, or return None if no object ignores keys.

    The facts of the gate may be known.
    """
    facts = facts or facts_of(schema)
    if facts.ignores_keys or is_meant_by_keys(facts):
        searches = _Searches(schema, unions or Unions(schema))
        search = searches.node(schema)
        return None if search is None else UnknownKeys(search, searches)
    return None


def branch_of(gate: Any) -> Callable[[Any], int | None]:
    """Compile the choice of the branch of a gate's unions that data mean, by its place.

    >>> meant = branch_of({"oneOf": [{"required": ["a"]}, {"required": ["b"]}]})
    >>> meant({"a": 1}), meant({"b": 1}), meant({})
    (0, 1, None)
    """
    searches = _Searches(gate, Unions(gate))
    meant = searches.meant(gate, [searches.node(branch) for branch in branches_of(gate)])
    return partial(_branch, searches, meant)


def _branch(searches: _Searches, meant: Callable[[Any], Meant], data: Any) -> int | None:
    del searches  # kept alive for recursive parts, which refer to it weakly
    return meant(data)[0]


class _Searches:
    """The searches of one schema; a reference is compiled once, when data first comes to it.

    Keys that are kept and other names are found too: they tell which branch of a union is meant.
    """

    def __init__(self, root: Any, unions: Unions) -> None:
        self.root = root
        self.unions = unions
        self.targets: dict[str, Search | None] = {}

    def node(self, node: Any) -> Search | None:
        if not isinstance(node, Mapping):
            return None
        searches: list[Search | None] = [self.members(node), self.items(node), self.union(node)]
        searches += [self.node(part) for part in node.get("allOf", ())]
        if "$ref" in node:
            searches.append(self.reference(node))
        return _all([search for search in searches if search is not None])

    def reference(self, node: Mapping[str, Any]) -> Search | None:
        ref = node["$ref"]
        if ref in self.targets:  # a recursive one: look again when it has been compiled
            return partial(_follow, ReferenceType(self), ref)
        self.targets[ref] = None
        self.targets[ref] = self.node(followed(self.root, node))
        return self.targets[ref]

    def members(self, node: Mapping[str, Any]) -> Search | None:
        facts = marks_of(node)
        others: Mapping[str, Any] = facts.get("other_names", {})
        properties: Mapping[str, Any] = node.get("properties", {})
        declared = {name: sub for name, sub in properties.items() if name not in others}
        inner = [(name, look) for name, sub in declared.items() if (look := self.node(sub))]
        further = self.node(node.get("additionalProperties"))
        policy: Any = facts.get("extra")
        has_own = bool(policy or further or others)
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
                elif policy:
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
        searches = [self.node(branch) for branch in branches_of(node)]
        if not any(searches):
            return None
        meant = self.meant(node, searches)

        def search(data: Any) -> Sequence[Undeclared]:
            branch, undeclared = meant(data)
            dropped = [key.path for key in undeclared if key.policy == "ignore"]
            if dropped and meant(_without(data, dropped))[0] != branch:
                # The remaining data would mean another branch, which rejected the values of these
                # keys.
                return [*map(_refused, undeclared)]
            return undeclared

        return search

    def meant(
        self, node: Mapping[str, Any], searches: Sequence[Search | None]
    ) -> Callable[[Any], Meant]:
        """Choose the branch that data mean, and find what it does not declare."""
        fitting_of = self.unions.fitting(node)

        def meant(data: Any) -> Meant:
            fitting = fitting_of(data)
            undeclared = [look(data) if (look := searches[at]) else () for at in fitting]
            chosen = meant_branch([*map(_trial, undeclared)]) if len(fitting) > 1 else 0
            return (fitting[chosen], undeclared[chosen]) if fitting and chosen is not None else NONE

        return meant


def _follow(searches: ReferenceType[_Searches], ref: str, data: Any) -> Sequence[Undeclared]:
    """Search as the target of a reference does, which holds this search."""
    owner = searches()
    target = None if owner is None else owner.targets[ref]
    return () if target is None else target(data)


def _trial(undeclared: Sequence[Undeclared]) -> Trial:
    forbidden = sum(key.policy == "forbid" for key in undeclared)
    keeps = all(key.policy == "allow" for key in undeclared)
    return Trial(0, sum(key.size for key in undeclared), forbidden, keeps)


def _size(value: Any) -> int:
    """Count the values of which a value is made."""
    if type(value) is dict or type(value) is list:
        return 1 + sum(map(_size, value.values() if type(value) is dict else value))
    return 1


def _refused(key: Undeclared) -> Undeclared:
    return key._replace(policy="forbid") if key.policy == "ignore" else key


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
