"""Rules of every emitted schema: no empty schema, no module names, short descriptions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from toolhaft.definition.docstrings import read_docstring
from toolhaft.definition.names import free_name
from toolhaft.schema.document.reference_graph import ReferenceGraph
from toolhaft.schema.document.walk import child_nodes, pointer, replace_children
from toolhaft.schema.inline import definition_fact
from toolhaft.schema.marks import MARK, mark, marks_of, merged_marks
from toolhaft.spec import Path
from toolhaft.vendors.annotations import doc_texts

__all__ = [
    "JSON_TYPES",
    "REFS",
    "embed_schema",
    "expand_roots",
    "field_descriptions",
    "is_untyped",
    "object_nodes",
    "rename_references",
    "short_name",
    "shorten_names",
]
__all__ += ["assemble_schema", "class_summary", "with_type"]

REFS: Final = "#/$defs/"

JSON_TYPES: Final = ("null", "boolean", "number", "string", "array", "object")
# Keywords whose schemas describe values that a model writes.
SHOWN: Final = ("properties", "items", "prefixItems", "anyOf", "oneOf")
_NOTES: Final = frozenset({
    "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", MARK,
})  # fmt: skip


def is_untyped(schema: dict[str, Any]) -> bool:
    """Return whether a schema asserts nothing."""
    return schema.keys() <= _NOTES


def with_type(schema: dict[str, Any]) -> dict[str, Any]:
    """List all types where a schema asserts nothing: clients misread an empty schema."""
    return {"type": list(JSON_TYPES), **schema} if is_untyped(schema) else schema


def expand_roots(schema: dict[str, Any]) -> dict[str, Any]:
    """Add a type to every part of an emitted schema; open objects stay open.

    >>> expand_roots({"type": "array", "items": {}})["items"]["type"][0]
    'null'
    """
    changes: dict[Path, Any] = {}
    for steps, node in child_nodes(schema):
        child = expand_roots(node) if isinstance(node, dict) else node
        if steps[0] == "additionalProperties" and child == {}:
            child = True
        elif steps[0] in SHOWN and isinstance(child, dict):
            child = with_type(child)
        if child is not node:
            changes[steps] = child
    return replace_children(schema, changes) if changes else schema


def short_name(reference: str) -> str:
    """Name a definition after its class, without the module.

    >>> short_name("package.module.Box:94673[int:8842]")
    'Box_int'
    """
    if reference.isascii() and reference.isalnum():
        return reference
    parts = re.sub(r"[^\[\],]+", lambda match: _class_name(match[0]), reference)
    return re.sub(r"[^A-Za-z0-9_-]+", "_", parts).strip("_")


def _class_name(part: str) -> str:
    return part.rsplit(":", 1)[0].rsplit(".", 1)[-1]


def assemble_schema(root: dict[str, Any], definitions: Mapping[str, Any]) -> dict[str, Any]:
    """Assemble one schema: a root without a reference, and the definitions that it needs."""
    schema = {key: value for key, value in root.items() if key not in ("$defs", "$ref")}
    if "$ref" in root:
        target = definitions[root["$ref"].removeprefix(REFS)]
        name = root["$ref"].removeprefix(REFS)
        fact = definition_fact(name, target, schema)
        schema = {**target, **schema, **merged_marks(target, schema)}
        mark(schema, defined=fact)
        used = ReferenceGraph({**schema, "$defs": definitions}).edges
        definitions = {
            name: definition
            for name, definition in definitions.items()
            if pointer(("$defs", name)) in used
        }
    return {**schema, "$defs": dict(definitions)} if definitions else schema


def object_nodes(schema: Any) -> Iterator[dict[str, Any]]:
    """Yield every subschema that is an object, itself included; a vendor's schema is a tree."""
    stack = [schema]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            yield node
            stack.extend(child for _, child in child_nodes(node))


def rename_references(node: dict[str, Any], names: Mapping[str, str]) -> None:
    """Rename the references of a node, in place.

    A tag that stands for a union in itself has no reference: then only the constants tell.
    """
    if "$ref" in node:
        node["$ref"] = _rename_reference(node["$ref"], names)
    mapping = node.get("discriminator", {}).get("mapping", {})
    if not all(isinstance(reference, str) for reference in mapping.values()):
        del node["discriminator"]
        return
    mapping.update({tag: _rename_reference(reference, names) for tag, reference in mapping.items()})


def _rename_reference(reference: str, names: Mapping[str, str]) -> str:
    name = reference.removeprefix(REFS)
    return REFS + names.get(name, name)


def embed_schema(schema: dict[str, Any], whole: dict[str, Any]) -> dict[str, Any]:
    """Hoist a schema's definitions into the whole's, under names that are free there.

    Raises:
        LookupError: The schema points at something else inside itself, and names it.
    """
    own: dict[str, Any] = schema.pop("$defs", {})
    shared: dict[str, Any] = whole.setdefault("$defs", {}) if own else {}
    names: dict[str, str] = {}
    for name in own:
        names[name] = free_name(name, {*shared, *names.values()})
    # The root may share its parts with the definition that it is of: each is renamed once.
    parts = (schema, *own.values())
    nodes = {id(node): node for part in parts for node in object_nodes(part)}
    for node in nodes.values():
        _require_definition(node, names)
        rename_references(node, names)
    shared.update({names[name]: definition for name, definition in own.items()})
    return schema


def _require_definition(node: dict[str, Any], names: Mapping[str, str]) -> None:
    reference = str(node.get("$ref", ""))
    if reference and reference.removeprefix(REFS) not in names:
        raise LookupError(reference)


def class_summary(cls: type) -> str | None:
    """Return the summary of a class's docstring, unless a dataclass generated it."""
    doc = _docstring(cls)
    return read_docstring(doc).summary or None if doc else None


def field_descriptions(cls: type) -> dict[str, str]:
    """Return the descriptions of a class's fields: from `Doc`, else from its docstring."""
    doc = _docstring(cls)
    texts = read_docstring(doc).parameters if doc else {}
    return {**texts, **doc_texts(cls)}


def _docstring(cls: type) -> str | None:
    doc = vars(cls).get("__doc__")
    return doc if isinstance(doc, str) and not doc.startswith(f"{cls.__name__}(") else None


def shorten_names(root: dict[str, Any]) -> dict[str, Any]:
    """Name the definitions after their classes; a second class of a name gets a number."""
    definitions: dict[str, Any] = root.pop("$defs", {})
    names: dict[str, str] = {}
    for name, node in definitions.items():
        names[name] = free_name(marks_of(node).get("name", short_name(name)), set(names.values()))
    for part in (root, *definitions.values()):
        for node in object_nodes(part):
            rename_references(node, names)
            if "name" in marks_of(node):
                node[MARK] = {key: value for key, value in node[MARK].items() if key != "name"}
                if not node[MARK]:
                    del node[MARK]
    return {names[name]: node for name, node in definitions.items()}
