"""Results of a server as values, and what a model is shown of them."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

from toolhaft.content import File, Image, ResourceLink
from toolhaft.errors import ToolError
from toolhaft.imports.mcp.results import InvalidContent, show_content, to_value

types = pytest.importorskip("mcp.types", reason="mcp is not installed")
MOST = 1_000
PIXEL = {"type": "image", "data": "aGVsbG8=", "mimeType": "image/png"}
IMAGE = Image(b"hello", "image/png")


def value_of(**result: Any) -> Any:
    return to_value(types.CallToolResult.model_validate({"content": [], **result}), MOST)


def resource(**fields: Any) -> dict[str, Any]:
    return {"type": "resource", "resource": {"uri": "file:///a", **fields}}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


@pytest.mark.requirement("from-mcp-tools")
@pytest.mark.parametrize(
    ("result", "value", "shown"),
    [
        ({}, None, None),
        ({"content": [text("a")]}, "a", "a"),
        ({"content": [text("a"), text("b")]}, "a\nb", "a\nb"),
        ({"content": [text("a"), PIXEL]}, ["a", IMAGE], ["a", IMAGE]),
        ({"structuredContent": {"n": 1}}, {"n": 1}, {"n": 1}),
        ({"structuredContent": {"n": 1}, "content": [text(' {"n":1}')]}, {"n": 1}, {"n": 1}),
        ({"structuredContent": {"n": 1}, "content": [text("one")]}, {"n": 1}, "one"),
        ({"structuredContent": {"n": 1}, "content": [text('{"n": 1')]}, {"n": 1}, '{"n": 1'),
        ({"structuredContent": {"n": 1}, "content": [PIXEL]}, {"n": 1}, [IMAGE]),
        ({"structuredContent": [1, None], "content": [text("one")]}, [1, None], [1, None]),
        ({"structuredContent": 0, "content": [text("0")]}, 0, 0),
    ],
)
def test_structured_content_is_the_value_and_content_is_shown(
    result: dict[str, Any], value: Any, shown: Any
) -> None:
    made = value_of(**result)
    assert (made, show_content(made)) == (value, shown)


@pytest.mark.parametrize(
    ("block", "part"),
    [
        (resource(text="a"), File(b"a", "text/plain", uri="file:///a")),
        (resource(text="a", mimeType="Text/CSV; x=1"), File(b"a", "text/csv", uri="file:///a")),
        (resource(blob="aGVsbG8="), File(b"hello", "application/octet-stream", uri="file:///a")),
        (resource(text=""), ResourceLink("file:///a", "file:///a")),
        (
            {"type": "resource_link", "uri": "a:b", "name": ""},
            ResourceLink("a:b", "a:b"),
        ),
        ({**PIXEL, "mimeType": " IMAGE/PNG "}, IMAGE),
    ],
)
def test_resources_and_media_are_ours(block: dict[str, Any], part: Any) -> None:
    assert value_of(content=[block]) == [part]


@pytest.mark.requirement("from-mcp-hostile-results")
@pytest.mark.parametrize(
    "block",
    [
        {**PIXEL, "data": "aGVsbG8"},
        {**PIXEL, "data": "aGVs bG8="},
        {**PIXEL, "data": ""},
        {**PIXEL, "mimeType": "text/html"},
        {**PIXEL, "type": "audio"},
        {**PIXEL, "mimeType": "image/"},
        resource(blob="?"),
    ],
)
def test_content_that_is_not_what_its_type_says_is_invalid(block: dict[str, Any]) -> None:
    with pytest.raises(InvalidContent) as raised:
        value_of(content=[text("a"), block])
    assert str(raised.value) == "content.1: not what its type says"


@pytest.mark.requirement("from-mcp-hostile-results")
@pytest.mark.parametrize(
    ("words", "is_valid"),
    [
        ('{"t": 1}', False),  # mcp-result-mismatch of the hostile inputs
        ('{"t": 2, "more": 1}', True),
        ('{"t": 2.0}', True),
        ('{"u": 1}', True),
        ("[1]", True),
        ("1", True),
        ('{"t": 1', True),
    ],
)
def test_json_text_that_contradicts_the_structured_content_is_invalid(
    words: str, is_valid: bool
) -> None:
    result = {"content": [text(words)], "structuredContent": {"t": 2}}
    if is_valid:
        assert value_of(**result) == {"t": 2}
        return
    with pytest.raises(InvalidContent) as raised:
        value_of(**result)
    assert str(raised.value) == "the text of the content contradicts the structured content"


@pytest.mark.requirement("from-mcp-hostile-results")
@pytest.mark.parametrize(
    ("wrapped", "words", "is_valid"),
    [
        (4, "5", False),
        (4, "4.5", False),
        (True, "false", False),
        ([1, 2], "[1,3]", False),
        ({"a": 4}, '{"a": 5}', False),
        (4, '{"result": 5}', False),
        ("b", '"a"', False),
        (4, "4.0", True),
        ([1, 2], "[1, 2]", True),
        ([1, 2], "1\n2", True),  # the SDK's own: a text for each item
        ([7], "7", True),
        ([[7]], "7", True),
        ([{"result": 5}], '{"result": 5}', True),
        (["[7]"], "[7]", True),
        ("5", "5", True),
        ('"a"', '"a"', True),
        ('{"result": 5}', '{"result": 5}', True),
        ("2026-01-01", '"2026-01-01"', True),
        ([1, 2, 3], "3", True),  # how many there are
        (4, "it is 5", True),
    ],
)
def test_json_text_is_held_against_a_value_that_the_sdk_wrapped(
    wrapped: Any, words: str, is_valid: bool
) -> None:
    result = {"content": [text(words)], "structuredContent": {"result": wrapped}}
    if is_valid:
        assert value_of(**result) == {"result": wrapped}
        return
    with pytest.raises(InvalidContent) as raised:
        value_of(**result)
    assert str(raised.value) == "the text of the content contradicts the structured content"


@pytest.mark.requirement("from-mcp-hostile-results")
@pytest.mark.parametrize(
    "result",
    [
        {"content": [text("x" * MOST)]},
        {"content": [text("x" * 600), text("x" * 600)], "isError": True},
        {"content": [resource(text="x" * MOST)]},
        {"structuredContent": {"x": ["x" * 100] * 10}},
        {"structuredContent": {"x" * MOST: 1}},
        {"structuredContent": [[]] * 300},
    ],
)
def test_what_is_larger_than_asked_for_is_invalid(result: dict[str, Any]) -> None:
    with pytest.raises(InvalidContent) as raised:
        value_of(**result)
    assert str(raised.value) == "larger than 1,000 bytes"


@pytest.mark.requirement("from-mcp-errors")
def test_an_error_is_in_the_words_of_its_content_and_its_data_is_nobodys() -> None:
    with pytest.raises(ToolError) as raised:
        value_of(content=[text("no"), PIXEL], structuredContent={"n": "secret"}, isError=True)
    assert str(raised.value) == "no\n[image: image/png, 5 bytes]"


def test_a_value_with_content_is_copied_and_pickled_with_it() -> None:
    value = value_of(content=[text("one"), PIXEL], structuredContent={"n": 1})
    for again in (copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
        assert (again, show_content(again)) == ({"n": 1}, ["one", IMAGE])
