"""Which branches of a union data fit, whatever the question about the data.

Undeclared keys, defaults and factories follow the one that is meant (`branches.meant_branch`).
Numbers, keys of maps, times and texts that hold JSON follow all of them: a library may take any.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import cached_property
from typing import Any, Final

from toolhaft.schema.branches import object_of, tag_of, types_of
from toolhaft.schema.checker import Checker
from toolhaft.schema.document.kinds import NAMES, Kind, admits, hashable, kind_of
from toolhaft.schema.document.places import UNIONS, Fitting, branches_of
from toolhaft.schema.document.references import map_references, ref_to
from toolhaft.schema.document.walk import child_nodes, replace_children, walk_schemas
from toolhaft.schema.marks import MARK, marks_of

__all__ = ["Unions"]

# Where the check of all unions has the gate.
GATE: Final = ("$defs", "gate")


class Unions:
    """The unions of one gate, each analysed when data first come to it; all have one check."""

    def __init__(self, root: Any) -> None:
        self._root = root
        self._check = _Check(root)
        self._known: dict[int, _Branches] = {}

    def fitting(self, node: Mapping[str, Any]) -> Fitting:
        """Return what finds the places of the branches of a node that data fit."""
        known = self._known.get(id(node))
        if known is None:
            known = self._known[id(node)] = _Branches(self._root, node, self._check)
        return known.fitting


class _Branches:
    """The branches of one union, and which of them data fit.

    Data fit in spite of other names of keys and of keys that are forbidden, which tell what is
    meant.
    """

    def __init__(self, root: Any, union: Mapping[str, Any], check: _Check) -> None:
        self._union, self._check = union, check
        branches = branches_of(union)
        types = [types_of(root, branch) for branch in branches]
        self._by_kind: dict[Kind, tuple[int, ...]] = {
            kind: tuple(
                at for at, names in enumerate(types) if names is None or admits(names, kind)
            )
            for kind in NAMES
        }
        objects = self._by_kind[dict]
        tag = tag_of(root, [branches[at] for at in objects])
        self._tag = None if tag is None else tag.name
        constants = () if tag is None else zip(objects, tag.members, strict=True)
        self._by_tag: dict[Hashable, tuple[int, ...]] = {
            hashable(member): (at,) for at, members in constants for member in members
        }

    def fitting(self, data: Any) -> tuple[int, ...]:
        """Return the places of the branches that data fit.

        If the type, the tag or the required keys leave one branch, it is not checked.
        """
        places = self._by_kind[kind_of(data)]
        if len(places) > 1 and type(data) is dict:
            if self._tag in data:
                return self._by_tag.get(hashable(data[self._tag]), ())
            places = tuple([at for at in places if self._needs[at] <= data.keys()])
        if len(places) <= 1:
            return places
        accepts = self._check.checker.is_valid
        return tuple([at for at in places if accepts({self._refs[at]: data})])

    @cached_property
    def _refs(self) -> Sequence[str]:
        """The names of the branches in the check."""
        return self._check.refs[id(self._union)]

    @cached_property
    def _needs(self) -> Sequence[frozenset[str]]:
        """The keys that each branch requires by this name and no other."""
        schema = self._check.checker.schema
        return [object_of(schema, {"$ref": ref}).required for ref in self._refs]


class _Check:
    """One check of the branches of all unions: each is a property, with its reference as name."""

    def __init__(self, root: Any) -> None:
        self._root = root

    @cached_property
    def refs(self) -> Mapping[int, Sequence[str]]:
        """The references to the branches of each union."""
        return {
            id(node): [
                ref_to((*GATE, *steps, word, at))
                for word in UNIONS
                for at in range(len(node.get(word, ())))
            ]
            for steps, node in walk_schemas(self._root)
            if isinstance(node, dict) and not node.keys().isdisjoint(UNIONS)
        }

    @cached_property
    def checker(self) -> Checker:
        """The check, compiled at first use."""
        gate = map_references(_lenient(self._root), lambda ref: f"{ref_to(GATE)}{ref[1:]}")
        names = {ref: {"$ref": ref} for refs in self.refs.values() for ref in refs}
        return Checker({"$defs": {GATE[-1]: gate}, "properties": names}, is_current=True)


def _lenient(node: Any) -> Any:
    """Return a gate that accepts other names of declared keys, and keys that its objects forbid."""
    if not isinstance(node, dict):
        return node
    changes = {steps: _lenient(sub) for steps, sub in child_nodes(node)}
    changed = replace_children(node, changes)
    changed.pop(MARK, None)  # an engine cannot read all of its facts
    facts = marks_of(node)
    if facts.get("extra") == "forbid":
        changed["additionalProperties"] = True
    others = facts.get("other_names", {})
    if others:
        declared = {name: sub for name, sub in changed["properties"].items() if name not in others}
        changed["properties"] = declared
        changed |= _required_by_any_name(changed, others)
    return changed


def _required_by_any_name(
    node: Mapping[str, Any], others: Mapping[str, str | None]
) -> dict[str, Any]:
    """Return the keywords by which each required key may be there by another name."""
    required = node.get("required", ())
    names = {key: [key, *(name for name in others if others[name] == key)] for key in required}
    several = [
        {"anyOf": [{"required": [name]} for name in known]}
        for known in names.values()
        if len(known) > 1
    ]
    if not several:
        return {}
    return {
        "required": [key for key in required if len(names[key]) == 1],
        "allOf": [*node.get("allOf", ()), *several],
    }
