"""The parts of a marked schema that lead to defaults, compiled once for each tool."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, Final, Literal, TypeAlias
from weakref import proxy

from toolhaft.schema.branches import types_of
from toolhaft.schema.document.places import branches_of
from toolhaft.schema.document.references import target_of
from toolhaft.schema.document.walk import child_nodes, nodes_of
from toolhaft.schema.engine import matcher
from toolhaft.schema.marks import marks_of
from toolhaft.schema.unknown_keys import branch_of
from toolhaft.spec import Path
from toolhaft.vendors.fields import FieldKey, Fields, fields_at
from toolhaft.vendors.input_schema import InputSchema

__all__ = [
    "FACTORIES",
    "DefaultNode",
    "Form",
    "compile_defaults",
    "parts_of",
]

Kinds: TypeAlias = tuple[Literal["factory", "static"], ...]

# Keywords that describe the value itself or a part of it.
DESCRIBING: Final = frozenset({
    "properties", "patternProperties", "additionalProperties", "items", "prefixItems", "anyOf",
    "oneOf", "allOf", "contentSchema",
})  # fmt: skip
EVERY: Final[Kinds] = ("factory", "static")
FACTORIES: Final[Kinds] = ("factory",)
KINDS: Final[dict[type, str]] = {dict: "object", list: "array", str: "string"}
NO_FIELDS: Final = Fields(())


class Form:
    """One branch of a union: its types, and the defaults that are filled in."""

    def __init__(self, schema: Any, root: Any, node: DefaultNode | None) -> None:
        self._schema, self._root = schema, root
        self.node: DefaultNode | None = node
        self.types: tuple[str, ...] | None = types_of(root, schema)

    @cached_property
    def fields(self) -> Fields | None:
        """The fields of the objects of this form."""
        return fields_at(self._schema) or fields_at(target_of(self._root, self._schema))


class DefaultNode:
    """The defaults of one value: the fields of an object, and the parts inside it."""

    __slots__ = (
        "__weakref__",
        "combined",
        "content",
        "fields",
        "forms",
        "has_inner",
        "inner_names",
        "is_flat",
        "items",
        "keys",
        "makes",
        "meant",
        "members",
        "others",
        "patterns",
    )

    fields: Fields
    makes: bool  # whether a factory fills some part
    members: dict[str, DefaultNode | None]
    patterns: list[tuple[Any, DefaultNode | None]]
    others: DefaultNode | None
    is_flat: bool  # whether it is an object of which no part is filled
    has_inner: bool  # whether something is filled in the value of some key
    inner_names: list[str]  # the keys, where all are declared
    items: list[DefaultNode | None]  # a tuple's items, then all others
    forms: list[Form]
    meant: Callable[[Any], int | None]
    combined: list[DefaultNode]

    def __init__(self) -> None:
        self.keys: list[FieldKey] = []  # the filled keys of an object
        self.content: DefaultNode | None = None  # of a text that holds JSON

    def member(self, key: str) -> DefaultNode | None:
        """Return the defaults of the value of a key, or None."""
        if key in self.members:
            return self.members[key]
        for matches, node in self.patterns:
            if matches(key):
                return node
        return self.others

    def item(self, index: int) -> DefaultNode | None:
        """Return the defaults of an item of an array, or None."""
        last = len(self.items) - 1
        return self.items[min(index, last)]

    def inner(self, step: str | int) -> DefaultNode | None:
        """Return the defaults at a key or in an item, or None."""
        return self.item(step) if isinstance(step, int) else self.member(step)

    def makes_in(self, step: str | int) -> bool:
        """Whether a factory fills some part of the value at a key or of an item."""
        node = self.inner(step)
        return node is not None and node.makes

    def form(self, data: Any) -> Form | None:
        """Choose the form of a union that data mean."""
        forms = self.forms_of(data)
        if not any(form.node for form in forms):
            return None
        if len(forms) == 1:
            return forms[0]
        meant = self.meant(data)
        return forms[-1] if meant is None else self.forms[meant]

    def forms_of(self, data: Any) -> list[Form]:
        """Return the branches of a union that accept values of the data's type."""
        kind = KINDS.get(type(data))
        return [form for form in self.forms if form.types is None or kind in form.types]


class _Meant:
    """The choice of the branch that data mean, compiled when data first come to it."""

    def __init__(self, root: Any, branches: list[Any]) -> None:
        shared = {"$defs": root["$defs"]} if "$defs" in root else {}
        self._union: dict[str, Any] = {"anyOf": branches, **shared}

    def __call__(self, data: Any) -> int | None:
        return self._choose(data)

    @cached_property
    def _choose(self) -> Callable[[Any], int | None]:
        return branch_of(InputSchema(self._union).gate.normalised)


def compile_defaults(schema: InputSchema | None, kinds: Kinds = EVERY) -> DefaultNode | None:
    """Compile the defaults of these kinds, or return None if there are none."""
    return None if schema is None else _Compiler(schema.marked, kinds).node(schema.marked)


def parts_of(node: Any) -> Iterator[tuple[Path, Any]]:
    """Yield the subschemas that describe the value of a node or a part of it."""
    return ((steps, sub) for steps, sub in child_nodes(node) if steps[0] in DESCRIBING)


class _Compiler:
    def __init__(self, root: Any, kinds: Kinds) -> None:
        self.root = root
        self.kinds = kinds
        self.filled = self._filled(kinds)
        self.making = self._filled(FACTORIES)
        self.known: dict[int, DefaultNode] = {}
        self.open: set[int] = set()

    def _filled(self, kinds: Kinds) -> set[int]:
        """Find the schemas with a default in them, however deep; schemas may hold themselves."""
        holders: dict[int, list[int]] = {}
        filled: list[int] = []
        for node in nodes_of(self.root):
            inner = [sub for _, sub in parts_of(node)] + [target_of(self.root, node)]
            for sub in inner:
                holders.setdefault(id(sub), []).append(id(node))
            fields = fields_at(node) or NO_FIELDS
            if any(key.default in kinds for key in fields.keys):
                filled.append(id(node))
        found: set[int] = set()
        while filled:
            node_id = filled.pop()
            if node_id not in found:
                found.add(node_id)
                filled += holders.get(node_id, ())
        return found

    def node(self, schema: Any) -> DefaultNode | None:
        """Compile one schema, or return None if there is nothing to fill."""
        if id(schema) not in self.filled:
            return None
        if id(schema) in self.open:  # which holds this one
            outer: DefaultNode = proxy(self.known[id(schema)])
            return outer
        if id(schema) in self.known:
            return self.known[id(schema)]
        if fields_at(schema) is None and DESCRIBING.isdisjoint(schema):
            return self.node(target_of(self.root, schema))
        node = self.known[id(schema)] = DefaultNode()
        self.open.add(id(schema))
        node.fields = fields_at(schema) or NO_FIELDS
        node.makes = id(schema) in self.making
        node.members = {name: self.node(sub) for name, sub in schema.get("properties", {}).items()}
        node.patterns = [
            (matcher(pattern), self.node(sub))
            for pattern, sub in schema.get("patternProperties", {}).items()
        ]
        node.others = self.node(schema.get("additionalProperties"))
        inner_names = [name for name, sub in node.members.items() if sub is not None]
        is_open = bool(node.patterns or node.others)
        node.inner_names = [] if is_open else inner_names
        node.has_inner = is_open or bool(inner_names)
        node.items = [
            *map(self.node, schema.get("prefixItems", ())),
            self.node(schema.get("items")),
        ]
        combined = [*schema.get("allOf", ()), target_of(self.root, schema)]
        node.combined = [part for part in map(self.node, combined) if part is not None]
        branches = branches_of(schema)
        node.forms = [Form(branch, self.root, self.node(branch)) for branch in branches]
        node.meant = _Meant(self.root, branches)
        if marks_of(schema).get("json_text"):
            node.content = self.node(schema.get("contentSchema"))
        parts = (node.has_inner, node.combined, node.forms, node.content, any(node.items))
        node.is_flat = not any(parts)
        if not node.fields.is_array:
            node.keys = [key for key in node.fields.keys if self._is_filled(key, node)]
        self.open.remove(id(schema))
        return node

    def _is_filled(self, key: FieldKey, node: DefaultNode) -> bool:
        """Whether a field is filled, or the default that the library reads for it."""
        is_read = key.is_read and key.default is not None and node.member(key.key) is not None
        return key.default in self.kinds or is_read
