"""Operations of an OpenAPI document as tools."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx
import pytest

from tests.imports.openapi.pets import (
    BASE,
    PETS,
    Sent,
    failed,
    operation,
    parameter,
    pets,
    response,
)
from toolhaft import DefinitionError, Err, Toolset, from_openapi
from toolhaft.imports.imported import Imported
from toolhaft.review.diff import diff
from toolhaft.review.lock import Mismatch, read_lock, verify_tools, write_lock

LOCAL = 'bundle the document, so that every $ref begins with "#/"'
SIMPLER = "write a simpler regular expression (ECMA-262)"
REX = {"id": 1, "name": "Rex", "tag": None}


def test_each_operation_is_a_tool_under_its_id_or_its_method_and_path() -> None:
    tools = pets(Sent())
    assert [one.name for one in tools] == [
        "pets/list",
        "pets/create",
        "pets/get",
        "delete_pets_id",
    ]
    assert (tools.refusals, tools.left_out) == ((), ())
    assert [one.annotations for one in tools] == [
        {"readOnlyHint": True},
        {},
        {"readOnlyHint": True},
        {"idempotentHint": True, "destructiveHint": True},
    ]
    assert (tools["pets/list"].description, tools["pets/list"].title) == ("List pets", "List pets")


def test_arguments_are_one_closed_object_in_the_terms_of_today() -> None:
    tools = pets(Sent())
    assert tools["pets/list"].input_schema.json_schema() == {
        "type": "object",
        "properties": {
            "limit": {"type": "integer", "maximum": 100},
            "tags": {"type": "array", "items": {"type": "string"}},
        },
        "additionalProperties": False,
    }
    assert tools["pets/create"].input_schema.json_schema() == {
        "type": "object",
        "properties": {"body": {"$ref": "#/$defs/Pet"}},
        "required": ["body"],
        "additionalProperties": False,
        "$defs": {
            "Pet": {
                "type": "object",
                "required": ["name"],
                "properties": {
                    "id": False,
                    "name": {"type": "string"},
                    "tag": {"type": ["string", "null"], "enum": ["cat", "dog", None]},
                    "pin": {"type": "string", "writeOnly": True},
                    "parent": {"$ref": "#/$defs/Pet"},
                },
            }
        },
    }


def test_a_call_sends_one_request_and_gives_its_checked_result() -> None:
    sent = Sent(lambda _: httpx.Response(200, json=[REX]))
    tools = pets(sent)
    outcome = tools.call_sync("pets/list", '{"limit": "2", "tags": ["a b", "c,d"]}')
    assert outcome.unwrap() == [REX]
    assert sent.targets == ["GET /v1/pets?limit=2&tags=a%20b&tags=c%2Cd"]
    assert sent.requests[0].url.host == "pets.test"
    assert sent.requests[0].headers["accept"] == "application/json"


def test_a_body_goes_out_as_json() -> None:
    sent = Sent(lambda _: httpx.Response(201, json=REX))
    outcome = pets(sent).call_sync("pets/create", {"body": {"name": "Réx", "tag": "dog"}})
    assert outcome.unwrap() == REX
    [request] = sent.requests
    assert json.loads(request.content) == {"name": "Réx", "tag": "dog"}
    assert request.headers["content-type"] == "application/json"


def test_what_does_not_fit_is_refused_before_anything_is_sent() -> None:
    sent = Sent()
    tools = pets(sent)
    texts = [
        tools.call_sync("pets/list", {"limit": 101}).text,
        tools.call_sync("pets/create", {"body": {"name": 1}}).text,
        tools.call_sync("pets/get", {"id": "../admin"}).text,
        tools.call_sync("pets/get", {"id": "1", "host": "evil"}).text,
    ]
    lead = "Please rewrite the input with valid arguments. Errors: "
    assert texts == [
        lead + "limit: expected at most 100",
        lead + "body.name: expected string, received integer",
        lead + "id: must not be empty, a dot or two, nor hold a slash, a backslash or a line break",
        lead + "host: unknown (allowed: id)",
    ]
    assert sent.requests == []


def test_an_async_client_is_awaited() -> None:
    sent = Sent(lambda _: httpx.Response(200, json={"a": 1}))
    client = httpx.AsyncClient(transport=httpx.MockTransport(sent))
    tools = from_openapi(PETS, client=client)
    outcome = asyncio.run(tools.call("pets/get", {"id": "7"}))
    assert (outcome.unwrap(), sent.targets) == ({"a": 1}, ["GET /v1/pets/7"])


def test_operations_are_selected_by_tag_method_and_id() -> None:
    def chosen(**select: Any) -> list[str]:
        return [one.name for one in pets(Sent(), select=select)]

    assert chosen(tags=["admin"]) == ["delete_pets_id"]
    assert chosen(methods=["get"]) == ["pets/list", "pets/get"]
    assert chosen(operations=["pets/*"], methods=["GET", "POST"]) == [
        "pets/list",
        "pets/create",
        "pets/get",
    ]


def test_a_selection_that_nothing_fits_is_told() -> None:
    with pytest.raises(DefinitionError) as caught:
        pets(Sent(), select={"tags": ["pets", "dogs"], "paths": ["/"]})
    assert str(caught.value).splitlines() == [
        "2 faults",
        "select.tags: no operation fits dogs; correct it",
        "select.paths: not a way to select; use tags, methods, operations",
    ]


@pytest.mark.requirement("openapi-refusals")
def test_an_operation_that_cannot_be_a_tool_is_refused_by_name_with_the_reason() -> None:
    document = operation(parameter("x", "path", required=True), path="/a")
    document["paths"]["/b"] = {
        "post": {
            "operationId": "other",
            "requestBody": {"content": {"application/xml": {"schema": {"type": "object"}}}},
        },
        "get": {
            "operationId": "far",
            "parameters": [{"$ref": "https://evil.test/parameter.json"}],
        },
        "put": {
            "operationId": "pattern",
            "parameters": [parameter("p", schema={"type": "string", "pattern": "("})],
        },
    }
    tools = from_openapi(document, client=Sent().client())
    assert [one.name for one in tools] == ["call"]
    assert list(map(str, tools.refusals)) == [
        "far.GET /b parameters/0: a $ref leads outside of the document; " + LOCAL,
        "pattern.PUT /b arguments/properties/p: pattern that no engine can run; " + SIMPLER,
        "other.POST /b requestBody: a body of application/xml; offer JSON, a form, text or bytes",
    ]


def test_a_result_that_breaks_its_schema_is_invalid_output() -> None:
    sent = Sent(lambda _: httpx.Response(200, json={"n": "S3CRET"}))
    document = operation(
        responses=response({"type": "object", "properties": {"n": {"type": "integer"}}})
    )
    outcome = failed(from_openapi(document, client=sent.client()).call_sync("call"))
    assert (outcome.kind, outcome.effect) == ("output_invalid", "done")
    assert "S3CRET" not in outcome.text


def test_a_servers_error_is_told_to_the_log_alone() -> None:
    sent = Sent(lambda _: httpx.Response(503, json={"title": "S3CRET"}))
    outcome = failed(from_openapi(operation(), client=sent.client()).call_sync("call"))
    assert (outcome.kind, bool(outcome.error_id)) == ("runtime_error", True)
    assert "S3CRET" not in outcome.text


def test_a_refusal_is_a_tool_error_with_the_title_of_its_problem() -> None:
    problem = {"title": "No such pet", "detail": "S3CRET"}
    sent = Sent(
        lambda _: httpx.Response(
            404, json=problem, headers={"content-type": "application/problem+json"}
        )
    )
    outcome = failed(from_openapi(operation(), client=sent.client()).call_sync("call"))
    assert (outcome.kind, outcome.text) == ("tool_error", "404 Not Found: No such pet")
    assert BASE not in outcome.text


def with_key(path: str, base_url: str, place: str = "query", method: str = "delete") -> Imported:
    document = operation(
        parameter("id", "path", required=True), parameter("force", place), path=path, method=method
    )
    return from_openapi(document, client=Sent().client(), base_url=base_url)


@pytest.mark.requirement("cli-lock")
@pytest.mark.parametrize(
    ("other", "part"),
    [
        (with_key("/notes/{id}", "https://prod.test"), "address"),
        (with_key("/accounts/{id}", "https://staging.test"), "address"),
        (with_key("/notes/{id}", "https://staging.test", "header"), "parameters"),
        (with_key("/notes/{id}", "https://staging.test", method="post"), "method"),
    ],
)
def test_a_lock_a_diff_and_an_approval_tell_another_request_apart(
    other: Imported, part: str
) -> None:
    locked = with_key("/notes/{id}", "https://staging.test")
    assert locked["call"].source == {
        "method": "DELETE",
        "address": "https://staging.test/notes/{id}",
        "parameters": {"id": "id in the path", "force": "force in the query"},
    }
    with pytest.raises(Mismatch, match="source"):
        verify_tools(other, write_lock(locked))
    before, after = (read_lock(write_lock(tools)) for tools in (locked, other))
    assert f"/source/{part}" in [change.pointer for change in diff(before, after)]
    approved = Toolset([locked["call"].replace(requires_approval=True)])
    changed = Toolset([other["call"].transform().replace(requires_approval=True)])
    waiting = failed(approved.call_sync("call", {"id": "7"}))
    assert waiting.prepared is not None
    text = waiting.prepared.to_json(key="k")
    resumed = changed.resume(text, key="k")
    assert isinstance(resumed, Err)
    assert resumed.kind == "denied"


@pytest.mark.requirement("openapi-secrets")
def test_an_address_that_may_hold_a_token_is_in_no_lock_and_told_apart_all_the_same() -> None:
    def address(base_url: str) -> str:
        [tool] = from_openapi(operation(), client=Sent().client(), base_url=base_url)
        source = tool.source or {}
        source["parameters"]["q"] = "changed"
        assert (tool.source or {})["parameters"] == {}
        return str(source["address"])

    bot, other = (address(f"https://bots.test/S3CRET{each}/v1") for each in "ab")
    assert [len(each) for each in (bot, other)] == [48, 48]
    assert bot != other
    assert bot.startswith("https://bots.test/sha256-")
    assert "S3CRET" not in bot
    assert address("https://staging.test/v1") == "https://staging.test/v1/things"
    assert address("https://staging.test") == "https://staging.test/things"
