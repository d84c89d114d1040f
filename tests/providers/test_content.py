"""Content goes to each provider as its own parts, and in words if it has none."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import TypeAdapter

from tests.installed import sdk
from toolhaft import ToolCall, Toolset, tool
from toolhaft.content import Audio, Content, File, Image, ResourceLink
from toolhaft.definition.targets import TARGETS

if TYPE_CHECKING:
    from anthropic import types as anthropic
    from google.genai import types as gemini
    from mcp import types as mcp
    from mistralai.client import models as mistral
    from openai.types.responses import response_input_item_param as openai
else:
    anthropic = sdk("anthropic.types")
    gemini = sdk("google.genai.types")
    mcp = sdk("mcp.types")
    mistral = sdk("mistralai.client.models")
    openai = sdk("openai.types.responses.response_input_item_param")

PNG = Image(b"123", "image/png")
TIFF = Image(b"123", "image/tiff")
PDF = File(b"123", "application/pdf", "a.pdf")
TABLE = File(b"a,b", "text/csv")
ZIP = File(b"123", "application/zip")
SOUND = Audio(b"123", "audio/wav")
LINK = ResourceLink("https://example.com/r", "report")
STATED = [
    "[image: image/png, 3 bytes]",
    "[image: image/tiff, 3 bytes]",
    "[file a.pdf: application/pdf, 3 bytes]",
    "[file: text/csv, 3 bytes]",
    "[file: application/zip, 3 bytes]",
    "[audio: audio/wav, 3 bytes]",
    "[link: report, https://example.com/r]",
]
TEXT = "\n".join(["See:", *STATED])
TIFF_TEXT, ZIP_TEXT, SOUND_TEXT, LINK_TEXT = (STATED[place] for place in (1, 4, 5, 6))


PROVIDERS = sorted(target for target in TARGETS if not target.startswith(("draft", "openapi")))


@tool
def show() -> list[Content]:
    "Show everything."
    return ["See:", PNG, TIFF, PDF, TABLE, ZIP, SOUND, LINK]


@tool(max_result_chars=100)
def cut() -> list[Content]:
    "Show a long text."
    return ["a " * 100, PNG]


def result(target: str, name: str = "show") -> Any:
    wire = Toolset([show, cut]).export(target)
    return wire.result(wire.call_sync(ToolCall("call:1", name, {})))


@pytest.mark.requirement("content-providers")
def test_anthropic_is_shown_images_and_documents() -> None:
    made = result("anthropic")
    TypeAdapter(anthropic.ToolResultBlockParam).validate_python(made)
    pdf = {"type": "base64", "media_type": "application/pdf", "data": "MTIz"}
    table = {"type": "text", "media_type": "text/plain", "data": "a,b"}
    png = {"type": "base64", "media_type": "image/png", "data": "MTIz"}
    assert made["content"] == [
        {"type": "text", "text": "See:"},
        {"type": "image", "source": png},
        {"type": "text", "text": TIFF_TEXT},
        {"type": "document", "source": pdf, "title": "a.pdf"},
        {"type": "document", "source": table},
        {"type": "text", "text": ZIP_TEXT},
        {"type": "text", "text": SOUND_TEXT},
        {"type": "text", "text": LINK_TEXT},
    ]


@pytest.mark.requirement("content-providers")
def test_openai_is_shown_images_and_files() -> None:
    made = result("openai")
    TypeAdapter(openai.FunctionCallOutput).validate_python(made)
    assert made["output"] == [
        {"type": "input_text", "text": "See:"},
        {"type": "input_image", "image_url": "data:image/png;base64,MTIz", "detail": "auto"},
        {"type": "input_text", "text": TIFF_TEXT},
        {
            "type": "input_file",
            "filename": "a.pdf",
            "file_data": "data:application/pdf;base64,MTIz",
        },
        {"type": "input_file", "filename": "file.txt", "file_data": "data:text/csv;base64,YSxi"},
        {"type": "input_text", "text": ZIP_TEXT},
        {"type": "input_text", "text": SOUND_TEXT},
        {"type": "input_text", "text": LINK_TEXT},
    ]


@pytest.mark.requirement("content-providers")
@pytest.mark.parametrize("target", ["gemini", "gemini-openapi"])
def test_gemini_is_shown_parts_beside_the_text(target: str) -> None:
    made = result(target)
    read = gemini.Part.model_validate(made)
    assert made["functionResponse"]["response"] == {"output": TEXT}
    assert made["functionResponse"]["parts"] == [
        {"inlineData": {"mimeType": "image/png", "data": "MTIz"}},
        {"inlineData": {"mimeType": "application/pdf", "data": "MTIz"}},
    ]
    assert read.function_response is not None
    assert read.function_response.parts is not None
    [first, _] = read.function_response.parts
    assert first.inline_data is not None
    assert first.inline_data.data == b"123"


@pytest.mark.requirement("content-providers")
def test_bedrock_is_shown_images_and_documents_under_neutral_names() -> None:
    made = result("bedrock")
    model = sdk("botocore.session").get_session().get_service_model("bedrock-runtime")
    validator = sdk("botocore.validate").ParamValidator()
    report = validator.validate(made, model.shape_for("ContentBlock"))
    assert report.generate_report() == ""
    assert made["toolResult"]["content"] == [
        {"text": "See:"},
        {"image": {"format": "png", "source": {"bytes": b"123"}}},
        {"text": TIFF_TEXT},
        {
            "document": {
                "format": "pdf",
                "name": "document 3 of call-1",
                "source": {"bytes": b"123"},
            }
        },
        {
            "document": {
                "format": "csv",
                "name": "document 4 of call-1",
                "source": {"bytes": b"a,b"},
            }
        },
        {"text": ZIP_TEXT},
        {"text": SOUND_TEXT},
        {"text": LINK_TEXT},
    ]


@pytest.mark.requirement("content-providers")
@pytest.mark.parametrize("target", ["mcp", "mcp-2025-11-25"])
def test_mcp_carries_everything(target: str) -> None:
    made = result(target)
    read = mcp.CallToolResult.model_validate(made)
    kinds = ["text", "image", "image", "resource", "resource", "resource", "audio"]
    assert [one.type for one in read.content] == [*kinds, "resource_link"]
    assert "structuredContent" not in made


@pytest.mark.requirement("content-providers")
def test_mistral_is_shown_images() -> None:
    made = result("mistral")
    mistral.ToolMessage.model_validate(made)
    image = {"type": "image_url", "image_url": "data:image/png;base64,MTIz"}
    words = [{"type": "text", "text": one} for one in STATED[1:]]
    assert made["content"] == [{"type": "text", "text": "See:"}, image, *words]


@pytest.mark.requirement("content-providers")
def test_ollama_is_shown_images_beside_the_text() -> None:
    made = result("ollama")
    [sent] = sdk("ollama._client")._copy_messages([made])  # as its client reads messages
    assert (made["content"], made["images"]) == (TEXT, ["MTIz"])
    assert sent.model_dump()["images"] == ["MTIz"]


@pytest.mark.requirement("content-providers")
@pytest.mark.parametrize("target", ["openai-chat", "xai", "cohere"])
def test_what_takes_text_only_reads_what_there_would_be(target: str) -> None:
    assert result(target)["content"] == TEXT


@pytest.mark.parametrize("target", PROVIDERS)
def test_texts_among_parts_are_cut_for_every_target(target: str) -> None:
    made = result(target, "cut")
    assert "… (200 characters in all)" in json.dumps(made, ensure_ascii=False, default=repr)
    assert "a " * 50 not in json.dumps(made, default=repr)
