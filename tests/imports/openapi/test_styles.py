"""How values are written: by the table of the specification, and what no style can say."""

from __future__ import annotations

from typing import Any

import pytest

from tests.imports.openapi.pets import BASE, Sent, failed, operation, parameter
from toolhaft import from_openapi

COLORS = ["blue", "black", "brown"]
RGB = {"R": 100, "G": 200, "B": 150}
# OpenAPI 3.1.1, 4.8.12.4: style, explode, value, and what is sent.
QUERY: list[tuple[str, bool, Any, str]] = [
    ("form", False, "", "color="),
    ("form", False, "blue", "color=blue"),
    ("form", False, COLORS, "color=blue,black,brown"),
    ("form", False, RGB, "color=R,100,G,200,B,150"),
    ("form", True, COLORS, "color=blue&color=black&color=brown"),
    ("form", True, RGB, "R=100&G=200&B=150"),
    ("spaceDelimited", False, COLORS, "color=blue%20black%20brown"),
    ("spaceDelimited", False, RGB, "color=R%20100%20G%20200%20B%20150"),
    ("pipeDelimited", False, COLORS, "color=blue%7Cblack%7Cbrown"),
    ("pipeDelimited", False, RGB, "color=R%7C100%7CG%7C200%7CB%7C150"),
    ("deepObject", True, RGB, "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150"),
    ("deepObject", True, {"a": {"b": ["x"]}}, "color%5Ba%5D%5Bb%5D%5B0%5D=x"),
    ("deepObject", True, [True, 2], "color%5B0%5D=true&color%5B1%5D=2"),
    ("form", True, "a&b=c/é", "color=a%26b%3Dc%2F%C3%A9"),
]  # fmt: skip
PATH: list[tuple[str, bool, Any, str]] = [
    ("matrix", False, "blue", ";color=blue"),
    ("matrix", False, COLORS, ";color=blue,black,brown"),
    ("matrix", False, RGB, ";color=R,100,G,200,B,150"),
    ("matrix", True, COLORS, ";color=blue;color=black;color=brown"),
    ("matrix", True, RGB, ";R=100;G=200;B=150"),
    ("label", False, "blue", ".blue"),
    ("label", False, COLORS, ".blue,black,brown"),
    ("label", False, RGB, ".R,100,G,200,B,150"),
    ("label", True, COLORS, ".blue.black.brown"),
    ("label", True, RGB, ".R=100.G=200.B=150"),
    ("simple", False, "blue", "blue"),
    ("simple", False, COLORS, "blue,black,brown"),
    ("simple", False, RGB, "R,100,G,200,B,150"),
    ("simple", True, COLORS, "blue,black,brown"),
    ("simple", True, RGB, "R=100,G=200,B=150"),
    ("simple", False, 5.5, "5.5"),
    ("simple", False, "a,b c", "a%2Cb%20c"),
]


def send(place: str, value: Any, **more: Any) -> tuple[str, dict[str, str]]:
    """Send one value; return the requested address, and the headers."""
    sent = Sent()
    path = "/x/{color}" if place == "path" else "/x"
    document = operation(parameter("color", place, required=True, **more), path=path)
    from_openapi(document, client=sent.client()).call_sync("call", {"color": value}).unwrap()
    [request] = sent.requests
    return str(request.url).removeprefix(f"{BASE}/x"), dict(request.headers)


def refusal(place: str, value: Any, **more: Any) -> str:
    """Return the text of a value that is rejected, and nothing sent."""
    sent = Sent()
    path = "/x/{color}" if place == "path" else "/x"
    document = operation(parameter("color", place, required=True, **more), path=path)
    tools = from_openapi(document, client=sent.client())
    outcome = failed(tools.call_sync("call", {"color": value}))
    assert (outcome.kind, outcome.effect, sent.requests) == ("invalid_input", "none", [])
    return outcome.text.partition("Errors: ")[2]


@pytest.mark.requirement("openapi-styles")
@pytest.mark.parametrize(("style", "explode", "value", "expected"), QUERY)
def test_a_query_is_written_as_the_specification_has_it(
    style: str, explode: bool, value: Any, expected: str
) -> None:
    assert send("query", value, style=style, explode=explode)[0] == f"?{expected}"


@pytest.mark.requirement("openapi-styles")
@pytest.mark.parametrize(("style", "explode", "value", "expected"), PATH)
def test_a_path_is_written_as_the_specification_has_it(
    style: str, explode: bool, value: Any, expected: str
) -> None:
    assert send("path", value, style=style, explode=explode)[0] == f"/{expected}"


@pytest.mark.requirement("openapi-styles")
@pytest.mark.parametrize(
    ("explode", "value", "expected"),
    [
        (False, "a b", "a b"),
        (False, COLORS, "blue,black,brown"),
        (False, RGB, "R,100,G,200,B,150"),
        (True, RGB, "R=100,G=200,B=150"),
    ],
)
def test_a_header_is_written_as_it_is(explode: bool, value: Any, expected: str) -> None:
    assert send("header", value, explode=explode)[1]["color"] == expected


@pytest.mark.requirement("openapi-styles")
def test_cookies_are_written_in_one_header() -> None:
    sent = Sent()
    document = operation(
        parameter("a", "cookie", explode=False),
        parameter("b", "cookie"),
        parameter("c", "cookie", style="cookie"),
    )
    tools = from_openapi(document, client=sent.client())
    tools.call_sync("call", {"a": ["x", "y;"], "b": "é", "c": "a=b"}).unwrap()
    assert sent.requests[0].headers["cookie"] == "a=x,y%3B; b=%C3%A9; c=a=b"


def test_a_value_of_a_media_type_is_written_as_that() -> None:
    content = {"application/json": {"schema": {"type": "object"}}}
    value = {"a": ["é", None]}
    for place in ("query", "path", "header", "cookie"):
        sent = Sent()
        node = {"name": "color", "in": place, "required": True, "content": content}
        path = "/x/{color}" if place == "path" else "/x"
        tools = from_openapi(operation(node, path=path), client=sent.client())
        tools.call_sync("call", {"color": value}).unwrap()
        [request] = sent.requests
        quoted = "%7B%22a%22%3A%5B%22%C3%A9%22%2Cnull%5D%7D"
        told = {
            "query": str(request.url).endswith(f"/x?color={quoted}"),
            "path": str(request.url).endswith(f"/x/{quoted}"),
            "header": request.headers.get("color") == '{"a":["\\u00e9",null]}',
            "cookie": request.headers.get("cookie") == f"color={quoted}",
        }
        assert told[place], (place, request.url, request.headers)


@pytest.mark.requirement("openapi-in-place")
@pytest.mark.parametrize(
    ("place", "value", "more", "expected"),
    [
        ("query", {}, {}, "color: an empty object cannot be sent here; leave it out"),
        ("query", [], {}, "color: an empty list cannot be sent here; leave it out"),
        ("query", [None], {}, "color.0: null cannot be sent here; leave it out"),
        (
            "query",
            [["a"]],
            {},
            "color.0: nothing can be nested here; expected text, a number or a boolean",
        ),
        (
            "query",
            ["a b"],
            {"style": "spaceDelimited"},
            "color.0: a space separates items here; an item must not hold one",
        ),
        (
            "query",
            ["a", "|"],
            {"style": "pipeDelimited"},
            "color.1: a bar separates items here; an item must not hold one",
        ),
        (
            "query",
            {"a]": 1},
            {"style": "deepObject"},
            "color: a key is empty or holds a bracket, which cannot be sent",
        ),
        (
            "path",
            ["a.b"],
            {"style": "label", "explode": True},
            "color.0: a dot separates items here; an item must not hold one",
        ),
        ("header", "a\r\nb", {}, "color: only printable ASCII characters can be sent in a header"),
        ("header", "é", {}, "color: only printable ASCII characters can be sent in a header"),
        ("header", " a", {}, "color: a header cannot begin or end with a space"),
        (
            "header",
            {"a=b": 1},
            {"explode": True},
            "color, 1st entry: = separates items here; an item must not hold one",
        ),
        ("header", ["a,b"], {}, "color.0: a comma separates items here; an item must not hold one"),
        ("header", ["a", ""], {}, "color.1: an item must not be empty here"),
        ("cookie", "a;b", {"style": "cookie"}, "color: a cookie cannot hold such characters"),
        ("cookie", ["a"], {}, "color: a cookie cannot hold a list or an object here"),
    ],
)
def test_what_a_style_cannot_say_is_an_issue_and_nothing_is_sent(
    place: str, value: Any, more: dict[str, Any], expected: str
) -> None:
    assert refusal(place, value, **more) == expected


@pytest.mark.requirement("openapi-in-place")
@pytest.mark.parametrize(
    "value",
    [
        "", ".", "..", "a/b", "../b", "a\\b", "%2e%2e", "%252E.", "a%2fb", "a\nb", "a\x00", "..;x",
        " .. ", "\uff0e\uff0e", "\u2024.", "a\uff0fb", "%25252525252525252e",
    ],
)  # fmt: skip
def test_a_path_argument_never_leaves_its_segment(value: str) -> None:
    assert refusal("path", value) == (
        "color: must not be empty, a dot or two, nor hold a slash, a backslash or a line break"
    )


def test_a_parameter_that_is_several_segments_is_held_to_segments() -> None:
    more = {"x-multi-segment": True}
    assert send("path", "src/a b.py", **more)[0] == "/src/a%20b.py"
    for value in ("src/../x", "/etc", "a//b", "a/"):
        assert refusal("path", value, **more).startswith("color: must not be empty")


def test_a_key_of_an_object_never_stands_for_another_parameter() -> None:
    sent = Sent()
    document = operation(parameter("filter", explode=True), parameter("admin"))
    tools = from_openapi(document, client=sent.client())
    outcome = tools.call_sync("call", {"filter": {"admin": "1"}})
    assert outcome.text.endswith("has the name of something else that is sent; leave it out")
    assert sent.requests == []


def test_null_for_what_is_optional_is_left_out() -> None:
    sent = Sent()
    document = operation(parameter("a", schema={"type": ["string", "null"]}), parameter("b"))
    from_openapi(document, client=sent.client()).call_sync("call", {"a": None, "b": 1}).unwrap()
    assert sent.targets == ["GET /v1/things?b=1"]


def test_reserved_characters_may_stand_where_they_mean_nothing() -> None:
    assert send("query", "a/b?c=d&e#f", allowReserved=True)[0] == "?color=a/b?c%3Dd%26e%23f"
