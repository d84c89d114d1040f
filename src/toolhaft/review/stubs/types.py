"""Python types of JSON Schemas: `TypedDict`s, `Literal`s, unions, and aliases that recurse.

A schema says more than a type. Rules that no type expresses (bounds, patterns, keys
beside the declared ones, which keys go together) are left out, so a value of the type may still be
invalid.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, Final

from toolhaft.definition import names
from toolhaft.review.openapi import class_name
from toolhaft.review.stubs.forms import (
    Field,
    Form,
    fields_of,
    further_of,
    items_of,
    kinds_of,
    spread,
)
from toolhaft.review.stubs.source import docstring, is_attribute, literal
from toolhaft.schema.document.kinds import constants_of
from toolhaft.schema.document.references import tokens
from toolhaft.schema.marks import marks_of, without_marks

__all__ = ["PythonTypes", "describe", "union"]

ANY: Final = "Any"
SCALARS: Final = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "null": "None",
}
MOST_LEVELS: Final = 24
MOST_TITLE: Final = 40
WORD: Final = re.compile(r"[A-Za-z_]\w*")


class PythonTypes:
    """Writes types, and keeps the definitions of the classes that they name.

    Args:
        used: The names that the module has for other things.
    """

    def __init__(self, used: Iterable[str]) -> None:
        self.definitions: list[str] = []
        self._used = {*used}
        self._documents: list[Any] = []  # whose nodes are known by their identity
        # Types that are being written, under the name of the alias where they recur.
        self._open: dict[tuple[int, ...], str | None] = {}
        self._classes: dict[tuple[int, ...], str] = {}
        self._by_body: dict[tuple[str, str], str] = {}

    def begin(self, document: Any, hint: str) -> tuple[list[Form], str]:
        """Begin a document, into which references lead from now on.

        Returns:
            Its forms, and the name for a class of them: a class that refers to itself is one of the
            definitions of its document too.
        """
        self._documents.append(document)
        body = without_marks({key: node for key, node in document.items() if key != "$defs"})
        for name, definition in document.get("$defs", {}).items():
            if without_marks(definition) == body:
                return self.spread([definition]), name
        return self.spread([document]), hint

    def spread(self, nodes: Iterable[Any]) -> list[Form]:
        """Return the forms of values that satisfy all nodes of the document."""
        return spread(self._documents[-1], nodes)

    def write(self, nodes: Form, hint: str) -> str:
        """Write the type of values that satisfy all nodes; `hint` is a name for a class."""
        key = tuple(map(id, nodes))
        steps = tokens(nodes[0]["$ref"]) if len(nodes) == 1 and _refers(nodes[0]) else None
        hint = steps[-1] if steps else hint
        if key in self._open:
            self._open[key] = alias = self._open[key] or self._name(hint)
            return alias
        if len(self._open) >= MOST_LEVELS:
            return ANY
        self._open[key] = None
        try:
            written = self.write_forms(self.spread(nodes), hint)
        finally:
            recurring = self._open.pop(key)
        if recurring is None:
            return written
        self.definitions.append(f"{recurring}: TypeAlias = {literal(written)}")
        return recurring

    def write_forms(self, forms: list[Form], hint: str) -> str:
        """Write the type of values of any of the forms."""
        return union(chain(*(self._members(form, hint) for form in forms)))

    def write_field(self, field: Field, owner: str) -> str:
        """Write the type of a property; `owner` begins the name of a class."""
        return self.write(field.nodes, owner + class_name(field.key)) if field.nodes else ANY

    def write_further(self, form: Form, owner: str) -> str | None:
        """Write the type of values under undeclared keys; None if the schema names none."""
        schemas = further_of(form)
        return union(self.write((one,), f"{owner}Value") for one in schemas) if schemas else None

    def _members(self, form: Form, hint: str) -> Iterator[str]:
        constants = next((found for node in form if (found := constants_of(node))), None)
        if constants is not None:
            yield from _constants(constants)
            return
        for kind in kinds_of(form):
            if kind == "object":
                yield self._object(form, hint)
            elif kind == "array":
                yield self._array(form, f"{hint}Item")
            else:
                yield SCALARS.get(kind, ANY)

    def _array(self, form: Form, hint: str) -> str:
        items, are_places = items_of(form)
        if not items:
            return "list[Any]"
        if are_places:
            return f"list[{union(self.write((item,), hint) for item in items)}]"
        return f"list[{self.write(tuple(items), hint)}]"

    def _object(self, form: Form, hint: str) -> str:
        fields = fields_of(form)
        if not fields:
            return f"dict[str, {self.write_further(form, hint) or ANY}]"
        key = tuple(map(id, form))
        if key not in self._classes:
            name = self._classes[key] = self._name(_authored_name(form) or hint)
            types = {field.key: self.write_field(field, name) for field in fields}
            self._classes[key] = self._define(name, form, fields, types)
        return self._classes[key]

    def _define(self, name: str, form: Form, fields: list[Field], types: Mapping[str, str]) -> str:
        """Define a class; return the name of one that is the same, if there is one."""
        text = _typed_dict(name, form, fields, types)
        body = re.sub("_[0-9]+$", "", name), re.sub(rf"\b{name}\b", "\0", text)
        known = self._by_body.setdefault(body, name)
        if known != name:
            self._used.discard(name)
            return known
        self.definitions.append(text)
        return name

    def _name(self, hint: str) -> str:
        name = names.free_name(class_name(hint), self._used)
        self._used.add(name)
        return name


def _refers(node: Any) -> bool:
    return isinstance(node, dict) and "$ref" in node


def union(members: Iterable[str]) -> str:
    """Write a union of types; `Any` takes in the others.

    >>> union(["None", "str", "str"]), union(["int", "Any"]), union([])
    ('str | None', 'Any', 'Never')
    """
    distinct = dict.fromkeys(members)
    if ANY in distinct:
        return ANY
    rest = [member for member in distinct if member != "Never"]
    return " | ".join(sorted(rest, key="None".__eq__)) or "Never"


def describe(nodes: Form) -> str:
    """Return the first description of some nodes; empty without one."""
    texts = (node.get("description") for node in nodes if isinstance(node, dict))
    return next((text.strip() for text in texts if isinstance(text, str)), "")


def _constants(values: Iterable[Any]) -> Iterator[str]:
    listed = [literal(one) if isinstance(one, str) else repr(one)
              for one in values if isinstance(one, str | int)]  # fmt: skip
    if listed:
        yield f"Literal[{', '.join(dict.fromkeys(listed))}]"
    kinds = {list: "list[Any]", dict: "dict[str, Any]", type(None): "None"}
    yield from (kinds.get(type(one), "float") for one in values if not isinstance(one, str | int))


def _authored_name(form: Form) -> str | None:
    """Return the name that the author of a schema gave to an object."""
    for node in form:
        defined, title = marks_of(node).get("defined"), node.get("title")
        if defined is not None:
            return str(defined["name"])
        if isinstance(title, str) and 0 < len(title) <= MOST_TITLE:
            return title
    return None


def _describe_class(form: Form) -> str:
    """Return the description of a class; one that stands beside a reference is not its own."""
    fact = next((fact for node in form if (fact := marks_of(node).get("defined"))), None)
    if fact is None or "description" not in fact["beside"]:
        return describe(form)
    return str(fact.get("description", ""))


def _typed_dict(name: str, form: Form, fields: list[Field], types: Mapping[str, str]) -> str:
    """Write a class; a call where a key cannot be an attribute, or would hide a type."""
    used = {*_words(types), "NotRequired"}
    if all(is_attribute(field.key) and field.key not in used for field in fields):
        return "\n".join(_class_lines(name, form, fields, types))
    members = [
        f"        {literal(field.key)}: {_presence(literal(types[field.key]), field)},"
        for field in fields
    ]
    lines = [f"{name} = TypedDict(", f'    "{name}",', "    {", *members, "    },", ")"]
    described = _describe_class(form)
    return "\n".join([*lines, *([docstring(described, "")] if described else [])])


def _words(types: Mapping[str, str]) -> set[str]:
    return {*chain(*map(WORD.findall, types.values()))}


def _class_lines(
    name: str, form: Form, fields: list[Field], types: Mapping[str, str]
) -> Iterator[str]:
    yield f"class {name}(TypedDict):"
    if described := _describe_class(form):
        yield docstring(described)
        yield ""
    for field in fields:
        yield f"    {field.key}: {_presence(types[field.key], field)}"
        if described := describe(field.nodes):
            yield docstring(described)


def _presence(written: str, field: Field) -> str:
    return written if field.is_required else f"NotRequired[{written}]"
