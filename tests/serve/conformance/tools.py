"""What the conformance suite of MCP calls, reads and asks for, with the names that it wants."""

from __future__ import annotations

import base64
from typing import Any, Final

from toolhaft import File, Image, Report, ToolError, Toolset, tool
from toolhaft.content import Audio
from toolhaft.serve import prompt, resource

# A PNG of one pixel, and a WAV without samples.
PNG: Final = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
WAV: Final = (
    b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x80\x3e\0\0\x02\0\x10\0data\0\0\0\0"
)
RESOURCE: Final = "test://embedded-resource"
SCHEMA: Final[dict[str, Any]] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}
HEADER: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"region": {"type": "string", "x-mcp-header": "Region"}},
    "required": ["region"],
}


@tool
def test_simple_text() -> str:
    """Return a text."""
    return "This is a simple text response for testing."


@tool
def test_image_content() -> Image:
    """Return an image."""
    return Image(PNG, "image/png")


@tool
def test_audio_content() -> Audio:
    """Return a sound."""
    return Audio(WAV, "audio/wav")


@tool
def test_embedded_resource() -> File:
    """Return a resource."""
    return File(b"This is an embedded resource content.", "text/plain", uri=RESOURCE)


@tool
def test_multiple_content_types() -> Any:
    """Return a text, an image and a resource."""
    resource = File(b'{"test":"data"}', "application/json", uri="test://mixed-content-resource")
    return ["Multiple content types test:", Image(PNG, "image/png"), resource]


@tool
def test_error_handling() -> str:
    """Fail in words."""
    raise ToolError("This tool intentionally returns an error for testing")


@tool
def test_tool_with_progress(report: Report) -> str:
    """Report progress."""
    for done in (0, 50, 100):
        report(done, 100, f"Completed step {done} of 100")
    return "done"


@resource("test://static-text", mime_type="text/plain")
def static_text() -> str:
    """A text."""
    return "This is the content of the static text resource."


@resource("test://static-binary", mime_type="image/png")
def static_binary() -> Image:
    """An image."""
    return Image(PNG, "image/png")


@resource("test://template/{id}/data", mime_type="application/json")
def template_data(id: str) -> dict[str, Any]:
    """The data of an id."""
    return {"id": id, "templateTest": True, "data": f"Data for ID: {id}"}


@prompt()
def test_simple_prompt() -> str:
    """A prompt without arguments."""
    return "This is a simple prompt for testing."


@prompt()
def test_prompt_with_arguments(arg1: str, arg2: str) -> str:
    """A prompt with arguments."""
    return f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"


@prompt()
def test_prompt_with_embedded_resource(resourceUri: str) -> list[Any]:  # noqa: N803  the suite's
    """A prompt with a resource."""
    content = b"Embedded resource content for testing."
    resource = File(content, "text/plain", uri=resourceUri)
    return [resource, "Please process the embedded resource above."]


@prompt()
def test_prompt_with_image() -> list[Any]:
    """A prompt with an image."""
    return [Image(PNG, "image/png"), "Please analyze the image above."]


json_schema_2020_12_tool = tool(
    lambda arguments: arguments,
    name="json_schema_2020_12_tool",
    description="Has keywords of 2020-12.",
    input=SCHEMA,
)
test_custom_header = tool(
    lambda arguments: f"region {arguments['region']}",
    name="test_custom_header",
    description="Has an argument that is a header too.",
    input=HEADER,
)
tools = Toolset(
    [
        test_simple_text,
        test_image_content,
        test_audio_content,
        test_embedded_resource,
        test_multiple_content_types,
        test_error_handling,
        test_tool_with_progress,
        json_schema_2020_12_tool,
        test_custom_header,
    ]
)
