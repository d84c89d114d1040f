"""The result of each kind of response."""

from __future__ import annotations

import logging
from typing import Any

import httpx
import pytest

from tests.imports.openapi.pets import Sent, failed, operation, response
from toolhaft import Err, File, Image, Ok, ToolError, from_openapi
from toolhaft.imports.imported import Imported, LeftOut


def answered(answer: httpx.Response, **node: Any) -> Ok[Any] | Err:
    tools = imported(answer, **node)
    return tools.call_sync("call")


def imported(answer: httpx.Response, components: Any = None, **node: Any) -> Imported:
    document = operation(**node)
    if components:
        document["components"] = {"schemas": components}
    return from_openapi(document, client=Sent(lambda _: answer).client())


def json(data: Any, status: int = 200, kind: str = "application/json") -> httpx.Response:
    return httpx.Response(status, json=data, headers={"content-type": kind})


NUMBER = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


@pytest.mark.requirement("openapi-results")
def test_a_result_is_held_to_the_schema_of_the_successes() -> None:
    node = {"responses": {**response(NUMBER), **response({"type": "array"}, "202"), "204": {}}}
    assert answered(json({"n": 1}), **node).unwrap() == {"n": 1}
    assert answered(json([], 202), **node).unwrap() == []
    assert answered(httpx.Response(204), **node).unwrap() is None
    outcome = failed(answered(json({"n": "S3CRET"}), **node))
    assert (outcome.kind, outcome.effect) == ("output_invalid", "done")
    schema = imported(json(1), **node)["call"].output_schema
    assert schema is not None
    assert schema.json_schema(mode="output") == {
        "anyOf": [NUMBER, {"type": "array"}, {"type": "null"}]
    }


def test_where_nothing_else_succeeds_the_default_does() -> None:
    node = {"responses": {**response(NUMBER, "default")}}
    assert failed(answered(json({"n": None}), **node)).kind == "output_invalid"
    both = {"responses": {**response(NUMBER, "default"), **response({"type": "array"}, "2XX")}}
    assert answered(json([]), **both).unwrap() == []


def test_results_that_may_be_anything_are_not_checked() -> None:
    each: list[dict[str, Any]] = [
        {},
        response({}),
        {"200": {}},
        {"200": {"content": {"image/png": {}}}},
    ]
    for responses in each:
        tools = imported(json({"a": 1}), responses=responses)
        assert (tools["call"].output_schema, tools.left_out) == (None, ())
        assert tools.call_sync("call").unwrap() == {"a": 1}


def test_text_images_and_files_are_content() -> None:
    text = httpx.Response(200, text="a,b", headers={"content-type": "text/csv; charset=utf-8"})
    assert answered(text).unwrap() == "a,b"
    picture = httpx.Response(200, content=b"png", headers={"content-type": "image/png"})
    assert answered(picture).unwrap() == Image(b"png", "image/png")
    archive = httpx.Response(200, content=b"zip", headers={"content-type": "application/zip"})
    assert answered(archive).unwrap() == File(b"zip", "application/zip")
    odd = httpx.Response(200, content=b"?", headers={"content-type": "nonsense"})
    assert answered(odd).unwrap() == File(b"?", "application/octet-stream")
    declared: dict[str, Any] = {"200": {"content": {"text/plain": {}}}}
    assert answered(httpx.Response(200, text="x"), responses=declared).unwrap() == "x"


@pytest.mark.parametrize("text", [b"{", b'{"a": 1, "a": 2}', b"NaN", b"\xff", b"[" * 500])
def test_json_that_is_none_is_an_invalid_output(text: bytes) -> None:
    answer = httpx.Response(200, content=text, headers={"content-type": "application/json"})
    outcome = failed(answered(answer))
    assert (outcome.kind, outcome.effect) == ("output_invalid", "done")


@pytest.mark.requirement("openapi-errors")
@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (json({"title": "Gone"}, 404, "application/problem+json"), "404 Not Found: Gone"),
        (json({"title": "Not Found"}, 404), "404 Not Found"),
        (json({"title": 5}, 409), "409 Conflict"),
        (json(["S3CRET"], 400), "400 Bad Request"),
        (
            json({"title": "a\u202eb" + "c" * 900}, 400),
            "400 Bad Request: a\\u202eb" + "c" * 191 + "…",
        ),
        (httpx.Response(401, text="S3CRET"), "401 Unauthorized"),
        (httpx.Response(418, content=b"{", headers={"content-type": "application/json"}),
         "418 I'm a Teapot"),
        (httpx.Response(499, text="x"), "499"),
        (httpx.Response(302, headers={"location": "http://evil.test"}),
         "302 Found: the service sends the client elsewhere"),
    ],
)  # fmt: skip
def test_a_refusal_is_told_with_its_title_alone(answer: httpx.Response, text: str) -> None:
    outcome = failed(answered(answer))
    assert (outcome.kind, outcome.text) == ("tool_error", text)
    assert "S3CRET" not in outcome.text


@pytest.mark.requirement("openapi-errors")
def test_a_hook_of_the_client_may_tell_the_model_more() -> None:
    def explain(response: httpx.Response) -> None:
        if response.status_code == 422:
            response.read()
            raise ToolError(response.json()["detail"])

    sent = Sent(lambda _: json({"title": "Bad", "detail": "the date has passed"}, 422))
    client = sent.client(event_hooks={"response": [explain]})
    outcome = failed(from_openapi(operation(), client=client).call_sync("call"))
    assert (outcome.kind, outcome.text) == ("tool_error", "the date has passed")


@pytest.mark.requirement("openapi-errors")
def test_the_body_of_a_servers_error_is_nowhere(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR, "toolhaft"):
        outcome = failed(answered(json({"title": "S3CRET"}, 500, "application/problem+json")))
    assert outcome.kind == "runtime_error"
    assert outcome.error_id is not None
    assert outcome.error_id in caplog.text
    assert "tool call failed: the server answered 500" in caplog.text
    assert "S3CRET" not in caplog.text + outcome.text


@pytest.mark.requirement("openapi-errors")
def test_a_client_that_fails_is_told_to_the_log_alone() -> None:
    def fail(_: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("S3CRET")

    outcome = failed(from_openapi(operation(), client=Sent(fail).client()).call_sync("call"))
    assert outcome.kind == "runtime_error"
    assert "S3CRET" not in outcome.text


@pytest.mark.requirement("openapi-directions")
def test_what_is_for_writing_only_is_in_no_result() -> None:
    user = {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "name": {"type": "string"},
            "pin": {"$ref": "#/components/schemas/Pin"},
            "friends": {"type": "array", "items": {"$ref": "#/components/schemas/User"}},
            "best": {"anyOf": [{"$ref": "#/components/schemas/User"}, {"type": "null"}]},
        },
    }
    components = {"User": user, "Pin": {"type": "string", "writeOnly": True}}
    ann = {"name": "Ann", "pin": "S3CRET", "best": {"name": "Bob", "pin": "S3CRET"}}
    sent = {**ann, "friends": [{"name": "Cid", "pin": "S3CRET"}, {"friends": [ann]}]}
    plain = {"name": "Ann", "best": {"name": "Bob"}}
    outcome = answered(
        json(sent),
        components=components,
        responses=response({"$ref": "#/components/schemas/User"}),
    )
    assert outcome.unwrap() == {**plain, "friends": [{"name": "Cid"}, {"friends": [plain]}]}


def test_parts_of_a_result_that_cannot_be_checked_are_left_open_and_said_so() -> None:
    components = {
        "Good": {"type": "object", "properties": {"bad": {"$ref": "#/components/schemas/Bad"},
                                                  "n": {"type": "integer"}}},
        "Bad": {"type": "string", "pattern": "("},
    }  # fmt: skip
    responses = response({"$ref": "#/components/schemas/Good"})
    tools = imported(json({"bad": 5, "n": 1}), components=components, responses=responses)
    assert tools.left_out == (LeftOut("call", "output (far parts are not checked)"),)
    assert tools.call_sync("call").unwrap() == {"bad": 5, "n": 1}
    worse = imported(json(5), responses=response({"type": "nonsense"}))
    assert worse.left_out == (
        LeftOut("call", "output (not checked: no validator can use its schema)"),
    )
    assert worse.call_sync("call").unwrap() == 5
