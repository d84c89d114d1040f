"""The body of a request: JSON, a form, a multipart form, text or bytes."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Callable, Iterator, Mapping
from secrets import token_hex
from typing import Any, Final, NamedTuple
from urllib.parse import quote_plus

from toolhaft.imports.openapi.document import Document, Refused
from toolhaft.imports.openapi.parameters import Parameter
from toolhaft.imports.openapi.styles import Unsendable, scalar_text, write_json, write_query

__all__ = ["Body", "is_json", "read_body", "write_body"]

JSON: Final = re.compile(r"application/(?:json|[a-z0-9.+_-]+\+json)")
FORM: Final = "application/x-www-form-urlencoded"
MULTIPART: Final = "multipart/form-data"
BYTES: Final = "application/octet-stream"
BASE64: Final = {"type": "string", "contentEncoding": "base64"}
MEDIA_TYPE: Final = re.compile(r"[a-z0-9!#$&^_.+-]+/[a-z0-9!#$&^_.+-]+( *; *[a-z0-9-]+=[\w.+-]+)*")


class Field(NamedTuple):
    """How one property of a form is written."""

    media_type: str | None = None
    style: Parameter | None = None
    is_bytes: bool = False


class Body(NamedTuple):
    """The body of an operation: what the model sends, and as what it goes out."""

    media_type: str
    schema: Any
    required: bool
    description: str
    fields: Mapping[str, Field]


def is_json(media_type: str) -> bool:
    """Whether a media type is JSON, by its name or its suffix (RFC 6839, 3.1)."""
    return JSON.fullmatch(media_type.partition(";")[0].strip().lower()) is not None


def read_body(document: Document, node: Any) -> Body | None:
    """Read how an operation takes its body; JSON is preferred.

    Raises:
        Refused: No media type of it can be written.
    """
    if node is None:
        return None
    request = document.follow(node, "requestBody")
    content = request.get("content")
    if not isinstance(content, Mapping) or not content:
        return None
    by_type = {str(name).strip().lower(): media for name, media in content.items()}
    media_type = min(by_type, key=_rank)
    if _rank(media_type) == UNKNOWN:
        shown = ", ".join(list(by_type)[:3])
        raise Refused("requestBody", f"a body of {shown}", "offer JSON, a form, text or bytes")
    media = document.follow(by_type[media_type], f"requestBody/content/{media_type}")
    schema = media.get("schema", {})
    fields: dict[str, Field] = {}
    if media_type in (FORM, MULTIPART):
        fields = _read_fields(document, schema, media.get("encoding"), media_type)
        schema = _with_base64(document, schema, fields)
    elif not is_json(media_type):
        schema = {"type": "string"} if media_type.startswith("text/") else BASE64
    description = str(request.get("description") or "")
    return Body(media_type, schema, request.get("required") is True, description, fields)


UNKNOWN: Final = 9
# What means nothing to who reads only objects stands after what does.
RANKS: Final = {
    "application/json": 0, "*/*": 0, "application/*": 0, "application/json-patch+json": 2,
    FORM: 3, MULTIPART: 4, BYTES: 6,
}  # fmt: skip


def _rank(media_type: str) -> int:
    """Order media types by how well they are written; `UNKNOWN` are those that are not."""
    name = media_type.partition(";")[0].strip()
    if name in RANKS:
        return RANKS[name]
    if is_json(name):
        return 1
    if name.startswith("text/"):
        return 5
    return 7 if MEDIA_TYPE.fullmatch(name) and not name.endswith("xml") else UNKNOWN


# ------------------------------------------------------------------------------------------- fields


def _read_fields(
    document: Document, schema: Any, encoding: Any, media_type: str
) -> dict[str, Field]:
    properties = _properties_of(document, schema)
    encodings = encoding if isinstance(encoding, Mapping) else {}
    return {
        name: _read_field(document, name, sub, encodings.get(name), media_type)
        for name, sub in properties.items()
    }


def _properties_of(document: Document, schema: Any) -> dict[str, Any]:
    """Give the properties of an object, those of what it combines by `allOf` too."""
    node = document.follow(schema, "requestBody/schema") if isinstance(schema, Mapping) else {}
    properties: dict[str, Any] = {}
    parts = node.get("allOf")
    for part in parts if isinstance(parts, list) else ():
        properties |= _properties_of(document, part)
    own = node.get("properties")
    return properties | (dict(own) if isinstance(own, Mapping) else {})


def _read_field(
    document: Document, name: str, schema: Any, encoding: Any, media_type: str
) -> Field:
    node = encoding if isinstance(encoding, Mapping) else {}
    if {"style", "explode", "allowReserved"} & node.keys():
        style = str(node.get("style", "form"))
        if style not in ("form", "spaceDelimited", "pipeDelimited", "deepObject"):
            raise Refused("requestBody/encoding", "a style that a form does not have", "correct it")
        explode = node.get("explode", style == "form") is True
        return Field(style=Parameter(name, "query", style, explode, required=False, schema={}))
    declared = node.get("contentType")
    content_type = declared.split(",")[0].strip().lower() if isinstance(declared, str) else None
    if content_type is not None and not MEDIA_TYPE.fullmatch(content_type):
        content_type = None
    is_bytes = media_type == MULTIPART and _is_binary(document, schema)
    return Field(content_type, is_bytes=is_bytes)


def _is_binary(document: Document, schema: Any) -> bool:
    """Whether a property holds bytes: in the words of 3.0, or of 3.1."""
    if not isinstance(schema, Mapping):
        return False
    node = document.follow(schema, "requestBody/schema")
    items = node.get("items")
    if node.get("type") == "array" and isinstance(items, Mapping):
        return _is_binary(document, items)
    return node.get("format") == "binary" or (
        "contentMediaType" in node
        and node.get("contentEncoding") is None
        and not is_json(str(node["contentMediaType"]))
    )


def _with_base64(document: Document, schema: Any, fields: Mapping[str, Field]) -> Any:
    """Say that bytes are sent to us as base64, which is decoded before they go out."""
    binary = [name for name, field in fields.items() if field.is_bytes]
    if not binary:
        return schema
    node = dict(document.follow(schema, "requestBody/schema"))
    properties = _properties_of(document, schema)
    changed = {name: _base64_schema(document, properties[name]) for name in binary}
    own = node.get("properties")
    return {**node, "properties": {**(own if isinstance(own, Mapping) else {}), **changed}}


def _base64_schema(document: Document, schema: Any) -> dict[str, Any]:
    node = document.follow(schema, "requestBody/schema")
    described = {word: node[word] for word in ("title", "description", "nullable") if word in node}
    if node.get("type") == "array":
        return {**described, "type": "array", "items": BASE64}
    return {**described, **BASE64}


# ------------------------------------------------------------------------------------------ writing


def write_body(body: Body, value: Any) -> tuple[str, bytes]:
    """Write a body; give its content type and its bytes.

    Raises:
        Unsendable: A value cannot be written so that it is read back as the same.
    """
    name = body.media_type.partition(";")[0].strip()
    if name == FORM:
        pairs = [pair for key, item in _items_of(value) for pair in _form_pairs(body, key, item)]
        return FORM, "&".join(f"{key}={text}" for key, text in pairs).encode()
    if name == MULTIPART:
        return _write_multipart(body, value)
    if is_json(name) or "*" in name:
        media_type = "application/json" if "*" in name else body.media_type
        return media_type, write_json(value).encode()
    if name.startswith("text/"):
        return f"{name}; charset=utf-8", scalar_text(value).encode()
    return name, _decode_base64(value, ())


def _items_of(value: Any) -> Iterator[tuple[str, Any]]:
    if not isinstance(value, dict):
        raise Unsendable("a form is an object")
    yield from value.items()


def _form_pairs(body: Body, key: str, value: Any) -> list[tuple[str, str]]:
    """Write one property of a form: by its style, or by its content type (3.1.1, 4.8.15.1)."""
    field = body.fields.get(key, Field())
    style = field.style
    if style is not None:
        return _located(key, lambda: write_query(style, value))
    return [
        (quote_plus(key), quote_plus(text))
        for _, text in _located(key, lambda: list(_texts_of_field(field, value)))
    ]


def _located(key: str, write: Callable[[], list[Any]]) -> list[Any]:
    try:
        return write()
    except Unsendable as error:
        raise Unsendable(error.message, (key, *error.path)) from None


def _texts_of_field(field: Field, value: Any) -> Iterator[tuple[str, str]]:
    """Give the content type and the text of each value: several for a list."""
    if isinstance(value, list) and not (field.media_type and is_json(field.media_type)):
        if not value:
            raise Unsendable("an empty list cannot be sent here; leave it out")
        for place, item in enumerate(value):
            yield _text_of_field(field, item, (place,))
    else:
        yield _text_of_field(field, value, ())


def _text_of_field(field: Field, value: Any, path: tuple[int, ...]) -> tuple[str, str]:
    if isinstance(value, dict | list) or (field.media_type and is_json(field.media_type)):
        return field.media_type or "application/json", write_json(value)
    return field.media_type or "text/plain; charset=utf-8", scalar_text(value, path)


def _write_multipart(body: Body, value: Any) -> tuple[str, bytes]:
    parts = [
        part
        for key, item in _items_of(value)
        for part in _located(key, lambda key=key, item=item: list(_parts_of(body, key, item)))  # type: ignore[misc]
    ]
    boundary = token_hex(16)  # which no content holds but by a chance of 2^-128
    lines = [b"--%s\r\n%s\r\n" % (boundary.encode(), part) for part in parts]
    content = b"".join(lines) + b"--%s--\r\n" % boundary.encode()
    return f"{MULTIPART}; boundary={boundary}", content


def _parts_of(body: Body, key: str, value: Any) -> Iterator[bytes]:
    field = body.fields.get(key, Field())
    if field.is_bytes:
        for place, item in enumerate(value if isinstance(value, list) else [value]):
            media_type = (
                field.media_type if field.media_type and "*" not in field.media_type else BYTES
            )
            path = (place,) if isinstance(value, list) else ()
            yield _part(key, media_type, _decode_base64(item, path), is_file=True)
        return
    for media_type, text in _texts_of_field(field, value):
        yield _part(key, media_type, text.encode(), is_file=False)


def _part(name: str, media_type: str, content: bytes, *, is_file: bool) -> bytes:
    # HTML, "multipart/form-data encoding algorithm": these three and no others are escaped.
    escaped = name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
    file = f'; filename="{escaped}"' if is_file else ""
    head = f'Content-Disposition: form-data; name="{escaped}"{file}\r\nContent-Type: {media_type}'
    return head.encode() + b"\r\n\r\n" + content


def _decode_base64(value: Any, path: tuple[int, ...]) -> bytes:
    try:
        return b64decode(scalar_text(value, path), validate=True)
    except ValueError:
        raise Unsendable("expected base64 text", path) from None
