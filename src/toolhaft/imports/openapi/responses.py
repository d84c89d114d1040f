"""Read a response: its result, or an error that a model may read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from http import HTTPStatus
from typing import Any, Final, NamedTuple

from toolhaft.call.invalid import ForeignFailure, ForeignOutputInvalid
from toolhaft.content import MEDIA_TYPE, File, Image
from toolhaft.definition import names
from toolhaft.errors import ToolError
from toolhaft.imports.openapi.document import Document, Refused, as_object
from toolhaft.imports.openapi.media_types import is_json
from toolhaft.imports.openapi.outputs import Declared
from toolhaft.imports.openapi.parts import parts_of
from toolhaft.jsonio import jsontext
from toolhaft.schema.engine import quick_matcher
from toolhaft.schema.faults import SchemaRefused
from toolhaft.spec import Issue

__all__ = ["Responses"]

MAX_RESULT_BYTES: Final = 64 << 20
MAX_RESULT_DEPTH: Final = 200
MAX_TITLE: Final = 200


class Responses(NamedTuple):
    """The declared responses of an operation."""

    name: str
    declared: Declared
    document: Document

    def read(self, response: Any) -> Any:
        """Return the result of a response.

        Raises:
            ToolError: The server rejected the request, or sends the client elsewhere.
            ForeignFailure: It failed; its account of that stays out of every text.
            ForeignOutputInvalid: Its answer cannot be read.
        """
        status = int(response.status_code)
        if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            raise ForeignFailure(f"the server answered {status}")
        if not HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES:
            raise ToolError(_describe_refusal(status, response))
        result = self._read_content(response)
        schemas = self.declared.schemas
        if schemas and not drop_write_only(self.document, schemas, result):
            raise ForeignOutputInvalid(self.name, [Issue("is for writing only", (), "value")])
        return result

    def _read_content(self, response: Any) -> Any:
        content = bytes(response.content)
        if not content:
            return None
        header = str(response.headers.get("content-type") or "").lower()
        media_type = header.partition(";")[0].strip()
        # Only from JSON can `writeOnly` values be removed, so nothing else is read then.
        if is_json(media_type) or self.declared.has_write_only:
            try:
                return _read_json(content)
            except ValueError as error:
                raise ForeignOutputInvalid(self.name, [Issue(str(error), (), "json")]) from None
        if media_type.startswith("text/") or not media_type:
            return content.decode("utf-8", "replace")
        if not MEDIA_TYPE.fullmatch(media_type):
            media_type = "application/octet-stream"
        return (Image if media_type.startswith("image/") else File)(content, media_type)


def _read_json(content: bytes) -> Any:
    return jsontext.read(content, max_bytes=MAX_RESULT_BYTES, max_depth=MAX_RESULT_DEPTH)


def _describe_refusal(status: int, response: Any) -> str:
    """Return the status in words, and the problem's title if it is one (RFC 9457, 3.1)."""
    try:
        words = f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        words = str(status)
    is_redirect = status < HTTPStatus.BAD_REQUEST
    title = "the service sends the client elsewhere" if is_redirect else _title_of(response)
    return f"{words}: {title}" if title and title not in words else words


def _title_of(response: Any) -> str:
    header = str(response.headers.get("content-type") or "")
    if not is_json(header):
        return ""
    try:
        problem = _read_json(bytes(response.content))
    except ValueError:
        return ""
    title = problem.get("title") if isinstance(problem, dict) else None
    return names.escape_text(title.strip(), MAX_TITLE) if isinstance(title, str) else ""


def drop_write_only(document: Document, schemas: Iterable[Any], data: Any) -> bool:
    """Remove what is `writeOnly` from data; False where that is all of it."""
    places = _Places(document)
    root = places.at(schemas)
    stack = [(root, data)]
    while stack:
        place, value = stack.pop()
        if isinstance(value, dict):
            inner = [(key, places.under_key(place, key)) for key in value]
            for key, sub in inner:
                if sub.is_kept_out:
                    del value[key]
                else:
                    stack.append((sub, value[key]))
        elif isinstance(value, list):
            below = [(places.under_item(place, at), item) for at, item in enumerate(value)]
            kept = [(sub, item) for sub, item in below if not sub.is_kept_out]
            value[:] = [item for _, item in kept]
            stack += kept
    return not root.is_kept_out


class _Place:
    """The schemas of one value, and lazily the places inside of it."""

    def __init__(self, parts: list[Mapping[str, Any]], *, is_kept_out: bool) -> None:
        self.parts = parts
        self.is_kept_out = is_kept_out
        lists = [part.get("prefixItems", part.get("items")) for part in parts]
        self.longest = max((len(each) for each in lists if isinstance(each, list)), default=0)
        self.inner: dict[str | int, _Place] = {}


class _Places:
    """The places of one result; places with the same schemas are shared."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self._known: dict[frozenset[int], _Place] = {}

    def at(self, schemas: Iterable[Any]) -> _Place:
        """Return the place that these schemas describe."""
        nodes = {id(node): node for node in schemas if isinstance(node, Mapping)}
        key = frozenset(nodes)
        if key not in self._known:
            self._known[key] = self._make(nodes.values())
        return self._known[key]

    def _make(self, nodes: Iterable[Any]) -> _Place:
        try:
            parts = parts_of(self.document, nodes, in_any_case=True)
        except Refused:
            return _Place([], is_kept_out=True)
        return _Place(parts, is_kept_out=any(part.get("writeOnly") is True for part in parts))

    def under_key(self, place: _Place, key: str) -> _Place:
        if key not in place.inner:
            place.inner[key] = self.at(sub for part in place.parts for sub in _subs_at(part, key))
        return place.inner[key]

    def under_item(self, place: _Place, at: int) -> _Place:
        at = min(at, place.longest)
        if at not in place.inner:
            place.inner[at] = self.at(sub for part in place.parts for sub in _items_at(part, at))
        return place.inner[at]


def _subs_at(part: Mapping[str, Any], key: str) -> Iterator[Any]:
    """Yield the schemas of a property."""
    properties = as_object(part.get("properties"))
    patterns = as_object(part.get("patternProperties"))
    subs = [properties[key]] if key in properties else []
    subs += [sub for pattern, sub in patterns.items() if _may_match(pattern, key)]
    yield from subs or (part.get("additionalProperties"), part.get("unevaluatedProperties"))


def _may_match(pattern: Any, key: str) -> bool:
    try:
        return quick_matcher(pattern)(key)
    except (SchemaRefused, ValueError, TypeError):  # no engine can decide it
        return True


def _items_at(part: Mapping[str, Any], at: int) -> Iterator[Any]:
    """Yield the schemas of an item."""
    items = part.get("items")
    for listed in (part.get("prefixItems"), items):
        if isinstance(listed, list):
            yield from listed[at : at + 1]
    yield items
    yield from (part.get(word) for word in ("additionalItems", "contains", "unevaluatedItems"))
