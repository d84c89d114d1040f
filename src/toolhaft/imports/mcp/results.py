"""Read results of tools: structured content is the value, content is the model's text.

The model reads the content, unless it only repeats the structured content as JSON text, as the
specification asks servers to do for older clients. JSON text that differs is rejected, because the
model and the program would get different results.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable
from typing import Any, Final

from toolhaft.call.parts import describe_part
from toolhaft.content import Audio, Content, File, Image, ResourceLink
from toolhaft.errors import ToolError
from toolhaft.jsonio import jsontext

__all__ = ["SCHEMAS", "InvalidContent", "read_field", "show_content", "to_value"]

# Fields that mcp 2 spells in snake case, and mcp 1 as on the wire.
WIRE: Final = {
    "input_schema": "inputSchema",
    "is_error": "isError",
    "mime_type": "mimeType",
    "next_cursor": "nextCursor",
    "output_schema": "outputSchema",
    "structured_content": "structuredContent",
}
# The fields of a listed tool that may be deeper than pydantic dumps.
SCHEMAS: Final = frozenset({"input_schema", "output_schema", "inputSchema", "outputSchema"})
MAX_DEPTH: Final = 200


def read_field(holder: Any, name: str) -> Any:
    """Return a field by its name in mcp 2.

    >>> from types import SimpleNamespace
    >>> read_field(SimpleNamespace(isError=True), "is_error")
    True
    """
    return getattr(holder, name if hasattr(holder, name) else WIRE[name])


class InvalidContent(Exception):
    """A result is too large, or has content that is not what it says; the text says where."""


class _Structured(dict[str, Any]):
    """Structured content with the content that came beside it."""

    __slots__ = ("content",)

    def __init__(self, data: dict[str, Any], content: str | list[Content]) -> None:
        super().__init__(data)
        self.content = content


def show_content(value: Any) -> Any:
    """Return the content for a model of a value: the tool's `render=`."""
    return value.content if isinstance(value, _Structured) else value


def to_value(result: Any, max_bytes: int) -> Any:
    """Return the value of a `CallToolResult`.

    Raises:
        ToolError: The result is an error, with this message.
        InvalidContent: It is too large, or its content contradicts itself.
    """
    structured = read_field(result, "structured_content")
    if _is_larger([structured, [_texts(block) for block in result.content]], max_bytes):
        raise InvalidContent(f"larger than {max_bytes:,} bytes")
    parts = [_to_part(place, block) for place, block in enumerate(result.content)]
    if read_field(result, "is_error"):
        raise ToolError("\n".join(map(describe_part, parts)))
    content = _join_texts(parts)
    if structured is None:
        return content
    if type(structured) is not dict or content is None:
        return structured
    shown = _read_json(content)
    if _contradicts(content, shown, structured):
        raise InvalidContent("the text of the content contradicts the structured content")
    return structured if shown == structured else _Structured(structured, content)


def _texts(block: Any) -> list[Any]:
    """Return the texts of a content block that may be long."""
    holder = getattr(block, "resource", block)
    fields = ("text", "data", "blob", "description", "name", "uri")
    return [getattr(holder, field, None) for field in fields]


def _is_larger(data: Any, most: int) -> bool:
    """Whether data have more than so many characters; stops counting there."""
    stack, size = [data], 0
    while stack and size <= most:
        value = stack.pop()
        size += len(value) if isinstance(value, str) else 4
        if isinstance(value, dict):
            stack += [*value.keys(), *value.values()]
        elif isinstance(value, list):
            stack += value
    return size > most


def _join_texts(parts: list[Content]) -> str | list[Content] | None:
    """Return content as a handler returns it: texts alone are one text."""
    texts = [part for part in parts if isinstance(part, str)]
    if len(texts) < len(parts):
        return parts
    return "\n".join(texts) if texts else None


def _contradicts(text: Any, shown: Any, structured: dict[str, Any]) -> bool:
    """Whether a text that a model would read is JSON that contradicts the value.

    The SDK wraps what is no object, writes strings as they are, and a list item by item.
    """
    wrapped = structured["result"] if structured.keys() == {"result"} else structured
    is_item = wrapped in (text, [text], [shown])
    return not is_item and any(_differs(shown, value) for value in (structured, wrapped))


def _differs(shown: Any, value: Any) -> bool:
    """Whether two values of one kind differ; objects, under a key that both have."""
    if isinstance(shown, dict) and isinstance(value, dict):
        return any(key in value and item != value[key] for key, item in shown.items())
    return _kind_of(shown) is _kind_of(value) and shown != value


def _kind_of(value: Any) -> type:
    return float if type(value) is int else type(value)


def _read_json(content: str | list[Content]) -> Any:
    """Read content that is JSON text, or return None if it is not."""
    if not isinstance(content, str):
        return None
    try:
        return jsontext.read(content, max_bytes=4 * len(content), max_depth=MAX_DEPTH)
    except jsontext.JsonSyntaxError:
        return None


def _to_part(place: int, block: Any) -> Content:
    try:
        return PARTS[block.type](block)
    except (KeyError, ValueError, TypeError):
        raise InvalidContent(f"content.{place}: not what its type says") from None


def _to_resource(block: Any) -> Content:
    resource = block.resource
    uri, text = str(resource.uri), getattr(resource, "text", None)
    data = b64decode(resource.blob, validate=True) if text is None else text.encode()
    if not data:
        return ResourceLink(uri, uri)
    default = "application/octet-stream" if text is None else "text/plain"
    return File(data, _media_type(resource, default), uri=uri)


def _to_link(block: Any) -> Content:
    uri = str(block.uri)
    media_type = read_field(block, "mime_type")
    return ResourceLink(uri, block.name or uri, block.description, media_type)


def _media_type(holder: Any, default: str = "") -> str:
    """Return a media type without its parameters, which have no place in a provider's part."""
    return str(read_field(holder, "mime_type") or default).partition(";")[0].strip().lower()


PARTS: Final[dict[str, Callable[[Any], Content]]] = {
    "text": lambda block: block.text,
    "image": lambda block: Image(b64decode(block.data, validate=True), _media_type(block)),
    "audio": lambda block: Audio(b64decode(block.data, validate=True), _media_type(block)),
    "resource": _to_resource,
    "resource_link": _to_link,
}
