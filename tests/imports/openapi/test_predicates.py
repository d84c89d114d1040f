from __future__ import annotations

from types import MappingProxyType
from typing import Any

import httpx
import pytest

from toolhaft import Ok, Toolset, from_openapi

DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "x", "version": "1"},
    "paths": {
        "/p/{id}": {
            "get": {
                "operationId": "get",
                "summary": "Get.",
                "parameters": [
                    {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}
                ],
                "responses": {"200": {"description": "ok"}},
            }
        }
    },
}


@pytest.mark.requirement("typed-predicates")
@pytest.mark.parametrize("raw", ['{"id": "7"}', {"id": 7}])
def test_a_predicate_of_an_operation_sees_its_arguments_as_json(raw: Any) -> None:
    seen: list[Any] = []

    def sees(arguments: Any) -> bool:
        seen.append(arguments)
        return bool(arguments["id"] == 7)

    transport = httpx.MockTransport(lambda _: httpx.Response(200, json={}))
    client = httpx.Client(transport=transport, base_url="http://e.test")
    tools = Toolset(from_openapi(DOCUMENT, client=client), authorize=sees)
    assert isinstance(tools.call_sync("get", raw), Ok)
    assert seen == [{"id": 7}]
    assert type(seen[0]) is MappingProxyType
