"""The OpenAPI document of a server, byte for byte, and answers that are as it declares them.

Write the file anew with `GOLDEN=write pytest tests/serve/test_document.py` and read the diff.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from starlette.testclient import TestClient

from toolhaft import Toolset, tool
from toolhaft.schema.metaschema import KEYWORDS
from toolhaft.serve import asgi
from toolhaft.serve.document import SCHEMAS, About, write_openapi

GOLDEN: Final = Path(__file__).with_name("openapi.json")


@tool(requires_approval=True, annotations={"readOnlyHint": True}, title="Add")
def add(a: int, b: int) -> int:
    """Add two whole numbers."""
    return a + b


@tool
def wait(seconds: float = 1.0) -> None:
    """Wait a moment."""


def documents() -> dict[str, Any]:
    tools, about = Toolset([add, wait]), About("sums", "1.2", "Adds numbers.")
    ways = {
        "plain": {"needs_token": False, "keeps_keys": False, "decides": False},
        "whole": {"needs_token": True, "keeps_keys": True, "decides": True},
    }
    return {name: write_openapi(tools, about, **options) for name, options in ways.items()}


def test_the_document_is_written_as_it_was() -> None:
    text = json.dumps(documents(), indent=1) + "\n"
    if os.environ.get("GOLDEN") == "write":
        GOLDEN.write_text(text, "utf-8")
    assert text == GOLDEN.read_text("utf-8")


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
