"""Operations written in the manner of well-known documents, whose traits no other test has.

They were written for these tests; `make openapi` reads the documents themselves.
"""

from __future__ import annotations

import json
from typing import Any

import httpx
from openapi_spec_validator import validate

from tests.imports.openapi.pets import PETS, Sent
from toolhaft import from_openapi

OK: dict[str, Any] = {"200": {"description": "ok"}}


def document(base: str, path: str, item: dict[str, Any], **more: Any) -> dict[str, Any]:
    info = {"title": "Excerpt", "version": "1"}
    whole = {"openapi": "3.0.3", "info": info, "servers": [{"url": base}], "paths": {path: item}}
    whole |= more
    validate(whole)
    return whole


def text_parameter(name: str, place: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "in": place, "required": True, "schema": {"type": "string"}, **more}


def test_the_small_document_of_these_tests_is_a_valid_one() -> None:
    validate(PETS)


def test_github_a_path_of_several_segments_and_a_result_of_one_shape_or_another() -> None:
    entry = {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}}
    either = {"oneOf": [{"type": "array", "items": entry}, entry]}
    item = {
        "get": {
            "operationId": "repos/get-content",
            "parameters": [
                text_parameter("owner", "path"),
                text_parameter("path", "path", **{"x-multi-segment": True}),
                {"name": "ref", "in": "query", "schema": {"type": "string"}},
            ],
            "responses": {
                "200": {
                    "description": "ok",
                    "content": {"application/json": {"schema": either}},
                },
                "404": {"description": "none"},
            },
        }
    }
    sent = Sent(lambda _: httpx.Response(200, json=[{"name": "a"}]))
    tools = from_openapi(
        document("https://api.github.test", "/repos/{owner}/contents/{path}", item),
        client=sent.client(),
    )
    arguments = {"owner": "ann", "path": "src/a b.py", "ref": "feature/x"}
    assert tools.call_sync("repos/get-content", arguments).unwrap() == [{"name": "a"}]
    assert sent.targets == ["GET /repos/ann/contents/src/a%20b.py?ref=feature%2Fx"]


def test_stripe_a_form_of_nested_objects_and_lists_that_are_expanded() -> None:
    metadata = {"anyOf": [{"type": "object", "additionalProperties": {"type": "string"}},
                          {"type": "string", "enum": [""]}]}  # fmt: skip
    form = {
        "schema": {
            "type": "object",
            "properties": {
                "amount": {"type": "integer"},
                "metadata": metadata,
                "expand": {"type": "array", "items": {"type": "string"}},
            },
            "required": ["amount"],
        },
        "encoding": {
            "metadata": {"style": "deepObject", "explode": True},
            "expand": {"style": "deepObject", "explode": True},
        },
    }
    body = {"required": True, "content": {"application/x-www-form-urlencoded": form}}
    item = {"post": {"operationId": "PostCharges", "requestBody": body, "responses": OK}}
    sent = Sent()
    tools = from_openapi(document("https://api.stripe.test", "/v1/charges", item),
                         client=sent.client())  # fmt: skip
    values = {"amount": 5, "metadata": {"a b": "1&2"}, "expand": ["data.customer", "x"]}
    tools.call_sync("PostCharges", {"body": values}).unwrap()
    assert sent.requests[0].content == (
        b"amount=5&metadata%5Ba%20b%5D=1%262&expand%5B0%5D=data.customer&expand%5B1%5D=x"
    )


def test_kubernetes_a_patch_is_a_merge_and_what_is_shared_by_a_path_is_an_argument() -> None:
    patch = {"schema": {"$ref": "#/components/schemas/io.k8s.Patch"}}
    item: dict[str, Any] = {
        "parameters": [
            {**text_parameter("pretty", "query"), "required": False},
            text_parameter("name", "path"),
        ],
        "patch": {
            "operationId": "patchNode",
            "requestBody": {
                "required": True,
                "content": {
                    "application/json-patch+json": patch,
                    "application/merge-patch+json": patch,
                    "application/apply-patch+yaml": patch,
                },
            },
            "responses": OK,
        },
    }
    components = {"schemas": {"io.k8s.Patch": {"type": "object", "description": "A change."}}}
    sent = Sent()
    tools = from_openapi(
        document("https://kubernetes.test", "/api/v1/nodes/{name}", item, components=components),
        client=sent.client(),
    )
    change = {"metadata": {"labels": {"a": None}}}
    tools.call_sync("patchNode", {"name": "n1", "pretty": "true", "body": change}).unwrap()
    [request] = sent.requests
    assert sent.targets == ["PATCH /api/v1/nodes/n1?pretty=true"]
    assert request.headers["content-type"] == "application/merge-patch+json"
    assert json.loads(request.content) == change
