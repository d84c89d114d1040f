"""A property that a document marks as for writing only is in no result, wherever the mark is."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.imports.openapi.pets import Sent, failed, operation, response
from toolhaft import DefinitionError, Err, Ok, from_openapi

PIN = {"type": "string", "writeOnly": True}
USER: dict[str, Any] = {"type": "object", "properties": {"pin": PIN}}
SENT = {"id": 1, "pin": "S3CRET"}


def answered(data: Any, responses: Any, *, status: int = 200, **schemas: Any) -> Ok[Any] | Err:
    document = operation(responses=responses)
    document["components"] = {"schemas": schemas}
    sent = Sent(lambda _: httpx.Response(status, json=data))
    return from_openapi(document, client=sent.client()).call_sync("call")


def ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


@pytest.mark.requirement("openapi-directions")
@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"pin": ref("A")}},
        {"properties": {"pin": {"anyOf": [PIN, {"type": "null"}]}}},
        {"properties": {"pin": {"oneOf": [{"allOf": [ref("A")]}, {"type": "integer"}]}}},
        {"patternProperties": {"^p": PIN}},
        {"properties": {"id": {}}, "additionalProperties": PIN},
        {"if": True, "then": USER},
        {"if": {"required": ["never"]}, "else": USER},
        {"dependentSchemas": {"id": USER}},
        {"properties": {"id": {}}, "unevaluatedProperties": PIN},
        {"anyOf": [*({"required": [f"never{at}"]} for at in range(210)), USER]},
        {"allOf": [{"anyOf": [{"$ref": "#/components/schemas/User"}]}]},
    ],
)
def test_a_mark_counts_by_whatever_way_it_is_reached(schema: dict[str, Any]) -> None:
    schemas: dict[str, Any] = {
        "A": ref("B"),
        "B": ref("C"),
        "C": ref("Pin"),
        "Pin": PIN,
        "User": USER,
    }
    outcome = answered(SENT, response({"type": "object", **schema}), **schemas)
    assert outcome.unwrap() == {"id": 1}


def test_what_a_pattern_that_nobody_reads_may_mean_is_left_out() -> None:
    assert answered(SENT, response({"patternProperties": {"(": PIN}})).unwrap() == {}


@pytest.mark.requirement("openapi-directions")
@pytest.mark.parametrize(
    ("status", "responses"),
    [
        (202, {**response(USER), "202": {"content": {"application/json": {}}}}),
        (201, {**response({"type": "object"}), **response(USER, "default")}),
        (201, response(USER)),
        (200, {**response({}), **response(USER, "201")}),
        (200, {"200": {"content": {
            "application/json": {}, "application/vnd.x+json": {"schema": USER}}}}),
    ],
)  # fmt: skip
def test_no_answer_shows_what_another_keeps_out(status: int, responses: Any) -> None:
    assert answered(SENT, responses, status=status).unwrap() == {"id": 1}


@pytest.mark.requirement("openapi-directions")
def test_items_are_left_out_and_a_result_that_is_for_writing_only_is_withheld() -> None:
    lists = {"prefixItems": [{}], "items": USER}
    assert answered([1, SENT, SENT], response(lists)).unwrap() == [1, {"id": 1}, {"id": 1}]
    assert answered(["S3CRET"], response({"type": "array", "items": PIN})).unwrap() == []
    whole = failed(answered("S3CRET", response(ref("Pin")), Pin=PIN))
    assert (whole.kind, "S3CRET" in whole.text) == ("output_invalid", False)


@pytest.mark.requirement("openapi-directions")
def test_nothing_is_shown_through_a_dynamic_reference() -> None:
    pointed = {"$dynamicRef": "#/components/schemas/User"}
    assert answered(SENT, response(pointed), User=USER).unwrap() == {"id": 1}
    named = {"$dynamicRef": "#user", "$defs": {"User": {"$dynamicAnchor": "user", **USER}}}
    with pytest.raises(DefinitionError, match="leads outside of the document"):
        answered(SENT, response(named))
    far = {"properties": {"a": {"properties": {"b": named}}}}
    with pytest.raises(DefinitionError, match="leads outside of the document"):
        answered({"a": {"b": SENT}}, response(far))


@pytest.mark.requirement("openapi-directions")
@pytest.mark.parametrize("declared", ["application/json", "text/json", "text/plain", "*/*"])
@pytest.mark.parametrize("kind", ["text/plain", "text/json", "application/octet-stream", ""])
def test_an_answer_that_holds_json_is_read_as_json(declared: str, kind: str) -> None:
    responses = {"200": {"content": {declared: {"schema": {"properties": {"pin": PIN}}}}}}
    sent = Sent(lambda _: httpx.Response(200, json=SENT, headers={"content-type": kind}))
    outcome = from_openapi(operation(responses=responses), client=sent.client()).call_sync("call")
    assert "S3CRET" not in outcome.text
    assert isinstance(outcome, Ok) or outcome.kind == "output_invalid"


@pytest.mark.requirement("openapi-directions")
def test_of_what_has_something_for_writing_only_nothing_but_json_is_shown() -> None:
    items = {"200": {"content": {"text/event-stream": {"itemSchema": ref("User")}}}}
    texts = {"200": {"content": {"text/plain": {"schema": {"type": "string"}}}}}

    def call(content: str, responses: Any) -> Ok[Any] | Err:
        document = operation(responses=responses)
        document["components"] = {"schemas": {"User": USER}}
        answer = httpx.Response(200, text=content, headers={"content-type": "text/event-stream"})
        return from_openapi(document, client=Sent(lambda _: answer).client()).call_sync("call")

    assert failed(call('data: {"pin": "S3CRET"}', items)).kind == "output_invalid"
    assert "S3CRET" not in call('{"pin": "S3CRET"}', items).text
    assert "S3CRET" not in call('[{"pin": "S3CRET"}]', items).text
    assert call("plain", texts).unwrap() == "plain"


def test_a_circle_of_alternatives_takes_no_longer_for_data_that_are_deep() -> None:
    schemas: dict[str, Any] = {
        "Node": {"anyOf": [ref("A"), ref("B")]},
        "A": {"type": "object", "properties": {"child": ref("Node"), "pin": PIN}},
        "B": {"type": "object", "properties": {"child": ref("Node")}},
    }
    sent: dict[str, Any] = {"pin": "S3CRET"}
    expected: dict[str, Any] = {}
    for _ in range(28):
        sent, expected = {"child": sent, "pin": "S3CRET"}, {"child": expected}
    assert answered(sent, response(ref("Node")), **schemas).unwrap() == expected


def test_a_form_that_is_combined_of_itself_is_read_once() -> None:
    node = {"type": "object", "allOf": [ref("A")] * 4, "properties": {"a": {}}}
    form = {"content": {"application/x-www-form-urlencoded": {"schema": ref("A")}}}
    document = operation(method="post", requestBody=form)
    document["paths"]["/other"] = operation()["paths"]["/things"]
    document["paths"]["/other"]["get"]["operationId"] = "other"
    document["components"] = {"schemas": {"A": node}}
    [refusal] = from_openapi(document, client=Sent().client()).refusals
    assert "refers to itself" in refusal.reason
