"""Images and files go through the official clients, in the parts that their servers know."""

from __future__ import annotations

from typing import Any

import pytest

from tests.servers.clients import Vendor, vendors
from tests.servers.loopback import Loopback
from tests.servers.script import Call, Turn
from toolhaft import File, Image, Toolset, tool
from toolhaft.agent_loop import run_sync
from toolhaft.content import Content

PARTS: dict[str, list[dict[str, Any]]] = {
    "openai": [
        {"type": "input_text", "text": "See:"},
        {"type": "input_image", "image_url": "data:image/png;base64,+/8=", "detail": "auto"},
        {
            "type": "input_file",
            "filename": "a.pdf",
            "file_data": "data:application/pdf;base64,MTIz",
        },
    ],
    "anthropic": [
        {"type": "text", "text": "See:"},
        {
            "type": "image",
            "source": {"type": "base64", "media_type": "image/png", "data": "+/8="},
        },
        {
            "type": "document",
            "source": {"type": "base64", "media_type": "application/pdf", "data": "MTIz"},
            "title": "a.pdf",
        },
    ],
    # The SDK reads the base64 and writes it URL-safe, with keys of its own.
    "gemini": [
        {"inline_data": {"mime_type": "image/png", "data": "-_8="}},
        {"inline_data": {"mime_type": "application/pdf", "data": "MTIz"}},
    ],
}


@tool
def show() -> list[Content]:
    """Show a page."""
    return ["See:", Image(b"\xfb\xff", "image/png"), File(b"123", "application/pdf", "a.pdf")]


def holds(data: Any, wanted: Any) -> bool:
    """Whether some part of the data is what is wanted."""
    if data == wanted:
        return True
    inner = data.values() if isinstance(data, dict) else data if isinstance(data, list) else ()
    return any(holds(one, wanted) for one in inner)


@pytest.mark.requirement("content-providers")
@vendors
def test_a_server_is_sent_each_part_as_its_wire_has_it(vendor: Vendor) -> None:
    turns = [Turn((Call("call_1", "show", {}),)), Turn(text="A page.")]
    messages = [vendor.said("Show it.")]
    wire = Toolset([show]).export(vendor.target)
    options: dict[str, Any] = {"model": "m-test", **vendor.options}
    with Loopback(vendor.wire(), turns) as server, vendor.synchronous(server.url) as client:
        events = [*run_sync(client, messages=messages, tools=wire, **options)]
    assert events
    assert server.refusals == []
    stated = "See:\n[image: image/png, 2 bytes]\n[file a.pdf: application/pdf, 3 bytes]"
    assert holds(server.requests[-1].body, PARTS.get(vendor.target, stated))
