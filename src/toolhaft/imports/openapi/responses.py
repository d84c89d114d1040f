"""Read a response: its result, or an error that a model may read."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, Final, NamedTuple

from toolhaft.call.invalid import ForeignFailure, ForeignOutputInvalid
from toolhaft.content import MEDIA_TYPE, File, Image
from toolhaft.definition import names
from toolhaft.errors import ToolError
from toolhaft.imports.openapi.document import Document
from toolhaft.imports.openapi.media_types import is_json
from toolhaft.imports.openapi.outputs import Declared
from toolhaft.imports.openapi.write_only import drop_write_only
from toolhaft.jsonio import jsontext
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
