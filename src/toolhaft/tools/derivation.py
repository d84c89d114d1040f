"""Derive the schema that a model is shown of a derived tool, and the terms that lead back.

A change passes through references, lists, maps and every branch that has the name, and holds again
at each level of a recursion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from toolhaft.definition import names
from toolhaft.definition.signature import UnnamedFault
from toolhaft.schema.document.references import beside_reference, ref_to
from toolhaft.schema.inline import ANNOTATIONS
from toolhaft.schema.marks import merged_marks
from toolhaft.tools.changes import Changes, Split
from toolhaft.tools.derived_document import ROOT_ORIGIN, DerivedDocument, origin_of, target_of
from toolhaft.tools.derived_node import Active, Derived, Misfit, NodeDerivation, Place, shown_data
from toolhaft.vendors.terms import Terms, is_endless

__all__ = ["Derivation"]

ENDLESS: Final = "its default has an object for which the same default applies again"
NESTED: Final = "name a parameter of an object, of an optional one or of a list of them"


class Derivation:
    """One derivation: each step adds to the faults and goes on where it can.

    `is_filled` says of a property, by name and prefix, whether something that the schema does not
    say is there where it is absent.
    """

    def __init__(
        self, document: DerivedDocument, changes: Changes, is_filled: Callable[[str, str], bool]
    ) -> None:
        self.document, self.changes, self.is_filled = document, changes, is_filled
        self.hides_something: bool = any(change.option == "hide" for change in changes)
        self.applied: set[str] = set()
        self.listed: dict[str, tuple[str, list[str]]] = {}
        self.name_faults: list[UnnamedFault] = []
        self.value_faults: list[UnnamedFault] = []
        self.late_fills: list[tuple[Terms, str, str]] = []
        self.known: dict[Any, tuple[str, Terms]] = {}

    def derive(self) -> Derived:
        """Derive the whole schema."""
        # Every reference leads to what may have changed.
        active: Active = {ROOT_ORIGIN: ()} if self.document.has_references else {}
        node, terms = self.derive_node(self.document.body, self.changes, Place(active))
        schema = self.document.finish(node)
        self.value_faults += (
            UnnamedFault(f"parameters.{path}", ENDLESS, "give it a default without such an object")
            for filling, name, path in self.late_fills
            if is_endless(filling, name)
        )
        return schema, terms

    def unknown_faults(self) -> Iterator[UnnamedFault]:
        """Find the changes that no place takes."""
        for change in self.changes:
            if change.where not in self.applied:
                fix = NESTED
                if change.where in self.listed:
                    name, listed = self.listed[change.where]
                    near = names.nearest(name, listed)
                    known = ", ".join(listed) or "none"
                    fix = f"did you mean {near}?" if near else f"there are: {known}"
                yield UnnamedFault(change.where, "there is no such parameter", fix)

    def note(self, split: Split, listed: list[str], *, is_root: bool) -> None:
        """Note which changes are of an object's properties, and which names others could mean."""
        self.applied.update(change.where for change in split.own)
        if listed or is_root:
            self.listed.update({change.where: (change.path, listed) for change in split.rest})

    def derive_node(self, node: Any, changes: Changes, place: Place) -> Derived:
        """Derive one node, for which these changes hold.

        Raises:
            Misfit: It is a branch that does not take a hidden value.
        """
        if not isinstance(node, dict) or not (changes or place.active):
            return node, Terms()
        if "$ref" in node:
            return self._derive_reference(node, changes, place)
        if origin_of(node):
            return self._derive_level(node, changes, place)
        return NodeDerivation(self, node, changes, place).derive()

    def _derive_level(self, node: dict[str, Any], changes: Changes, place: Place) -> Derived:
        """Derive one level of what may recur: the changes of the levels around it hold too."""
        origin = origin_of(node)
        inherited = place.active.get(origin, ())
        merged = {(change.option, change.path): change for change in (*inherited, *changes)}
        held = tuple(merged.values())
        lasting = tuple(change for change in held if self.document.has_path(node, change.path))
        place = place._replace(active={**place.active, origin: lasting})
        shown, terms = NodeDerivation(self, node, held, place).derive()
        # A further level of a recursion need not be there.
        is_asked = any(change.option == "hide" for change in changes)
        return shown, terms if is_asked or terms.is_same else Terms(parts=[terms])

    def _derive_reference(self, node: dict[str, Any], changes: Changes, place: Place) -> Derived:
        """Derive what a reference leads to: in its place, or as a definition that may recur."""
        ref, beside = node["$ref"], beside_reference(node)
        target = self.document.target(ref)
        inherited = {change.key for change in place.active.get(origin_of(target), ())}
        if all(change.key in inherited for change in changes):
            return self._derive_definition(ref, beside, place)
        return self.derive_node(_expand(target, beside), changes, place)

    def _derive_definition(self, ref: str, beside: dict[str, Any], place: Place) -> Derived:
        """Derive a definition once for all references that the same changes hold for."""
        held = [
            (origin, *(change.key for change in others)) for origin, others in place.active.items()
        ]
        key = (target_of(ref), frozenset(held))
        if key not in self.known:
            self.known[key] = name, terms = self.document.new_name(target_of(ref)), Terms()
            inside = Place(place.active, place.prefix, is_branch=place.is_branch)
            hides = any(
                change.option == "hide"
                for origin in self.document.origins(ref)
                for change in place.active.get(origin, ())
            )
            try:
                with self.document.writing(name, terms, hides=hides):
                    derived, own = self.derive_node(self.document.target(ref), (), inside)
            except Misfit:
                del self.known[key]
                raise
            self.document.definitions[name] = derived
            terms.parts.append(own)
        name, terms = self.known[key]
        shown, more = self.derive_node(beside, (), place)
        around = Terms(parts=[terms] if more.is_same else [terms, more])
        shown = {**shown, **shown_data(self.document, beside, around)}
        return {"$ref": ref_to(("$defs", name)), **shown}, around


def _expand(definition: Any, beside: dict[str, Any]) -> Any:
    """Write a definition in place of a reference; what else stands there holds too."""
    if not isinstance(definition, dict):
        return definition
    notes = {word: value for word, value in beside.items() if word in ANNOTATIONS}
    others = {word: value for word, value in beside.items() if word not in ANNOTATIONS}
    if others:
        definition = {"allOf": [definition, others]}
    return {**definition, **notes, **merged_marks(definition, notes)}
