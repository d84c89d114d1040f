"""A whole OpenAPI 3.1 document: one operation for each tool."""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import quote

from toolhaft.definition import names
from toolhaft.schema.document.references import map_references

__all__ = ["write_document"]

# The keys of `components.schemas` that OpenAPI 3.1.1 allows.
KEYS: Final = names.NameRule("[a-zA-Z0-9._-]", 128)


def write_document(declarations: list[dict[str, Any]], title: str) -> dict[str, Any]:
    """Write the declarations of an export to `openapi-3.1` as a document.

    Each tool is `POST /tools/NAME`; its arguments are the body, its result the answer. Definitions
    that a schema refers to become components, under the tool's name.
    """
    components = _Components()
    paths = {
        f"/tools/{quote(declaration['name'], safe='')}": {
            "post": _operation(declaration, components)
        }
        for declaration in declarations
    }
    document = {
        "openapi": "3.1.1",
        "info": {"title": title, "version": "0"},
        "paths": paths,
    }
    return (
        {**document, "components": {"schemas": components.schemas}}
        if components.schemas
        else document
    )


class _Components:
    """The definitions of all schemas, under keys that differ."""

    def __init__(self) -> None:
        self.schemas: dict[str, Any] = {}

    def place(self, schema: dict[str, Any], owner: str) -> dict[str, Any]:
        """Move a schema's definitions here, and give it with its references changed.

        One that refers to itself, or to a place in itself, is a component as well.
        """
        definitions = schema.get("$defs", {})
        titles = [owner, *(f"{owner}.{name}" for name in definitions)]
        wires = names.NameMap(titles, KEYS).wires
        root = f"#/components/schemas/{wires[owner]}"
        refers_to_itself = False

        def moved(ref: str) -> str:
            nonlocal refers_to_itself
            name, slash, rest = ref.removeprefix("#/$defs/").partition("/")
            name = name.replace("~1", "/").replace("~0", "~")
            if ref.startswith("#/$defs/") and name in definitions:
                return f"#/components/schemas/{wires[f'{owner}.{name}']}{slash}{rest}"
            if ref != "#" and not ref.startswith("#/"):
                return ref
            refers_to_itself = True
            return root + ref[1:]

        for name, definition in definitions.items():
            self.schemas[wires[f"{owner}.{name}"]] = map_references(definition, moved)
        moved_schema: dict[str, Any] = map_references(
            {k: v for k, v in schema.items() if k != "$defs"}, moved
        )
        if not refers_to_itself:
            return moved_schema
        self.schemas[wires[owner]] = moved_schema
        return {"$ref": root}


def _operation(declaration: dict[str, Any], components: _Components) -> dict[str, Any]:
    name = declaration["name"]
    body = _content(components.place(declaration["parameters"], f"{name}.input"))
    output = declaration.get("output")
    answer = _content(components.place(output, f"{name}.output")) if output else {}
    return {
        "operationId": name,
        "description": declaration.get("description", ""),
        "requestBody": {"required": True, **body},
        "responses": {"200": {"description": "The result of the tool.", **answer}},
    }


def _content(schema: dict[str, Any]) -> dict[str, Any]:
    return {"content": {"application/json": {"schema": schema}}}
