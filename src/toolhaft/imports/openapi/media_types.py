"""The media types of bodies: which are JSON, and in which order they are preferred."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["BYTES", "FORM", "MULTIPART", "UNKNOWN", "is_json", "is_media_type", "name_of"]
__all__ += ["rank"]

JSON: Final = "application/json"
FORM: Final = "application/x-www-form-urlencoded"
MULTIPART: Final = "multipart/form-data"
BYTES: Final = "application/octet-stream"
# RFC 9110, 8.3.1, with parameters that need no quotes.
MEDIA_TYPE: Final = re.compile(
    r"[a-z0-9!#$&^_.+*-]+/[a-z0-9!#$&^_.+*-]+( *; *[a-z0-9-]+=[\w.+-]+)*"
)
# JSON Patch is a list of changes, no object: it comes after other kinds of JSON.
RANKS: Final = {JSON: 0, "application/json-patch+json": 2, FORM: 3, MULTIPART: 4, BYTES: 6}
OTHER_JSON: Final = 1
TEXT: Final = 5
OTHER_BYTES: Final = 7
UNKNOWN: Final = 9


def name_of(media_type: str) -> str:
    """Return a media type without its parameters; JSON if any will do."""
    name = media_type.partition(";")[0].strip().lower()
    return JSON if name in ("*/*", "application/*") else name


def is_json(media_type: str) -> bool:
    """Whether a media type is JSON, by its name or its suffix (RFC 6839, 3.1).

    >>> is_json("application/problem+json; charset=utf-8"), is_json("text/html")
    (True, False)
    """
    name = name_of(media_type)
    is_suffixed = name.startswith("application/") and name.endswith("+json")
    return is_suffixed or name in (JSON, "text/json")


def is_media_type(text: str) -> bool:
    """Whether a text is a media type that can stand in a header."""
    return MEDIA_TYPE.fullmatch(text) is not None


def rank(media_type: str) -> int:
    """Return the preference of a media type, lowest first; `UNKNOWN` if it cannot be written."""
    name = name_of(media_type)
    if not is_media_type(media_type) or name.endswith("xml"):
        return UNKNOWN
    if name in RANKS:
        return RANKS[name]
    if is_json(name):
        return OTHER_JSON
    return TEXT if name.startswith("text/") else OTHER_BYTES
