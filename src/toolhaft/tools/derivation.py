"""Derive the schema that a model is shown of a derived tool, and the terms that lead back.

A change passes through references, lists, maps and every branch that has the name, and holds again
at each level of a recursion.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, Final

from toolhaft.definition import names
from toolhaft.definition.signature import UnnamedFault
from toolhaft.schema.document.references import beside_reference, ref_to
from toolhaft.schema.inline import ANNOTATIONS
from toolhaft.schema.marks import merged_marks
from toolhaft.tools.assembly import AssemblyFailed
from toolhaft.tools.changes import Changes, Split
from toolhaft.tools.derived_document import ROOT_ORIGIN, DerivedDocument, origin_of, target_of
from toolhaft.tools.derived_node import Active, Derived, Misfit, NodeDerivation, Place, shown_data
from toolhaft.vendors.terms import Terms, is_endless

__all__ = ["Derivation"]

ENDLESS: Final = "the value for an absent one has objects in which it is absent again"
# How many definitions may be derived of one: paths through recursions may make ever more.
MOST_KINDS: Final = 32
TOO_MANY: Final = "write shorter paths: each applies at every level of a recursion"
NESTED: Final = "name a parameter of an object, of an optional one or of a list of them"


class Derivation:
    """One derivation: each step adds to the faults and continues as far as possible.

    `is_filled` takes a property's name and prefix, and returns whether a value that the schema does
    not declare is present if the property is absent.
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
        self.kinds: Counter[str] = Counter()
        self.late_fills: list[tuple[Terms, str, str]] = []
        self.known: dict[Any, tuple[str, Terms]] = {}

    def derive(self) -> Derived:
        """Derive the whole schema."""
        # Every reference leads to what may have changed.
        active: Active = {ROOT_ORIGIN: ()} if self.document.has_references else {}
        node, terms = self.derive_node(self.document.body, self.changes, Place(active))
        schema = self.document.finish(node)
        self.value_faults += (
            UnnamedFault(f"parameters.{path}", ENDLESS, "make it required, or change its default")
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
                    fix = f"did you mean {near}?" if near else f"use one of: {known}"
                yield UnnamedFault(change.where, "unknown parameter", fix)

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
        held = _merged(place.active.get(origin, ()), changes)
        lasting = [
            change._replace(passed=change.passed | {origin}) for change in self._lasting(node, held)
        ]
        place = place._replace(active={**place.active, origin: tuple(lasting)})
        shown, terms = NodeDerivation(self, node, held, place).derive()
        is_asked = any(
            change.option == "hide" and origin not in change.passed for change in changes
        )
        return shown, terms if is_asked or terms.is_same else Terms(parts=[terms])

    def _lasting(self, node: Any, changes: Changes) -> Changes:
        """Return the changes that lead somewhere from a node."""
        return tuple(change for change in changes if self.document.has_path(node, change.path))

    def _derive_reference(self, node: dict[str, Any], changes: Changes, place: Place) -> Derived:
        """Derive what a reference leads to: in its place, or as a definition that may recur."""
        target = self.document.target(node["$ref"])
        if changes and origin_of(target) not in place.active:
            return self.derive_node(_expand(target, beside_reference(node)), changes, place)
        return self._derive_definition(node["$ref"], beside_reference(node), changes, place)

    def _derive_definition(
        self, ref: str, beside: dict[str, Any], changes: Changes, place: Place
    ) -> Derived:
        """Derive a definition once for all references that the same changes hold for."""
        target = self.document.target(ref)
        held = _merged(place.active.get(origin_of(target), ()), changes)
        lasting = self._lasting(target, held)
        key = _state(target_of(ref), {**place.active, origin_of(target): lasting})
        if key not in self.known:
            self.known[key] = name, terms = self.document.new_name(target_of(ref)), Terms()
            self._count(target_of(ref))
            try:
                self._write_definition(name, ref, changes, place, terms)
            except Misfit:
                del self.known[key]
                raise
        name, terms = self.known[key]
        place = place._replace(outer=place.outer | self.document.names_in(target))
        shown, more = self.derive_node(beside, held, place)
        around = Terms(parts=[terms] if more.is_same else [terms, more], is_needed=terms.is_needed)
        shown = {**shown, **shown_data(self.document, beside, around)}
        return {"$ref": ref_to(("$defs", name)), **shown}, around

    def _count(self, target: str) -> None:
        self.kinds[target] += 1
        if self.kinds[target] > MOST_KINDS:
            reason = f"the changes make more than {MOST_KINDS} kinds of objects of one definition"
            raise AssemblyFailed([UnnamedFault("parameters", reason, TOO_MANY)])

    def _write_definition(
        self, name: str, ref: str, changes: Changes, place: Place, terms: Terms
    ) -> None:
        target = self.document.target(ref)
        inherited = (place.active.get(origin, ()) for origin in self.document.origins(ref))
        hides = any(
            change.option == "hide" and self.document.has_path(target, change.path)
            for change in changes
        ) or any(change.option == "hide" for held in inherited for change in held)
        inside = Place(place.active, place.prefix, is_branch=place.is_branch)
        with self.document.writing(name, terms, hides=hides):
            derived, own = self.derive_node(target, changes, inside)
        self.document.definitions[name] = derived
        terms.parts.append(own)
        terms.is_needed = own.is_needed


def _merged(inherited: Changes, changes: Changes) -> Changes:
    """Join the changes of the levels around a node and its own, which come first."""
    return tuple(
        {(change.option, change.path): change for change in (*inherited, *changes)}.values()
    )


def _state(target: str, active: Active) -> tuple[Any, ...]:
    """Return what the derivation of a target depends on."""
    held = [(at, *(change.key for change in changes)) for at, changes in active.items() if changes]
    return target, frozenset(held)


def _expand(definition: Any, beside: dict[str, Any]) -> Any:
    """Write a definition in place of a reference; keywords beside the reference apply too."""
    if not isinstance(definition, dict):
        return definition
    notes = {word: value for word, value in beside.items() if word in ANNOTATIONS}
    others = {word: value for word, value in beside.items() if word not in ANNOTATIONS}
    if others:
        definition = {"allOf": [definition, others]}
    return {**definition, **notes, **merged_marks(definition, notes)}
