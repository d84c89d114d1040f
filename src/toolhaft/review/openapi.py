"""A whole OpenAPI 3.1 document: one operation for each tool."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any
from urllib.parse import quote

from toolhaft.review.components import Components

__all__ = ["write_document"]


def write_document(
    declarations: Iterable[Mapping[str, Any]],
    title: str,
    version: str = "0",
    reserved: Collection[str] = (),
) -> dict[str, Any]:
    """Write tools, each with `name`, `description`, `parameters` and `output`, as a document.

    Each tool is `POST /tools/NAME`; its arguments are the body, its result the answer. All schemas
    are components; `reserved` are names that they leave to others.
    """
    components = Components(reserved)
    paths = {
        f"/tools/{quote(declaration['name'], safe='')}": {
            "post": _operation(declaration, components)
        }
        for declaration in declarations
    }
    document = {
        "openapi": "3.1.1",
        "info": {"title": title, "version": version},
        "paths": paths,
    }
    return components.write(document)


def _operation(declaration: Mapping[str, Any], components: Components) -> dict[str, Any]:
    name, output = declaration["name"], declaration.get("output")
    body = _content(components.place(declaration["parameters"], name, "input"))
    answer = _content(components.place(output, name, "output")) if output else {}
    return {
        "operationId": name,
        "description": declaration.get("description", ""),
        "requestBody": {"required": True, **body},
        "responses": {"200": {"description": "The result of the tool.", **answer}},
    }


def _content(schema: dict[str, Any]) -> dict[str, Any]:
    return {"content": {"application/json": {"schema": schema}}}
