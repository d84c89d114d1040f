"""A whole OpenAPI 3.1 document: one operation for each tool."""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import quote

from toolhaft.definition import names
from toolhaft.schema.document.references import map_references

__all__ = ["write_document"]

# OpenAPI 3.1.1: what a key of `components.schemas` may be.
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
        """Move a schema's definitions here, and give it with its references changed."""
        definitions = schema.get("$defs", {})
        wires = names.NameMap([f"{owner}.{name}" for name in definitions], KEYS).wires
        keys = {name: wires[f"{owner}.{name}"] for name in definitions}

        def moved(ref: str) -> str:
            name, slash, rest = ref.removeprefix("#/$defs/").partition("/")
            name = name.replace("~1", "/").replace("~0", "~")
            known = ref.startswith("#/$defs/") and name in keys
            return f"#/components/schemas/{keys[name]}{slash}{rest}" if known else ref

        for name, definition in definitions.items():
            self.schemas[keys[name]] = map_references(definition, moved)
        moved_schema: dict[str, Any] = map_references(
            {k: v for k, v in schema.items() if k != "$defs"}, moved
        )
        return moved_schema


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
