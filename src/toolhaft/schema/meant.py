"""Which branches of a union data fit, whatever the question about the data.

Undeclared keys, defaults and factories follow the one that is meant (`branches.meant_branch`).
Numbers, keys of maps, times and texts that hold JSON follow all of them: a library may take any.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Final

from toolhaft.schema.branches import types_of
from toolhaft.schema.checker import Checker
from toolhaft.schema.document.kinds import admits, kind_of
from toolhaft.schema.document.places import branches_of
from toolhaft.schema.document.references import references_in
from toolhaft.schema.document.walk import child_nodes, replace_children
from toolhaft.schema.marks import MARK, marks_of

__all__ = ["Branches", "Unions"]

LOCAL: Final = "#/$defs/"


class Branches:
    """The branches of one union in a gate, and which of them data fit.

    Data fit in spite of other names of keys and of keys that are forbidden, which tell what is
    meant. All branches have one compiled check.
    """

    def __init__(self, root: Any, branches: Sequence[Any]) -> None:
        self._root = root
        self._branches = branches
        self._types = [types_of(root, branch) for branch in branches]

    def fitting(self, data: Any) -> list[int]:
        """Return the places of the branches that data fit; only one can if one takes the type."""
        kind = kind_of(data)
        places = [
            at for at, names in enumerate(self._types) if names is None or admits(names, kind)
        ]
        if len(places) <= 1:
            return places
        return [at for at in places if self._check.is_valid({str(at): data})]

    @cached_property
    def _check(self) -> Checker:
        forms = {str(at): _lenient(branch) for at, branch in enumerate(self._branches)}
        definitions = self._root.get("$defs", {})
        lenient = {name: _lenient(node) for name, node in definitions.items()}
        return Checker({"properties": forms, **({"$defs": lenient} if lenient else {})})


class Unions:
    """The unions of one gate, each analysed when data first come to it."""

    def __init__(self, root: Any) -> None:
        self._root = root
        self._known: dict[int, Branches] = {}

    def fitting(self, data: Any, node: Mapping[str, Any]) -> list[Any]:
        """Return the branches of a node that data fit; all of them if it is not known."""
        branches = branches_of(node)
        if len(branches) <= 1 or not self._can_decide:
            return branches
        return [branches[at] for at in self.of(node).fitting(data)] or branches

    @cached_property
    def _can_decide(self) -> bool:
        """Whether a branch can be checked by itself: references lead to definitions alone."""
        return all(ref.startswith(LOCAL) for ref in references_in(self._root))

    def of(self, node: Mapping[str, Any]) -> Branches:
        """Return the branches of a node."""
        known = self._known.get(id(node))
        if known is None:
            known = self._known[id(node)] = Branches(self._root, branches_of(node))
        return known


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
