"""Derive one node of a schema: an object's keywords, properties and branches, and its terms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from toolhaft import vendors
from toolhaft.definition import names
from toolhaft.definition.signature import UnnamedFault, takes_positional
from toolhaft.jsonio.jsondata import NotJson, to_json_data
from toolhaft.schema.marks import MARK, marks_of, merged_marks
from toolhaft.schema.renamed_keywords import Unreadable, rename_keywords
from toolhaft.schema.without_null import takes_null, without_null
from toolhaft.tools.changes import Change, Changes, Split, values_of
from toolhaft.tools.derived_document import DerivedDocument
from toolhaft.vendors.terms import Factory, Form, Terms

if TYPE_CHECKING:
    from toolhaft.tools.derivation import Derivation

__all__ = ["Active", "Derived", "Misfit", "NodeDerivation", "Place", "shown_data"]

NO_NAMES: Final = "write the schema of the arguments as one object with properties"
UNKNOWN: Final = object()
NOTHING: Final = object()
LISTED: Final = ("examples", "enum")
DATA: Final = ("default", "const", *LISTED)

# The changes that hold wherever a reference leads to a target again.
Active: TypeAlias = Mapping[str, Changes]
# A derived node, and the terms of what it describes.
Derived: TypeAlias = tuple[Any, Terms]


class Misfit(Exception):
    """A branch that does not take a hidden value: no value is ever of it."""

    def __init__(self, faults: list[UnnamedFault]) -> None:
        super().__init__(faults)
        self.faults = faults


class Place(NamedTuple):
    """Where a node stands, and the changes that are active there.

    `prefix` is written before names in faults; `outer` are the names that other parts of the same
    value declare. A branch may be left out; in a condition it is known what a hidden value is.
    """

    active: Active
    prefix: str = ""
    outer: frozenset[str] = frozenset()
    is_branch: bool = False
    is_condition: bool = False


def shown_data(document: DerivedDocument, node: Mapping[str, Any], terms: Terms) -> dict[str, Any]:
    """Return a node's own data, such as its default, as the model would send them."""
    shown: dict[str, Any] = {}
    for word in DATA:
        if word in LISTED and isinstance(node.get(word), list):
            shown[word] = [document.show(terms, value) for value in node[word]]
        elif word in node:
            shown[word] = document.show(terms, node[word])
    return shown


class NodeDerivation:
    """The derivation of one node that is no reference."""

    def __init__(
        self, derivation: Derivation, node: dict[str, Any], changes: Changes, place: Place
    ) -> None:
        self.derivation, self.document = derivation, derivation.document
        self.node, self.changes, self.place = node, changes, place
        properties = node.get("properties")
        self.properties: dict[str, Any] = properties if isinstance(properties, dict) else {}
        self.split = Split.of(changes, self.properties)
        derivation.note(self.split, [*self.properties], is_root=not place.prefix)
        self.defaults: dict[str, Any] = {}
        self.required: list[str] = []
        self.terms = Terms(declared=frozenset(self.properties))

    def derive(self) -> Derived:
        """Derive the node and what is inside.

        Raises:
            Misfit: It is a branch that does not take a hidden value.
        """
        self.derivation.name_faults += self.name_faults()
        self.read_hidden()
        derived = {word: self.derive_keyword(word, value) for word, value in self.node.items()}
        terms = self.terms
        own_names = values_of(self.split.own, "rename")
        terms.names |= {new: name for name, new in own_names.items()}
        terms.is_needed |= bool(values_of(self.split.own, "hide"))
        if terms.is_same and not self.instance_changes():
            return derived, terms
        derived |= shown_data(self.document, self.node, terms)
        derived.pop("discriminator", None)  # an aid for references: the constants say it
        return self.rename(derived), terms

    # ------------------------------------------------------------------------- keywords

    def derive_keyword(self, word: str, value: Any) -> Any:
        """Derive the value of a keyword, and keep its terms."""
        derive = KEYWORDS.get(word)
        return value if derive is None else derive(self, word, value)

    def inside(self, name: str = "") -> Place:
        """Return the place of a property, or of an item or a member."""
        prefix = f"{self.place.prefix}{name}." if name else self.place.prefix
        place = self.place
        return Place(place.active, prefix, is_branch=place.is_branch)

    def beside(self) -> Place:
        """Return the place of another part of the same value."""
        return self.place._replace(outer=self.declared_around)

    @property
    def declared_around(self) -> frozenset[str]:
        """The names that hold in every branch."""
        always = [self.node, *self.node.get("allOf", ())]
        return self.place.outer.union(
            *(part.get("properties", ()) for part in always if isinstance(part, dict))
        )

    def instance_changes(self) -> Changes:
        """Return the changes of properties of the value, whichever part of it declares them."""
        known = self.declared_around | self.document.names_in(self.node)
        return tuple(change for change in self.changes if change.path in known)

    def derive_properties(self, _: str, properties: Any) -> Any:
        if not isinstance(properties, dict):
            return properties
        return {name: self.derive_property(name, sub) for name, sub in self.properties.items()}

    def derive_property(self, name: str, sub: Any) -> Any:
        """Derive a property; a hidden one stays until the names change."""
        nested = self.split.nested.get(name, ())
        if name in self.terms.values or name in self.terms.factories:
            self.derivation.applied.update(change.where for change in nested)
            return sub
        derived, terms = self.derivation.derive_node(sub, nested, self.inside(name))
        if not terms.is_same:
            self.terms.inside[name] = terms
            derived = self.resolve_absence(name, derived, terms)
        return self.describe(name, derived)

    def resolve_absence(self, name: str, node: Any, terms: Terms) -> Any:
        """See to it that a hidden value inside applies where the model sends nothing, or null."""
        if not self.derivation.hides_something or not terms.hides_any(self.document.hiding):
            return node
        self.terms.is_needed |= terms.is_needed
        is_needed = self.is_needed(self.properties[name], terms)
        if is_needed:
            node = self.resolve_null(node, terms)
        if name in self.defaults:
            node = {**node, "default": self.document.show(terms, self.defaults[name])}
        elif name in self.node.get("required", ()):
            return node
        filled = self.fill_of(name, node, is_needed=is_needed)
        if filled is NOTHING:
            return node
        self.defaults.pop(name, None)
        # A value that is filled in at the end can only be checked then, and the class itself makes
        # it.
        is_waiting = self.document.is_waiting(terms)
        is_late = bool(filled) and is_waiting
        if filled is not UNKNOWN and (is_late or self.document.takes(node, filled)):
            self.terms.fills[name] = filled
            node = _marked_made(node) if is_needed else node
            if is_waiting:
                self.derivation.late_fills.append((self.terms, name, f"{self.place.prefix}{name}"))
        else:
            self.required.append(name)
            node = {word: value for word, value in node.items() if word != "default"}
        return node

    def is_needed(self, original: Any, terms: Terms) -> bool:
        """Whether there is an object at a place, made of hidden values if the model sends none."""
        is_made = "made" in marks_of(original) and terms.hides_any(self.document.hiding)
        return terms.is_needed or is_made

    def fill_of(self, name: str, node: Any, *, is_needed: bool) -> Any:
        """Return what is read if a property is absent: data, `NOTHING`, or `UNKNOWN` data."""
        default = node.get("default") if isinstance(node, dict) else None
        if default is not None:
            return default
        original = self.properties[name]
        has_default = isinstance(original, dict) and "default" in original
        if not has_default and self.derivation.is_filled(name, self.place.prefix):
            return UNKNOWN
        return {} if is_needed else NOTHING

    def resolve_null(self, node: Any, terms: Terms) -> Any:
        """Turn null into an object if one is required, or accept no null."""
        if not takes_null(node):
            return node
        others = without_null(node)
        if self.document.takes(others, {}):
            terms.makes_object = True
            return _marked_made(node)
        return others

    def derive_contents(self, word: str, value: Any) -> Any:
        """Derive items, or members of a map."""
        if isinstance(value, list):
            first = [self.derive_content(item) for item in value]
            if any(not terms.is_same for _, terms in first):
                self.terms.first = [terms for _, terms in first]
            return [node for node, _ in first]
        if word == "patternProperties":
            members = {pattern: self.derive_content(sub) for pattern, sub in value.items()}
            self.terms.members += [
                (pattern, terms) for pattern, (_, terms) in members.items() if not terms.is_same
            ]
            return {pattern: node for pattern, (node, _) in members.items()}
        node, terms = self.derive_content(value)
        if not terms.is_same:
            if word.endswith("Properties"):
                self.terms.members.append((None, terms))
            else:
                self.terms.items = terms
        return node

    def derive_content(self, sub: Any) -> Derived:
        node, terms = self.derivation.derive_node(sub, self.split.rest, self.inside())
        return (self.resolve_null(node, terms) if self.is_needed(sub, terms) else node), terms

    def derive_union(self, _: str, forms: list[Any]) -> list[Any]:
        """Derive the forms that take the hidden values; one of them must."""
        derived: list[Any] = []
        found: list[Form] = []
        faults: list[UnnamedFault] = []
        for form in forms:
            try:
                node, terms = self.derivation.derive_node(
                    form, self.changes, self.beside()._replace(is_branch=True)
                )
            except Misfit as misfit:
                faults += misfit.faults
                continue
            derived.append(node)
            checks = self.document.original_input(form), self.document.derived_input(node)
            found.append(Form(*checks, terms))
        if any(not form.terms.is_same for form in found):
            self.terms.unions.append(sorted(found, key=lambda form: form.terms.is_same))
            self.terms.is_needed |= any(form.terms.is_needed for form in found)
        elif faults:
            self.fail(faults)
        return derived

    def derive_condition(self, _: str, value: Any) -> Any:
        """Derive a condition: its demands on a hidden value are decided now."""
        try:
            place = self.beside()._replace(is_branch=True, is_condition=True)
            return self.derivation.derive_node(value, self.changes, place)[0]
        except Misfit:
            return False

    def derive_consequence(self, _: str, value: Any) -> Any:
        """Derive what holds under a condition: nothing, where it takes no hidden value."""
        try:
            return self.derive_part(value, self.beside()._replace(is_branch=True))
        except Misfit:
            return False

    def derive_all(self, _: str, value: list[Any]) -> list[Any]:
        return [self.derive_part(sub, self.beside()) for sub in value]

    def derive_dependents(self, word: str, value: dict[str, Any]) -> dict[str, Any]:
        return {name: self.derive_consequence(word, sub) for name, sub in value.items()}

    def derive_part(self, sub: Any, place: Place) -> Any:
        """Derive another part of the same value."""
        node, terms = self.derivation.derive_node(sub, self.changes, place)
        if not terms.is_same:
            self.terms.parts.append(terms)
            self.terms.is_needed |= terms.is_needed
        return node

    # --------------------------------------------------------------------------- values

    def fail(self, faults: list[UnnamedFault]) -> None:
        """Report values that do not fit; a branch is left out instead.

        Raises:
            Misfit: It is a branch.
        """
        if faults and self.place.is_branch:
            raise Misfit(faults)
        self.derivation.value_faults += faults

    def read_hidden(self) -> None:
        """Take the hidden values and the defaults of own properties, as data that fit."""
        for change in self.split.own:
            if change.option == "hide" and callable(change.value):
                if self.place.is_condition:
                    self.reject_keyword("if")
                schema = self.document.original_input(self.only(change.path))()
                self.terms.factories[change.path] = Factory(_with_context(change.value), schema)
            elif change.option == "hide":
                self.terms.values |= self.read(change)
            elif change.option == "defaults":
                self.defaults |= self.read(change)
        self.terms.defaults = self.defaults

    def only(self, name: str) -> dict[str, Any]:
        """Return the schema of one property alone."""
        return {"properties": {name: self.properties[name]}}

    def read(self, change: Change) -> dict[str, Any]:
        """Read a value as the data of calls are read, by the parameter's schema."""
        name = change.path
        try:
            data = to_json_data(change.value, foreign=vendors.dump_foreign)
        except NotJson as fault:
            reason = f"not JSON ({fault.issues[0]})"
            self.derivation.value_faults.append(UnnamedFault(change.where, reason, "use JSON data"))
            return {name: None}
        reason = "the parameter does not take the value"
        issues = self.document.original_input(self.only(name))().admit({name: data}).issues
        self.fail(
            [
                UnnamedFault(change.where, f"{reason} ({issue})", "correct the value")
                for issue in issues
            ]
        )
        return {name: data}

    def name_faults(self) -> Iterator[UnnamedFault]:
        """Find new names that are no text, or that two properties have."""
        renamed = values_of(self.split.own, "rename")
        if not renamed:
            return
        hidden = values_of(self.split.own, "hide")
        where = f"rename.{self.place.prefix}".rstrip(".")
        visible = [name for name in self.properties if name not in hidden]
        for name, count in Counter(str(renamed.get(name, name)) for name in visible).items():
            character = names.hidden_character(name)
            if character or not name.strip():
                reason = f"a new name holds {character}" if character else "a new name is empty"
                yield UnnamedFault(where, reason, "correct it")
            if count > 1:
                reason = f"{count} parameters would be named {names.escape_text(name)}"
                yield UnnamedFault(where, reason, "give each a name of its own")

    # ---------------------------------------------------------------------------- names

    def describe(self, name: str, node: Any) -> Any:
        """Add the new description and default to a property's schema."""
        texts = values_of(self.split.own, "describe")
        notes = {"description": texts[name]} if name in texts else {}
        if name in self.defaults:
            notes["default"] = self.defaults[name]
        if not notes or node is False:
            return node
        return {**({} if node is True else node), **notes}

    def rename(self, node: dict[str, Any]) -> dict[str, Any]:
        """Write the node under the new names, whose old ones may not be sent any more."""
        changes = self.instance_changes()
        renamed, hidden = values_of(changes, "rename"), values_of(changes, "hide")
        if self.required:
            node = {**node, "required": [*node.get("required", ()), *self.required]}
        try:
            shown = rename_keywords(node, renamed, hidden, self.filled())
        except Unreadable as error:
            self.reject_keyword(error.keyword)
            return node
        self.mark_names(shown, {**dict.fromkeys(hidden), **renamed})
        return shown

    def filled(self) -> set[str]:
        """Return the names of the properties that have a new default."""
        return {*values_of(self.split.own, "defaults")}

    def reject_keyword(self, keyword: str) -> None:
        where = f"parameters.{self.place.prefix}".rstrip(".")
        reason = f"{keyword} says something of the arguments by their names"
        self.derivation.value_faults.append(UnnamedFault(where, reason, NO_NAMES))

    def mark_names(self, node: dict[str, Any], changed: Mapping[str, str | None]) -> None:
        """Mark that former names may not be sent, in open objects either."""
        shown = node.get("properties", {})
        former = {
            name: changed[name] for name in self.properties if name in changed and name not in shown
        }
        facts = {**marks_of(node)}
        if former:
            facts["other_names"] = {**facts.get("other_names", {}), **former}
        if self.derivation.hides_something and not self.terms.is_same:
            facts.pop("open", None)  # what an author's function takes instead has no place for it
        if facts:
            node[MARK] = facts
        else:
            node.pop(MARK, None)


def _marked_made(node: Any) -> Any:
    """Mark what is made if it is absent or null, so that a further transform completes it."""
    return {**node, **merged_marks(node, {MARK: {"made": True}})}


def _with_context(factory: Any) -> Callable[[Any], Any]:
    """Make a factory of one argument, the caller's context, of one that takes it or nothing."""
    return factory if takes_positional(factory, 1) else lambda _: factory()


KEYWORDS: Final[dict[str, Callable[[NodeDerivation, str, Any], Any]]] = {
    "properties": NodeDerivation.derive_properties,
    **dict.fromkeys(
        (
            "items", "additionalItems", "unevaluatedItems", "prefixItems",
            "additionalProperties", "unevaluatedProperties", "patternProperties",
        ),
        NodeDerivation.derive_contents,
    ),
    **dict.fromkeys(("anyOf", "oneOf"), NodeDerivation.derive_union),
    **dict.fromkeys(("if", "not"), NodeDerivation.derive_condition),
    **dict.fromkeys(("then", "else"), NodeDerivation.derive_consequence),
    "allOf": NodeDerivation.derive_all,
    "dependentSchemas": NodeDerivation.derive_dependents,
}  # fmt: skip
