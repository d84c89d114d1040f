"""A small document with a bit of everything, and clients that record what is sent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx

from toolhaft import Err, Ok, from_openapi
from toolhaft.imports.imported import Imported

BASE = "https://pets.test/v1"

PET: dict[str, Any] = {
    "type": "object",
    "required": ["id", "name"],
    "properties": {
        "id": {"type": "integer", "readOnly": True},
        "name": {"type": "string", "example": "Rex"},
        "tag": {"type": "string", "nullable": True, "enum": ["cat", "dog"]},
        "pin": {"type": "string", "writeOnly": True},
        "parent": {"$ref": "#/components/schemas/Pet"},
    },
}
PETS: dict[str, Any] = {
    "openapi": "3.0.3",
    "info": {"title": "Pets", "version": "1"},
    "servers": [{"url": "https://{host}/v1", "variables": {"host": {"default": "pets.test"}}}],
    "paths": {
        "/pets": {
            "get": {
                "operationId": "pets/list",
                "summary": "List pets",
                "tags": ["pets"],
                "parameters": [
                    {"name": "limit", "in": "query", "schema": {"type": "integer", "maximum": 100}},
                    {"$ref": "#/components/parameters/tags"},
                ],
                "responses": {
                    "200": {
                        "description": "ok",
                        "content": {
                            "application/json": {
                                "schema": {
                                    "type": "array",
                                    "items": {"$ref": "#/components/schemas/Pet"},
                                }
                            }
                        },
                    }
                },
            },
            "post": {
                "operationId": "pets/create",
                "tags": ["pets"],
                "requestBody": {
                    "required": True,
                    "content": {
                        "application/json": {"schema": {"$ref": "#/components/schemas/Pet"}}
                    },
                },
                "responses": {
                    "201": {
                        "description": "made",
                        "content": {
                            "application/json": {"schema": {"$ref": "#/components/schemas/Pet"}}
                        },
                    }
                },
            },
        },
        "/pets/{id}": {
            "parameters": [
                {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
            ],
            "get": {
                "operationId": "pets/get",
                "tags": ["pets"],
                "responses": {"200": {"description": "ok"}},
            },
            "delete": {"tags": ["admin"], "responses": {"204": {"description": "gone"}}},
        },
    },
    "components": {
        "schemas": {"Pet": PET},
        "parameters": {
            "tags": {
                "name": "tags",
                "in": "query",
                "schema": {"type": "array", "items": {"type": "string"}},
            }
        },
    },
}


class Sent:
    """The requests of a client."""

    def __init__(self, answer: Callable[[httpx.Request], httpx.Response] | None = None) -> None:
        self.requests: list[httpx.Request] = []
        self.answer = answer or (lambda _: httpx.Response(204))

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        return self.answer(request)

    def client(self, **options: Any) -> httpx.Client:
        return httpx.Client(transport=httpx.MockTransport(self), **options)

    @property
    def targets(self) -> list[str]:
        return [f"{request.method} {request.url.raw_path.decode()}" for request in self.requests]


def pets(sent: Sent, **options: Any) -> Imported:
    return from_openapi(PETS, client=sent.client(), **options)


def operation(
    *parameters: dict[str, Any], path: str = "/things", method: str = "get", **more: Any
) -> dict[str, Any]:
    """Make a document of one operation, `call`."""
    node = {"operationId": "call", "parameters": list(parameters), "responses": {}, **more}
    return {"openapi": "3.1.0", "servers": [{"url": BASE}], "paths": {path: {method: node}}}


def parameter(name: str, place: str = "query", **more: Any) -> dict[str, Any]:
    return {"name": name, "in": place, "schema": {}, **more}


def response(schema: Any, status: str = "200") -> dict[str, Any]:
    return {status: {"content": {"application/json": {"schema": schema}}}}


def failed(outcome: Ok[Any] | Err) -> Err:
    """Return an outcome that is an error."""
    assert isinstance(outcome, Err)
    return outcome
