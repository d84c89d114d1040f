"""The body of a request: JSON, a form, a multipart form, text or bytes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from toolhaft.definition import names
from toolhaft.imports.openapi.document import Document, Refused, as_object
from toolhaft.imports.openapi.forms import (
    BASE64,
    Field,
    decode_base64,
    read_fields,
    with_base64,
    write_form,
    write_multipart,
)
from toolhaft.imports.openapi.media_types import FORM, MULTIPART, UNKNOWN, is_json, name_of, rank
from toolhaft.imports.openapi.styles import scalar_text, write_json

__all__ = ["Body", "read_body", "write_body"]


class Body(NamedTuple):
    """The body of an operation: the schema of the argument, and how it is written."""

    media_type: str
    schema: Any
    required: bool
    description: str
    fields: Mapping[str, Field]


def read_body(document: Document, node: Any) -> Body | None:
    """Read how an operation takes its body; JSON is preferred.

    Raises:
        Refused: No media type of it can be written.
    """
    if node is None:
        return None
    request = document.follow(node, "requestBody")
    content = as_object(request.get("content"))
    if not content:
        return None
    by_type = {str(name).strip().lower(): media for name, media in content.items()}
    media_type = min(by_type, key=rank)
    if rank(media_type) == UNKNOWN:
        shown = names.escape_text(", ".join(list(by_type)[:3]), 120)
        raise Refused("requestBody", f"a body of {shown}", "offer JSON, a form, text or bytes")
    media = document.follow(by_type[media_type], "requestBody/content")
    schema = media.get("schema", {})
    fields: dict[str, Field] = {}
    if name_of(media_type) in (FORM, MULTIPART):
        fields = read_fields(document, schema, media.get("encoding"), name_of(media_type))
        schema = with_base64(document, schema, fields)
    elif not is_json(media_type):
        schema = {"type": "string"} if media_type.startswith("text/") else BASE64
    description = str(request.get("description") or "")
    return Body(media_type, schema, request.get("required") is True, description, fields)


def write_body(body: Body, value: Any) -> tuple[str, bytes]:
    """Write a body; return its content type and its bytes.

    Raises:
        Unsendable: A value cannot be written so that it is read back as the same.
    """
    name = name_of(body.media_type)
    if name == FORM:
        return FORM, write_form(body.fields, value)
    if name == MULTIPART:
        return write_multipart(body.fields, value)
    if is_json(name):
        media_type = name if "*" in body.media_type else body.media_type
        return media_type, write_json(value).encode()
    if name.startswith("text/"):
        return f"{name}; charset=utf-8", scalar_text(value).encode()
    return body.media_type, decode_base64(value)
