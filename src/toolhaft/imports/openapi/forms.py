"""Forms: how each property is written, by its encoding (3.1.1, 4.8.14 and 4.8.15)."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Callable, Iterable, Iterator, Mapping
from secrets import token_hex
from typing import Any, Final, NamedTuple
from urllib.parse import quote_plus

from toolhaft.imports.openapi.document import Document, Refused, as_object
from toolhaft.imports.openapi.media_types import BYTES, MULTIPART, is_json, is_media_type
from toolhaft.imports.openapi.parameters import Parameter
from toolhaft.imports.openapi.parts import parts_of
from toolhaft.imports.openapi.sent_names import TAKEN, Source, find_clashes
from toolhaft.imports.openapi.styles import (
    Pairs,
    Unsendable,
    join_pairs,
    scalar_text,
    write_json,
    write_query,
)
from toolhaft.spec import Path

__all__ = ["BASE64", "Field", "decode_base64", "form_sources", "read_fields", "with_base64"]
__all__ += ["write_form", "write_multipart"]

DESCRIBING: Final = ("title", "description", "nullable")
# In the name of a part: a backslash, with which some servers escape, and so would lose the quote
# that follows; controls; and what HTML writes for the three characters that it escapes ("multipart/
# form-data encoding algorithm"), so that no two names are written alike.
UNSENDABLE: Final = re.compile(r"\\|%(?:22|0[AaDd])|[\x00-\x09\x0b\x0c\x0e-\x1f\x7f]")
BASE64: Final = {"type": "string", "contentEncoding": "base64"}


class Field(NamedTuple):
    """How one property of a form is written."""

    media_type: str | None = None
    style: Parameter | None = None
    is_bytes: bool = False


def read_fields(
    document: Document, schema: Any, encoding: Any, media_type: str
) -> dict[str, Field]:
    """Read how each property of a form is written.

    Raises:
        Refused: A style that a form does not have.
    """
    properties = _properties_of(document, schema)
    encodings = as_object(encoding)
    return {
        name: _read_field(document, name, sub, encodings.get(name), media_type)
        for name, sub in properties.items()
    }


def _properties_of(document: Document, schema: Any) -> dict[str, Any]:
    """Return the properties of an object, with the properties that it combines by `allOf`."""
    parts = parts_of(document, [schema], in_any_case=False)
    own = [as_object(part.get("properties")) for part in parts]
    return {name: sub for properties in reversed(own) for name, sub in properties.items()}


def _read_field(
    document: Document, name: str, schema: Any, encoding: Any, media_type: str
) -> Field:
    node = as_object(encoding)
    if {"style", "explode", "allowReserved"} & node.keys():
        style = str(node.get("style", "form"))
        if style not in ("form", "spaceDelimited", "pipeDelimited", "deepObject"):
            raise Refused("requestBody/encoding", "a style that a form does not have", "correct it")
        explode = node.get("explode", style == "form") is True
        return Field(style=Parameter(name, "query", style, explode, required=False, schema={}))
    declared = node.get("contentType")
    first = declared.partition(",")[0].strip().lower() if isinstance(declared, str) else ""
    content_type = first if is_media_type(first) and "*" not in first else None
    is_bytes = media_type == MULTIPART and _is_binary(document, schema)
    return Field(content_type, is_bytes=is_bytes)


def _is_binary(document: Document, schema: Any) -> bool:
    """Whether a property holds bytes, or a list of them: in the words of 3.0, or of 3.1."""
    node = document.follow(schema, "requestBody/schema") if isinstance(schema, Mapping) else {}
    if node.get("type") == "array" and isinstance(node.get("items"), Mapping):
        node = document.follow(node["items"], "requestBody/schema")
    if node.get("format") == "binary":
        return True
    kind = node.get("contentMediaType")
    return kind is not None and node.get("contentEncoding") is None and not is_json(str(kind))


def with_base64(document: Document, schema: Any, fields: Mapping[str, Field]) -> Any:
    """Change the schema of bytes to base64 text, which is decoded before it is sent."""
    binary = [name for name, field in fields.items() if field.is_bytes]
    if not binary:
        return schema
    node = dict(document.follow(schema, "requestBody/schema"))
    properties = _properties_of(document, schema)
    changed = {name: _base64_schema(document, properties[name]) for name in binary}
    return {**node, "properties": {**as_object(node.get("properties")), **changed}}


def _base64_schema(document: Document, schema: Any) -> dict[str, Any]:
    node = document.follow(schema, "requestBody/schema")
    described = {word: node[word] for word in DESCRIBING if word in node}
    parts = parts_of(document, [schema], in_any_case=True)
    if any(part.get("readOnly") is True for part in parts):
        return {**described, "readOnly": True}
    if node.get("type") == "array":
        return {**described, "type": "array", "items": BASE64}
    return {**described, **BASE64}


# ------------------------------------------------------------------------------------------ writing


def write_form(fields: Mapping[str, Field], value: Any) -> bytes:
    """Write a form as a query is written.

    Raises:
        Unsendable: as `write_body` says.
    """
    sources = form_sources(fields, value)
    _refuse_clashes(sources, fields)
    return join_pairs([pair for source in sources for pair in source.pairs]).encode()


def form_sources(fields: Mapping[str, Field], value: Any) -> list[Source]:
    """Write each property of a form.

    Raises:
        Unsendable: as `write_body` says.
    """
    return [_write_source(key, fields, item) for key, item in _items_of(value)]


def _write_source(key: str, fields: Mapping[str, Field], value: Any) -> Source:
    field = fields.get(key, Field())
    is_deep = field.style is not None and field.style.style == "deepObject"
    return Source((key,), key, _form_pairs(field, key, value), key in fields, is_deep)


def _refuse_clashes(sources: Iterable[Source], fields: Mapping[str, Field]) -> None:
    owned: dict[str, Path] = {name: (name,) for name in fields}
    for path in find_clashes(sources, owned):
        raise Unsendable(TAKEN, path)


def _items_of(value: Any) -> Iterator[tuple[str, Any]]:
    if not isinstance(value, dict):
        raise Unsendable("a form is an object")
    yield from value.items()


def _form_pairs(field: Field, key: str, value: Any) -> Pairs:
    """Write one property of a form: by its style, or by its content type (3.1.1, 4.8.15.1)."""
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
    """Yield the content type and the text of each value: several for a list."""
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


def write_multipart(fields: Mapping[str, Field], value: Any) -> tuple[str, bytes]:
    """Write a form in parts; return its content type, and its bytes.

    Raises:
        Unsendable: like `write_body`.
    """
    items = list(_items_of(value))
    _refuse_clashes(
        (Source((key,), key, [(quote_plus(key), None)], key in fields) for key, _ in items), fields
    )
    parts = [part for key, item in items for part in _parts_of(fields.get(key, Field()), key, item)]
    boundary = token_hex(16)  # content has it with a probability of 2^-128
    lines = [b"--%s\r\n%s\r\n" % (boundary.encode(), part) for part in parts]
    content = b"".join(lines) + b"--%s--\r\n" % boundary.encode()
    return f"{MULTIPART}; boundary={boundary}", content


def _parts_of(field: Field, key: str, value: Any) -> list[bytes]:
    if not field.is_bytes:
        texts = _located(key, lambda: list(_texts_of_field(field, value)))
        return [_part(key, kind, text.encode(), is_file=False) for kind, text in texts]
    files = _located(key, lambda: list(_files_of(value)))
    return [_part(key, field.media_type or BYTES, content, is_file=True) for content in files]


def _files_of(value: Any) -> Iterator[bytes]:
    if isinstance(value, list):
        yield from (decode_base64(item, (place,)) for place, item in enumerate(value))
    else:
        yield decode_base64(value)


def _part(name: str, media_type: str, content: bytes, *, is_file: bool) -> bytes:
    if UNSENDABLE.search(name):
        reason = "a key with a backslash, a control character, %22, %0A or %0D cannot be sent here"
        raise Unsendable(reason, (name,))
    escaped = name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
    file = f'; filename="{escaped}"' if is_file else ""
    head = f'Content-Disposition: form-data; name="{escaped}"{file}\r\nContent-Type: {media_type}'
    return head.encode() + b"\r\n\r\n" + content


def decode_base64(value: Any, path: tuple[int, ...] = ()) -> bytes:
    """Return the bytes of base64 text.

    Raises:
        Unsendable: It is not base64.
    """
    try:
        return b64decode(scalar_text(value, path), validate=True)
    except ValueError:
        raise Unsendable("expected base64 text", path) from None
