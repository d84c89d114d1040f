"""The schemas of the OpenAPI document that are the same for every server."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from toolhaft import tool
from toolhaft.schema.metaschema import KEYWORDS
from toolhaft.serve import asgi
from toolhaft.serve.document import SCHEMAS


@tool(requires_approval=True, annotations={"readOnlyHint": True}, title="Add")
def add(a: int, b: int) -> int:
    """Add two whole numbers."""
    return a + b


def nodes(schema: Any) -> Iterator[dict[str, Any]]:
    yield schema
    for part in schema.get("properties", {}).values():
        yield from nodes(part)
    if "items" in schema:
        yield from nodes(schema["items"])


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_schema_has_keywords_of_json_schema_only(name: str) -> None:
    types = {"object", "array", "string", "integer", "boolean", "null"}
    for node in nodes(SCHEMAS[name]):
        assert node.keys() <= {*KEYWORDS, "additionalProperties", "$ref"}
        named = node.get("type", [])
        assert {*([named] if isinstance(named, str) else named)} <= types
        assert {*node.get("required", [])} <= {*node.get("properties", {})}


def test_answers_have_what_their_schemas_declare() -> None:
    with TestClient(asgi([add]), base_url="http://localhost:80") as client:
        [listed] = client.get("/tools").json()["tools"]
        wrong = client.post("/tools/add", json={"a": "x"}).json()
        waits = client.post("/tools/add", json={"a": 1, "b": 2}).json()
    declared = {name: {*schema["properties"]} for name, schema in SCHEMAS.items()}
    assert listed.keys() == declared["Tool"]
    assert wrong.keys() <= declared["Problem"]
    assert waits.keys() <= declared["Problem"]
    assert {*wrong, *waits} >= {*SCHEMAS["Problem"]["required"], "kind", "effect", "issues"}
    assert waits["prepared"].keys() == declared["PreparedCall"]
    assert wrong["issues"][0].keys() <= declared["Issue"]
