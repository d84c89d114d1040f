"""Bodies of requests: JSON, forms, text and bytes."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from python_multipart.multipart import parse_options_header

from tests.imports.openapi.pets import Sent, failed, operation
from tests.laws_of_openapi.reading import _read_multipart
from toolhaft import DefinitionError, from_openapi
from toolhaft.imports.imported import Imported

BYTES = base64.b64encode(b"\x89PNG\r\n").decode()


def imported(sent: Sent, content: Any, **more: Any) -> Imported:
    body = {"required": True, "content": content}
    return from_openapi(operation(method="post", requestBody=body, **more), client=sent.client())


def send(content: Any, body: Any) -> tuple[str, bytes]:
    sent = Sent()
    imported(sent, content).call_sync("call", {"body": body}).unwrap()
    [request] = sent.requests
    return request.headers["content-type"], request.content


def refusal(content: Any, body: Any) -> str:
    sent = Sent()
    outcome = failed(imported(sent, content).call_sync("call", {"body": body}))
    assert (outcome.kind, sent.requests) == ("invalid_input", [])
    return outcome.text.partition("Errors: ")[2]


@pytest.mark.requirement("openapi-bodies")
def test_json_is_preferred_whatever_stands_first() -> None:
    content = {
        "application/xml": {"schema": {"type": "object"}},
        "application/x-www-form-urlencoded": {"schema": {"type": "object"}},
        "application/vnd.api+json": {"schema": {"type": "object"}},
        "application/json": {"schema": {"type": "object"}},
    }
    assert send(content, {"é": [None]}) == ("application/json", '{"é":[null]}'.encode())
    del content["application/json"]
    assert send(content, {}) == ("application/vnd.api+json", b"{}")


FORM: dict[str, Any] = {
    "application/x-www-form-urlencoded": {
        "schema": {"type": "object"},
        "encoding": {"deep": {"style": "deepObject"}, "flat": {"style": "form", "explode": False}},
    }
}


@pytest.mark.requirement("openapi-bodies")
def test_a_form_writes_each_property_by_its_encoding() -> None:
    FORM["application/x-www-form-urlencoded"]["schema"] = {
        "type": "object",
        "properties": {"deep": {}, "flat": {}, "tags": {}, "more": {}, "n": {}},
    }
    body = {"deep": {"a": {"b": 1}}, "flat": ["x", "y"], "tags": ["a&b", "c d"],
            "more": {"k": "v"}, "n": True}  # fmt: skip
    assert send(FORM, body) == (
        "application/x-www-form-urlencoded",
        b"deep%5Ba%5D%5Bb%5D=1&flat=x,y&tags=a%26b&tags=c+d&more=%7B%22k%22%3A%22v%22%7D&n=true",
    )
    assert refusal(FORM, {"n": None}) == "body.n: null cannot be sent here; leave it out"
    assert refusal(FORM, {"tags": []}) == (
        "body.tags: an empty list cannot be sent here; leave it out"
    )
    assert refusal(FORM, {"deep": {"a": [None]}}).startswith("body.deep")


@pytest.mark.requirement("openapi-bodies")
@pytest.mark.parametrize(
    "file", [{"type": "string", "format": "binary"}, {"contentMediaType": "image/png"}]
)
def test_a_multipart_form_has_bytes_as_files_which_are_told_as_base64(file: Any) -> None:
    sent = Sent()
    content = {
        "multipart/form-data": {
            "schema": {
                "type": "object",
                "properties": {
                    "file": {**file, "description": "A picture."},
                    "files": {"type": "array", "items": file},
                    "meta": {"type": "object"},
                    "tags": {"type": "array", "items": {"type": "string"}},
                },
            },
            "encoding": {"file": {"contentType": "image/png, image/jpeg"}},
        }
    }
    tools = imported(sent, content)
    properties = tools["call"].input_schema.json_schema()["properties"]["body"]["properties"]
    text = {"type": "string", "contentEncoding": "base64"}
    assert properties["file"] == {"description": "A picture.", **text}
    assert properties["files"] == {"type": "array", "items": text}
    body = {"file": BYTES, "files": [BYTES, BYTES], "meta": {"a": 1}, "tags": ["x", "y"]}
    tools.call_sync("call", {"body": body}).unwrap()
    [request] = sent.requests
    media_type, options = parse_options_header(request.headers["content-type"])
    assert media_type == b"multipart/form-data"
    assert _read_multipart(options[b"boundary"], request.content) == [
        ("file", BYTES),
        ("files", BYTES),
        ("files", BYTES),
        ("meta", '{"a":1}'),
        ("tags", "x"),
        ("tags", "y"),
    ]
    assert b'name="file"; filename="file"\r\nContent-Type: image/png' in request.content
    assert b'name="meta"\r\nContent-Type: application/json' in request.content
    assert failed(tools.call_sync("call", {"body": {"file": "no base64"}})).text.endswith(
        "body.file: expected base64 text"
    )


def test_a_name_of_a_part_cannot_end_its_header() -> None:
    content = {"multipart/form-data": {"schema": {"type": "object"}}}
    _, sent = send(content, {'a"\r\nX-Evil: 1': "x"})
    assert b'name="a%22%0D%0AX-Evil: 1"\r\n' in sent
    reason = "a key with a backslash, a control character, %22, %0A or %0D cannot be sent here"
    for key in ("a\\", "a%22b", "a%0ab", "a\x00", "a\t"):
        assert refusal(content, {key: "x"}) == f"body, 1st entry: {reason}"
    two_lines: dict[str, Any] = {"application/xml\nx: y": {"schema": {}}}
    document = operation(method="post", requestBody={"content": two_lines})
    with pytest.raises(DefinitionError) as caught:
        from_openapi(document, client=Sent().client())
    assert "a body of application/xml\\nx: y;" in str(caught.value)


@pytest.mark.requirement("openapi-bodies")
def test_text_goes_out_as_text_and_anything_else_as_bytes() -> None:
    assert send({"text/csv": {"schema": {"type": "string"}}}, "a,é") == (
        "text/csv; charset=utf-8",
        "a,é".encode(),
    )
    assert send({"image/png": {}}, BYTES) == ("image/png", b"\x89PNG\r\n")
    assert refusal({"image/png": {}}, "%") == "body: expected base64 text"
    assert refusal({"text/csv": {}}, 5) == "body: expected string, received integer"


def test_a_form_is_an_object() -> None:
    content = {"application/x-www-form-urlencoded": {"schema": {"type": ["object", "string"]}}}
    assert refusal(content, "a=b") == "body: a form is an object"


def test_an_operation_whose_body_cannot_be_written_is_refused() -> None:
    with pytest.raises(DefinitionError) as caught:
        imported(Sent(), {"application/xml": {}, "image/svg+xml": {}})
    assert str(caught.value) == (
        "call.POST /things requestBody: a body of application/xml, image/svg+xml; "
        "offer JSON, a form, text or bytes"
    )
    odd: Any = {"application/x-www-form-urlencoded": {
        "schema": {"properties": {"a": {}}}, "encoding": {"a": {"style": "matrix"}}}}  # fmt: skip
    with pytest.raises(DefinitionError, match="a style that a form does not have"):
        imported(Sent(), odd)


def test_a_body_that_is_not_required_may_be_left_out() -> None:
    sent = Sent()
    body = {"content": {"application/json": {"schema": {"type": "object"}}}}
    tools = from_openapi(operation(method="post", requestBody=body), client=sent.client())
    tools.call_sync("call").unwrap()
    assert (sent.requests[0].content, "content-type" in sent.requests[0].headers) == (b"", False)


@pytest.mark.requirement("openapi-directions")
@pytest.mark.parametrize(
    "media_type",
    ["application/json", "application/x-www-form-urlencoded", "multipart/form-data"],
)
def test_what_is_only_for_reading_is_refused_in_objects_that_are_open(media_type: str) -> None:
    base = {
        "type": "object",
        "required": ["name", "admin"],
        "properties": {
            "name": {"type": "string"},
            "admin": {"type": "boolean", "readOnly": True},
            "id": {"$ref": "#/paths/~1ids/x-id"},
            "file": {"type": "string", "format": "binary", "readOnly": True},
        },
    }
    document = operation(
        method="post",
        requestBody={
            "content": {media_type: {"schema": {"allOf": [base, {"required": ["name", "id"]}]}}}
        },
    )
    document["paths"]["/ids"] = {"x-id": {"allOf": [{"type": "integer", "readOnly": True}]}}
    sent = Sent()
    tools = from_openapi(document, client=sent.client())
    for name, value in (("admin", True), ("id", 5), ("file", BYTES)):
        outcome = failed(tools.call_sync("call", {"body": {"name": "x", name: value}}))
        assert outcome.text.partition("Errors: ")[2] == f"body.{name}: unknown"
    assert sent.requests == []
    tools.call_sync("call", {"body": {"name": "x", "more": "y"}}).unwrap()
    assert len(sent.requests) == 1


@pytest.mark.requirement("openapi-directions")
def test_bytes_that_are_only_for_reading_by_a_schema_behind_theirs_are_refused() -> None:
    file = {"format": "binary", "allOf": [{"readOnly": True}]}
    schema = {"type": "object", "properties": {"file": file}}
    assert refusal({"multipart/form-data": {"schema": schema}}, {"file": "AAAA"}).endswith(
        "body.file: unknown"
    )
