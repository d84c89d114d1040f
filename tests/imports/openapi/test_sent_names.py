"""Keys of objects stay in their parameter: none goes out under the name of something else."""

from __future__ import annotations

from typing import Any

import pytest

from tests.imports.openapi.pets import Sent, failed, operation, parameter
from toolhaft import from_openapi

OPEN = {"type": "object", "additionalProperties": {"type": "string"}}
FORM = "application/x-www-form-urlencoded"
TAKEN = "has the name of something else that is sent; leave it out"


def outcome(document: dict[str, Any], arguments: dict[str, Any]) -> str:
    """Return the issues of a call, or the request that was sent."""
    sent = Sent()
    told = from_openapi(document, client=sent.client()).call_sync("call", arguments)
    if sent.requests:
        return sent.targets[0].partition("?")[2] or sent.requests[0].content.decode()
    return failed(told).text.partition("Errors: ")[2]


def form(properties: Any, encoding: Any, media_type: str = FORM) -> dict[str, Any]:
    media = {"schema": {"type": "object", "properties": properties}, "encoding": encoding}
    return operation(method="post", requestBody={"content": {media_type: media}})


def secured(document: dict[str, Any]) -> dict[str, Any]:
    scheme = {"type": "apiKey", "in": "query", "name": "api_key"}
    return {**document, "components": {"securitySchemes": {"key": scheme}}}


@pytest.mark.requirement("openapi-in-place")
@pytest.mark.parametrize("key", ["admin", "Admin", " admin", "admin[]", "admin.x", "admin\0x"])
def test_a_key_of_an_exploded_object_is_not_read_as_another_parameter(key: str) -> None:
    document = operation(parameter("filter", schema=OPEN), parameter("admin"))
    assert outcome(document, {"filter": {"a": "1", key: "1"}}) == f"filter, 2nd entry: {TAKEN}"
    assert outcome(document, {"filter": {"a": "1"}, "admin": 1}) == "a=1&admin=1"


@pytest.mark.requirement("openapi-in-place")
def test_no_key_is_a_parameter_that_was_left_out() -> None:
    document = operation(parameter("filter", schema=OPEN), parameter("Admin", style="matrix"))
    assert outcome(document, {"filter": {"admin": "1"}}) == f"filter, 1st entry: {TAKEN}"


@pytest.mark.requirement("openapi-secrets")
@pytest.mark.parametrize("key", ["api_key", "API_KEY", "api.key", "api_key[]"])
def test_no_key_is_one_that_authenticates(key: str) -> None:
    document = secured(operation(parameter("filter", schema=OPEN)))
    assert outcome(document, {"filter": {key: "x"}}) == f"filter, 1st entry: {TAKEN}"


@pytest.mark.requirement("openapi-in-place")
def test_what_the_path_itself_asks_for_is_no_argument_and_no_key() -> None:
    document = operation(
        parameter("filter", schema=OPEN), parameter("Action"), path="/?Action=Describe"
    )
    tools = from_openapi(document, client=Sent().client())
    assert [each.field for each in tools.left_out] == ["query Action (the path has it)"]
    assert outcome(document, {"filter": {"Action": "Delete"}}) == f"filter, 1st entry: {TAKEN}"
    assert outcome(document, {"filter": {"a": "b"}}) == "Action=Describe&a=b"


@pytest.mark.requirement("openapi-in-place")
def test_no_key_is_a_part_of_a_deep_object_of_another() -> None:
    document = operation(parameter("where", schema=OPEN), parameter("filter", style="deepObject"))
    arguments = {"where": {"filter[role]": "admin"}, "filter": {"role": "user"}}
    assert outcome(document, arguments) == f"where, 1st entry: {TAKEN}"
    deep = operation(parameter("filter", style="deepObject"), parameter("filter[role]"))
    assert outcome(deep, {"filter": {"role": 1}}) == f"filter: {TAKEN}"
    assert outcome(deep, {"filter": {"a": 1}, "filter[role]": 2}) == (
        "filter%5Ba%5D=1&filter%5Brole%5D=2"
    )


@pytest.mark.requirement("openapi-in-place")
def test_two_exploded_objects_have_no_key_in_common() -> None:
    document = operation(parameter("a", schema=OPEN), parameter("b", schema=OPEN))
    arguments = {"a": {"role": "x"}, "b": {"role": "y"}}
    assert outcome(document, arguments) == f"b, 1st entry: {TAKEN}"
    assert outcome(document, {"a": {"x.y": "1"}, "b": {"x.z": "2"}}) == "x.y=1&x.z=2"


@pytest.mark.requirement("openapi-in-place")
def test_a_key_in_a_form_is_not_read_as_another_property() -> None:
    document = form(
        {"meta": OPEN, "amount": {"type": "integer"}, "card": {"type": "object"}},
        {
            "meta": {"style": "form", "explode": True},
            "card": {"style": "deepObject", "explode": True},
        },
    )
    for key in ("amount", "card[amount]"):
        assert outcome(document, {"body": {"card": {"amount": 1}, "meta": {key: "9"}}}) == (
            f"body.meta, 1st entry: {TAKEN}"
        )
        assert outcome(document, {"body": {"meta": {key: "9"}}}) == f"body.meta, 1st entry: {TAKEN}"
    body = {"card": {"amount": 1}, "card[amount]": "9"}
    assert outcome(document, {"body": body}) == f"body, 2nd entry: {TAKEN}"
    parts = form({"card": {}}, {}, "multipart/form-data")
    assert outcome(parts, {"body": {"card[amount]": "9"}}) == f"body, 1st entry: {TAKEN}"


@pytest.mark.requirement("openapi-in-place")
def test_a_querystring_keeps_its_keys_and_takes_none_of_the_clients() -> None:
    whole = {"name": "q", "in": "querystring", "content": {FORM: {"schema": {"type": "object"}}}}
    document = secured({**operation(whole), "openapi": "3.2.0"})
    assert outcome(document, {"q": {"a": {"b": 1}, "b": [2, 3]}}) == ("a=%7B%22b%22%3A1%7D&b=2&b=3")
    assert outcome(document, {"q": {"a": 1, "api_key": "x"}}) == f"q, 2nd entry: {TAKEN}"
