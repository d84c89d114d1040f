"""The names of arguments, and which parameters there are none for."""

from __future__ import annotations

from typing import Any

import pytest

from tests.imports.openapi.pets import Sent, operation, parameter
from toolhaft import DefinitionError, from_openapi

JSON_BODY: dict[str, Any] = {
    "content": {"application/json": {"schema": {"type": "object", "properties": {"id": {}}}}}
}


@pytest.mark.requirement("openapi-sayable")
def test_every_parameter_can_be_said_whatever_has_its_name() -> None:
    sent = Sent()
    document = operation(
        parameter("id", "path"),
        parameter("id"),
        parameter("id", "header"),
        parameter("id", "cookie"),
        parameter("id_query"),
        parameter("id__query"),
        parameter("body"),
        parameter("__proto__"),
        parameter("a[b]"),
        path="/x/{id}",
        method="post",
        requestBody=JSON_BODY,
    )
    tools = from_openapi(document, client=sent.client())
    arguments = [
        "id_path", "id_query_2", "id_header", "id_cookie", "id_query", "id__query", "body_query",
        "proto_query", "a[b]", "body",
    ]  # fmt: skip
    properties = tools["call"].input_schema.json_schema()["properties"]
    assert list(properties) == arguments
    assert properties["id_query_2"] == {"description": "(id in the query)"}
    values = {name: f"v{at}" for at, name in enumerate(arguments)} | {"body": {"id": "v9"}}
    tools.call_sync("call", values).unwrap()
    [request] = sent.requests
    assert request.url.raw_path.decode() == (
        "/v1/x/v0?id=v1&id_query=v4&id__query=v5&body=v6&__proto__=v7&a%5Bb%5D=v8"
    )
    assert (request.headers["id"], request.headers["cookie"]) == ("v2", "id=v3")
    assert request.content == b'{"id":"v9"}'


def test_parameters_of_a_path_are_those_of_its_operations_which_may_replace_them() -> None:
    document = operation(parameter("q", schema={"type": "integer"}))
    document["paths"]["/things"]["parameters"] = [
        parameter("q", schema={"type": "string"}),
        parameter("r"),
    ]
    [tool] = from_openapi(document, client=Sent().client())
    assert tool.input_schema.json_schema()["properties"] == {"q": {"type": "integer"}, "r": {}}


@pytest.mark.requirement("openapi-secrets")
def test_what_authenticates_and_what_is_the_clients_is_no_argument() -> None:
    document = operation(
        parameter("api_key"),
        parameter("X-Key", "header", required=True),
        parameter("Authorization", "header"),
        parameter("Host", "header"),
        parameter("content-type", "header", required=True),
        parameter("X_KEY", "header"),
        parameter("X_Forwarded_User", "header"),
        parameter("Proxy", "header"),
        parameter("gone", "path"),
        parameter("q"),
    )
    document["components"] = {
        "securitySchemes": {
            "a": {"type": "apiKey", "in": "query", "name": "api_key"},
            "b": {"$ref": "#/components/x-schemes/b"},
        },
        "x-schemes": {"b": {"type": "apiKey", "in": "header", "name": "x-key"}},
    }
    tools = from_openapi(document, client=Sent().client())
    assert list(tools["call"].input_schema.json_schema()["properties"]) == ["q"]
    assert [each.field for each in tools.left_out] == [
        "query api_key (the client authenticates)",
        "header X-Key (the client authenticates)",
        "header Authorization (the client's own)",
        "header Host (the client's own)",
        "header content-type (the client's own)",
        "header X_KEY (the client authenticates)",
        "header X_Forwarded_User (the client's own)",
        "header Proxy (the client's own)",
        "path gone (not in the path)",
    ]


@pytest.mark.requirement("openapi-secrets")
def test_a_security_scheme_that_cannot_be_read_is_a_fault() -> None:
    document = operation(parameter("q"))
    document["components"] = {"securitySchemes": {"a": {"$ref": "schemes.yaml#/a"}}}
    with pytest.raises(DefinitionError, match=r"components/securitySchemes: a \$ref leads outside"):
        from_openapi(document, client=Sent().client())


def test_an_optional_parameter_that_cannot_be_sent_is_left_out_and_a_required_one_refused() -> None:
    odd = [
        parameter("a", style="matrix"),
        parameter("b c", "header"),
        {"name": "d", "in": "query"},
        {"name": "e", "in": "query", "content": {}},
    ]
    tools = from_openapi(operation(*odd), client=Sent().client())
    assert [each.field for each in tools.left_out] == [
        "query a (a style that the query does not have)",
        "header b c (a name that no header has)",
        "query d (no schema)",
        "query e (not one media type)",
    ]
    document = operation(parameter("q"))
    for at, each in enumerate(odd):
        node = {"operationId": f"op{at}", "parameters": [{**each, "required": True}]}
        document["paths"][f"/{at}"] = {"get": node}
    tools = from_openapi(document, client=Sent().client())
    assert [fault.reason for fault in tools.refusals] == [
        "a style that the query does not have",
        "a name that no header has",
        "no schema",
        "not one media type",
    ]


def test_descriptions_and_deprecations_are_told() -> None:
    document = operation(
        parameter("q", description="What to find.", deprecated=True, schema={"type": "string"}),
        parameter("r", description="Another.", schema={"$ref": "#/components/schemas/R"}),
    )
    document["components"] = {"schemas": {"R": {"type": "integer"}}}
    [tool] = from_openapi(document, client=Sent().client())
    assert tool.input_schema.json_schema()["properties"] == {
        "q": {"type": "string", "description": "What to find.", "deprecated": True},
        "r": {"allOf": [{"$ref": "#/$defs/R"}], "description": "Another."},
    }


def test_a_parameter_whose_schema_is_read_only_is_an_argument_all_the_same() -> None:
    schema = {"type": "integer", "readOnly": True}
    document = operation(parameter("q", required=True, schema=schema))
    [tool] = from_openapi(document, client=Sent().client())
    assert tool.input_schema.json_schema() == {
        "type": "object",
        "properties": {"q": schema},
        "required": ["q"],
        "additionalProperties": False,
    }


@pytest.mark.requirement("openapi-in-place")
@pytest.mark.parametrize(
    "name",
    ["X-HTTP-Method", "X-HTTP-Method-Override", "X-Method-Override", "X-Original-URL",
     "X-Rewrite-URL", "x-real-ip", "X-Host", "X-Original-Host", "True-Client-IP",
     "CF-Connecting-IP", "Sec-Fetch-Site", "Sec-Fetch-Mode", "sec-websocket-key", "X_Client_IP",
     "X-Envoy-External-Address", "Fastly-Client-IP", "X-Forwarded-For", "Referer",
     "X-Azure-ClientIP", "Fly-Client-IP", "X-ProxyUser-Ip", "X-Remote-User", "Remote-User",
     "X-Appengine-User-IP", "X-Remote-Addr"],
)  # fmt: skip
def test_a_header_that_changes_what_a_request_is_is_no_argument(name: str) -> None:
    tools = from_openapi(operation(parameter(name, "header")), client=Sent().client())
    assert [each.field for each in tools.left_out] == [f"header {name} (the client's own)"]


@pytest.mark.requirement("openapi-in-place")
def test_a_header_is_one_in_small_and_in_capital_letters() -> None:
    document = operation(
        parameter("X-A", "header", schema={"enum": ["ok"]}), parameter("x-a", "header")
    )
    with pytest.raises(DefinitionError, match="parameters/1: a duplicate header"):
        from_openapi(document, client=Sent().client())
    document = operation(parameter("X-A", "header", schema={"enum": ["ok"]}))
    document["paths"]["/things"]["parameters"] = [parameter("x-a", "header")]
    [tool] = from_openapi(document, client=Sent().client())
    assert tool.input_schema.json_schema()["properties"] == {"X-A": {"enum": ["ok"]}}
