"""Which documents are read, and that nothing outside of them ever is."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.imports.openapi.pets import BASE, PETS, Sent, operation, parameter, response
from toolhaft import DefinitionError, from_openapi


def message(document: Any, **options: Any) -> str:
    with pytest.raises(DefinitionError) as caught:
        from_openapi(document, client=options.pop("client", None) or Sent().client(), **options)
    return str(caught.value).strip()


def test_a_document_may_be_data_or_a_file_of_json(tmp_path: Path) -> None:
    path = tmp_path / "pets.json"
    path.write_text(json.dumps(PETS))
    expected = [one.name for one in from_openapi(PETS, client=Sent().client())]
    for source in (path, str(path)):
        assert [one.name for one in from_openapi(source, client=Sent().client())] == expected


def test_what_is_no_document_is_told_with_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "pets.yaml"
    path.write_text("openapi: 3.1.0")
    assert message({"swagger": "2.0"}) == (
        "document.swagger: not an OpenAPI document of version 3.0, 3.1 or 3.2; "
        "convert it from Swagger 2.0"
    )
    assert message({"openapi": "4.0.0"}).startswith("document.openapi: not an OpenAPI document")
    assert message({"openapi": "3.1.0", "paths": []}).startswith("document.paths: not an object")
    assert message({"openapi": "3.1.0", "jsonSchemaDialect": "urn:x"}).startswith(
        "document.jsonSchemaDialect: an unknown dialect"
    )
    assert message(path).startswith("document: the file is not JSON (not JSON: expected a value")
    assert message(tmp_path / "none") == (
        "document: cannot be read (No such file or directory); pass another path"
    )
    assert message({"openapi": "3.1.0", "paths": {}, "servers": [{"url": BASE}]}) == (
        "document.paths: no operation; select another, or another document"
    )


@pytest.mark.requirement("openapi-local")
@pytest.mark.parametrize(
    "ref", ["http://evil.test/a.json", "file:///etc/passwd", "other.yaml#/x", "#/nowhere", "#", 5]
)
def test_a_reference_leads_into_the_document_or_the_operation_is_refused(ref: Any) -> None:
    document = operation(parameter("q", schema={"$ref": ref}))
    reason = message(document).partition("; ")[0]
    is_local = ref == "#/nowhere"
    expected = "leads to nothing: #/nowhere" if is_local else "leads outside of the document"
    assert reason == f"call.GET /things schema: a $ref {expected}"


@pytest.mark.requirement("openapi-local")
def test_references_that_lead_in_a_circle_are_refused() -> None:
    document = operation({"$ref": "#/components/parameters/a"})
    document["components"] = {"parameters": {"a": {"$ref": "#/components/parameters/a"}}}
    assert "its references lead in a circle" in message(document)


def test_a_schema_that_is_endless_is_refused_and_one_that_recurs_is_not() -> None:
    document = operation(
        requestBody={
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/A"}}}
        }
    )
    document["components"] = {"schemas": {"A": {"allOf": [{"$ref": "#/components/schemas/A"}]}}}
    assert "refers to itself without a step into the value" in message(document)
    node = {"type": "object", "properties": {"next": {"$ref": "#/components/schemas/A"}}}
    document["components"] = {"schemas": {"A": node}}
    [tool] = from_openapi(document, client=Sent().client())
    assert tool.input_schema.json_schema()["$defs"] == {
        "A": {"type": "object", "properties": {"next": {"$ref": "#/$defs/A"}}}
    }


def test_a_schema_without_a_bottom_is_refused() -> None:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(5_000):
        schema = {"type": "array", "items": schema}
    document = operation(parameter("q", schema=schema))
    assert "more than 100 schemas inside each other" in message(document)


def test_a_program_says_which_server_it_trusts() -> None:
    sent = Sent()
    from_openapi(PETS, client=sent.client(base_url="http://a.test/x")).call_sync(
        "pets/get", {"id": "1"}
    ).unwrap()
    from_openapi(PETS, client=sent.client(), base_url="http://b.test/y/").call_sync(
        "pets/get", {"id": "1"}
    ).unwrap()
    assert [str(request.url) for request in sent.requests] == [
        "http://a.test/x/pets/1",
        "http://b.test/y/pets/1",
    ]
    bare = {**PETS, "servers": [{"url": "/v1"}]}
    assert message(bare) == (
        "document.servers: not an absolute address of http or https; pass base_url="
    )
    for url in (
        "ftp://a.test",
        "http://user@a.test",
        "http://a.test?x",
        "https://",
        "a.test",
        "http://a.test/%2E%2e/b",
    ):
        assert "not an absolute address" in message(PETS, base_url=url)


@pytest.mark.requirement("openapi-in-place")
def test_an_operation_on_another_server_is_refused_until_it_is_asked_for() -> None:
    document = operation(servers=[{"url": "https://uploads.test"}])
    document["paths"]["/b"] = {"get": {"operationId": "other"}}
    tools = from_openapi(document, client=Sent().client())
    assert [fault.tool for fault in tools.refusals] == ["call"]
    assert str(tools.refusals[0]) == (
        "call.GET /things servers: a different server than the document's; "
        "import it by itself, with base_url= and select="
    )
    chosen = from_openapi(
        document,
        client=Sent().client(),
        base_url="https://uploads.test",
        select={"operations": ["call"]},
    )
    assert ([one.name for one in chosen], chosen.refusals) == (["call"], ())


def test_version_3_2_has_queries_further_methods_and_whole_query_strings() -> None:
    sent = Sent()
    whole = {"name": "q", "in": "querystring", "content": {
        "application/x-www-form-urlencoded": {"schema": {"type": "object"}}}}  # fmt: skip
    document = {
        "openapi": "3.2.0",
        "servers": [{"url": BASE}],
        "paths": {
            "/find": {
                "query": {"operationId": "find", "requestBody": {
                    "content": {"application/json": {"schema": {"type": "object"}}}}},
                "get": {"operationId": "whole", "parameters": [whole]},
                "additionalOperations": {"COPY": {"operationId": "copy"}},
            }
        },
    }  # fmt: skip
    tools = from_openapi(document, client=sent.client())
    tools.call_sync("find", {"body": {"a": 1}}).unwrap()
    tools.call_sync("whole", {"q": {"a b": ["1", "2"], "c": "&"}}).unwrap()
    tools.call_sync("copy").unwrap()
    assert sent.targets == ["QUERY /v1/find", "GET /v1/find?a%20b=1&a%20b=2&c=%26", "COPY /v1/find"]


def test_a_path_is_a_template_and_nothing_more() -> None:
    for path in ("things", "/a?x={y}", "/a/{b", "/a/{}"):
        document = operation(path=path)
        assert "path" in message(document), path
    assert "the path has b, which is not declared" in message(operation(path="/a/{b}"))


def test_a_fragment_tells_operations_apart_and_a_query_of_a_path_is_sent() -> None:
    sent = Sent()
    document = operation(parameter("q"), path="/a?beta=true#more")
    from_openapi(document, client=sent.client()).call_sync("call", {"q": 1}).unwrap()
    assert sent.targets == ["GET /v1/a?beta=true&q=1"]


def test_operations_without_a_usable_id_are_named_by_method_and_path() -> None:
    document: dict[str, Any] = operation()
    document["paths"] = {
        "/a/{x-y}": {
            "parameters": [parameter("x-y", "path")],
            "get": {"operationId": "not a name"},
            "put": {},
        },
        "/a/b": {"get": {"operationId": "same"}, "post": {"operationId": "SAME"}},
        "/a/x/y": {"put": {}},
        "/" + "long/" * 30: {"get": {}},
    }
    tools = from_openapi(document, client=Sent().client())
    assert [one.name for one in tools] == [
        "get_a_x_y",
        "put_a_x_y_f1a5dc9a",
        "get_a_b",
        "post_a_b",
        "put_a_x_y_bb38d720",
        "get_long_long_long_long_long_long_long_long_long_long_l_40bf4e9d",
    ]


def test_what_a_document_says_of_an_operation_is_read_by_people_and_models() -> None:
    document = operation(summary="Get things", description="All of them.\n")
    [tool] = from_openapi(document, client=Sent().client())
    assert (tool.title, tool.description) == ("Get things", "All of them.")
    hidden = operation(summary="Get\u202e things", responses=response({"type": "integer"}))
    with pytest.raises(DefinitionError) as raised:
        from_openapi(hidden, client=Sent().client())
    assert str(raised.value) == (
        "call.GET /things description: holds a bidirectional character "
        "(U+202E RIGHT-TO-LEFT OVERRIDE); remove it"
    )
    tools = from_openapi(hidden, client=Sent().client(), invisible_characters="strip")
    assert ([one.title for one in tools], [each.field for each in tools.left_out]) == (
        ["Get things"],
        [
            "description (a bidirectional character (U+202E RIGHT-TO-LEFT OVERRIDE))",
            "title (a bidirectional character (U+202E RIGHT-TO-LEFT OVERRIDE))",
        ],
    )


def test_what_is_passed_wrongly_is_told_in_a_sentence() -> None:
    wrong: Any
    for wrong in ([], None, b"{}"):
        assert message(wrong) == (
            "document: not a document; pass its data, an object, or the path of a file of JSON"
        )
    for text in ('{"openapi": "3.1.0"}', "openapi: 3.1.0\npaths: {}"):
        assert message(text) == (
            "document: the text of a document, not the path of one; "
            "pass its data, as json.loads or yaml.safe_load gives it"
        )
    wrong_select: Any
    for wrong_select in ("get", ["get"], ""):
        assert message(PETS, select=wrong_select) == (
            'select: not an object of patterns; write {"methods": ["get"]}, with tags or operations'
        )
    assert message(PETS, base_url="127.0.0.1:8765") == (
        'base_url: not an absolute address of http or https; write it as "https://example.com/v1"'
    )


@pytest.mark.parametrize(
    "url",
    [
        "http://exa mple/", "http://[::1", "http://a:99999999", "http://a\\.b", "http://a:-1",
        "http://a:x", "https://a..b/", "https://\u2025/", "https://xn--/", "http://a%2fb/",
    ],
)  # fmt: skip
def test_a_server_that_is_no_address_is_a_fault(url: str) -> None:
    document = {**operation(), "servers": [{"url": url}]}
    assert message(document).startswith("document.servers: ")
    assert message(document).endswith("; pass base_url=")


def test_schemas_without_a_bottom_and_media_types_that_are_none_are_faults() -> None:
    schema: dict[str, Any] = {}
    for _ in range(5_000):
        schema = {"properties": {"a": schema}}
    assert message(operation(responses=response(schema))) == (
        "call.GET /things responses: schemas that contain themselves without end; flatten them"
    )
    kind: Any = {"application/json;\r\nx-evil: 1": {}}
    assert message(operation(responses={"200": {"content": kind}})) == (
        "call.GET /things responses/content: an invalid media type; correct it"
    )


def test_a_path_of_dots_is_refused() -> None:
    for path in ("/a/../b", "/a/%2e%2E/b", "/./a"):
        assert "a path with a segment of dots; write where it leads" in message(
            operation(path=path)
        )


def test_parts_that_stand_in_too_many_places_are_refused_before_they_are_written_out() -> None:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(40):
        schema = {"type": "object", "properties": {"a": schema, "b": schema}}
    circle: dict[str, Any] = {}
    circle["items"] = circle
    for each in (schema, circle):
        assert message(operation(responses=response(each))) == (
            "document: parts of it are used so often that it is too large when written out; "
            'write "$ref" in place of the aliases'
        )


BOMB = """
import resource, sys
resource.setrlimit(resource.RLIMIT_DATA, (512 << 20, 512 << 20))
resource.setrlimit(resource.RLIMIT_CPU, (10, 10))
import httpx, yaml
from toolhaft import DefinitionError, from_openapi
try:
    from_openapi(yaml.safe_load(sys.stdin), client=httpx.Client())
except DefinitionError as error:
    print(error)
"""


def test_a_short_file_of_yaml_that_is_endless_when_written_out_is_refused_at_once() -> None:
    pytest.importorskip("yaml", reason="PyYAML is not installed")
    levels = [
        f"x{at}: &x{at} {{properties: {{a: *x{at - 1}, b: *x{at - 1}}}}}" for at in range(1, 60)
    ]
    schemas = "\n    ".join(["x0: &x0 {type: string}", *levels])
    text = f"openapi: 3.1.0\ncomponents:\n  schemas:\n    {schemas}\n"
    done = subprocess.run(
        [sys.executable, "-c", BOMB],
        input=text,
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    )
    assert done.stdout == (
        "document: parts of it are used so often that it is too large when written out; "
        'write "$ref" in place of the aliases\n'
    )


def test_parts_that_stand_in_a_few_places_are_written_in_each() -> None:
    shared: dict[str, Any] = {"type": "object", "properties": {"a": {"type": "string"}}}
    responses = response({"type": "object", "properties": {"a": shared, "b": shared}})
    [tool] = from_openapi(operation(responses=responses), client=Sent().client())
    assert tool.output_schema is not None
    assert tool.output_schema.json_schema(mode="output") == {
        "type": "object", "properties": {"a": shared, "b": shared},
    }  # fmt: skip
