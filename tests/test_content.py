"""Content that a tool may show a model beside text and data."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest

from toolhaft.content import Audio, Content, File, Image, ResourceLink, block

IMAGE = Image(b"123", "image/png")
SOUND = Audio(b"123", "audio/wav")
TABLE = File(b"a,b", "text/csv", "table.csv")
LINK = ResourceLink("https://example.com/r", "report", "All of it.", "text/html")
EVERY = pytest.mark.parametrize("part", [IMAGE, SOUND, TABLE, LINK])


@EVERY
@pytest.mark.requirement("content-results")
def test_a_part_cannot_be_changed(part: Any) -> None:
    for name in part.__match_args__:
        with pytest.raises(AttributeError, match=rf"\.{name}: cannot be set; make a new one"):
            setattr(part, name, b"other")
        with pytest.raises(AttributeError, match=rf"\.{name}: cannot be deleted; make a new one"):
            delattr(part, name)
    data = bytearray(b"123")
    image = Image(data, "image/png")  # type: ignore[arg-type]  # callers without a checker do
    data[:] = b"xyz"
    assert image == IMAGE


@EVERY
def test_equal_parts_are_one_key_and_copies_are_equal(part: Any) -> None:
    for again in (copy.copy(part), copy.deepcopy(part), pickle.loads(pickle.dumps(part))):
        assert {part: 1} == {again: 1}
    assert part != "part"
    assert Image(b"123", "image/png") != Image(b"1234", "image/png")
    assert Image(b"1", "image/png") != File(b"1", "image/png")


@EVERY
def test_a_part_never_shows_its_data(part: Any) -> None:
    assert "123" not in repr(part)
    assert repr(IMAGE) == "Image(3 bytes, 'image/png')"


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Image("aGk=", "image/png"), "Image: data: not bytes; read the file or decode"),  # type: ignore[arg-type]
        (lambda: Audio(b"", "audio/wav"), "Audio: data: empty; there is nothing to show"),
        (lambda: Image(b"1", "text/plain"), "Image: media_type: not a media type of that kind"),
        (lambda: Audio(b"1", "audio"), "Audio: media_type: not a media type of that kind"),
        (lambda: File(b"1", "text/plain; charset=utf-8"), "File: media_type: not a media type"),
        (lambda: ResourceLink("", "report"), "ResourceLink: the uri or the name is empty"),
    ],
)
def test_what_no_provider_could_take_is_refused(make: Callable[[], object], words: str) -> None:
    with pytest.raises((TypeError, ValueError)) as raised:
        make()
    assert str(raised.value).startswith(words)


def test_a_file_is_text_where_it_says_so_and_is() -> None:
    assert TABLE.text == "a,b"
    assert File(b"{}", "application/json").text == "{}"
    assert File(b"\xff", "text/plain").text is None
    assert File(b"a", "application/pdf").text is None


@pytest.mark.parametrize(
    ("content", "written"),
    [
        ("a", {"type": "text", "text": "a"}),
        (IMAGE, {"type": "image", "data": "MTIz", "mimeType": "image/png"}),
        (SOUND, {"type": "audio", "data": "MTIz", "mimeType": "audio/wav"}),
        (
            TABLE,
            {
                "type": "resource",
                "resource": {"uri": "file:///table.csv", "mimeType": "text/csv", "text": "a,b"},
            },
        ),
        (
            File(b"123", "application/pdf", uri="https://example.com/f"),
            {
                "type": "resource",
                "resource": {
                    "uri": "https://example.com/f",
                    "mimeType": "application/pdf",
                    "blob": "MTIz",
                },
            },
        ),
        (
            LINK,
            {
                "type": "resource_link",
                "uri": "https://example.com/r",
                "name": "report",
                "description": "All of it.",
                "mimeType": "text/html",
            },
        ),
        (
            ResourceLink("https://example.com/r", "r"),
            {"type": "resource_link", "uri": "https://example.com/r", "name": "r"},
        ),
    ],
)
def test_content_as_json_data_is_what_mcp_calls_it(content: Content, written: Any) -> None:
    assert block(content) == written
