"""Content that a tool may show a model beside text and data: images, sound, files, and links.

A handler, or a tool's `render=`, returns one of these, or a list of them and `str`. Each provider
writes its own part for content that it supports; for other content, the model reads a description.
"""

from __future__ import annotations

import re
from base64 import b64encode
from typing import Any, ClassVar, Final, NoReturn, TypeAlias
from urllib.parse import quote

__all__ = ["PARTS", "Audio", "Content", "File", "Image", "Part", "ResourceLink", "block"]

# RFC 6838, 4.2, in lower case; parameters such as a charset have no place in a provider's part.
MEDIA_TYPE: Final = re.compile(r"[a-z0-9][a-z0-9!#$&^_.+-]*/[a-z0-9][a-z0-9!#$&^_.+-]*")


class _Fixed:
    """Fields are set once, when an object is made; those in `__match_args__` decide equality.

    Not a dataclass, because dataclasses are JSON data wherever they occur in a result.
    """

    __slots__ = ()

    def _set(self, **fields: Any) -> None:
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def _fields(self) -> tuple[Any, ...]:
        kind: Any = type(self)
        return tuple([getattr(self, name) for name in kind.__match_args__])

    def __setattr__(self, name: str, value: object) -> NoReturn:
        del value
        raise AttributeError(f"{type(self).__name__}.{name}: cannot be set; make a new one")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"{type(self).__name__}.{name}: cannot be deleted; make a new one")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Fixed) or type(other) is not type(self):
            return NotImplemented
        return self._fields() == other._fields()

    def __hash__(self) -> int:
        return hash((type(self), *self._fields()))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._fields()


class _Media(_Fixed):
    """Bytes and their media type."""

    __slots__ = ("data", "media_type")
    kind: ClassVar[str] = ""
    data: bytes
    media_type: str

    def __init__(self, data: bytes, media_type: str) -> None:
        name = type(self).__name__
        # Base64 text is what most get wrong, and a handler need not be typed.
        if not isinstance(data, bytes | bytearray | memoryview):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f"{name}: data: not bytes; read the file or decode the base64 first")
        if not len(data):
            raise ValueError(f"{name}: data: empty; there is nothing to show")
        if not media_type.startswith(self.kind) or not MEDIA_TYPE.fullmatch(media_type):
            fix = f"write one such as {self.kind or 'text/'}…, in lower case"
            raise ValueError(f"{name}: media_type: not a media type of that kind; {fix}")
        self._set(data=bytes(data), media_type=media_type)

    @property
    def base64(self) -> str:
        """The data as base64 text (RFC 4648, 4)."""
        return b64encode(self.data).decode("ascii")

    @property
    def data_url(self) -> str:
        """The data and its type as a URL (RFC 2397)."""
        return f"data:{self.media_type};base64,{self.base64}"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self.data)} bytes, {self.media_type!r})"


class Image(_Media):
    """An image that the model sees, as the bytes of its file.

    Args:
        data: The bytes of the image file.
        media_type: Its media type, such as `image/png`.

    Raises:
        TypeError: `data` is not bytes.
        ValueError: `data` is empty, or `media_type` is not `image/...`.

    >>> Image(b"not really", "image/png")
    Image(10 bytes, 'image/png')
    """

    __slots__ = ()
    __match_args__ = ("data", "media_type")
    kind: ClassVar[str] = "image/"


class Audio(_Media):
    """A sound that the model hears, as the bytes of its file.

    Args:
        data: The bytes of the sound file.
        media_type: Its media type, such as `audio/mpeg`.

    Raises:
        TypeError: `data` is not bytes.
        ValueError: `data` is empty, or `media_type` is not `audio/...`.

    >>> Audio(b"not really", "audio/mpeg")
    Audio(10 bytes, 'audio/mpeg')
    """

    __slots__ = ()
    __match_args__ = ("data", "media_type")
    kind: ClassVar[str] = "audio/"


class File(_Media):
    """A file that the model reads.

    Args:
        data: The bytes of the file.
        media_type: Its media type, such as `text/csv`.
        name: The name of the file, for targets that show one.
        uri: An address where a client can find the file again.

    Raises:
        TypeError: `data` is not bytes.
        ValueError: `data` is empty, or `media_type` is not a media type.

    >>> File(b"a,b", "text/csv", name="table.csv").text
    'a,b'
    """

    __slots__ = ("name", "uri")
    __match_args__ = ("data", "media_type", "name", "uri")
    name: str | None
    uri: str | None

    def __init__(
        self, data: bytes, media_type: str, name: str | None = None, uri: str | None = None
    ) -> None:
        super().__init__(data, media_type)
        self._set(name=name, uri=uri)

    @property
    def text(self) -> str | None:
        """The data as text if the media type is a text type and the bytes are UTF-8, else None."""
        if not (self.media_type.startswith("text/") or self.media_type == "application/json"):
            return None
        try:
            return self.data.decode("utf-8")
        except UnicodeDecodeError:
            return None


class ResourceLink(_Fixed):
    """A link to something that a client may fetch; toolhaft never fetches it.

    Args:
        uri: The address.
        name: The name that is shown for it.
        description: A sentence about it.
        media_type: Its media type, if you know it.

    Raises:
        ValueError: `uri` or `name` is empty.

    >>> ResourceLink("https://example.com/report", "report")
    ResourceLink('https://example.com/report', 'report')
    """

    __slots__ = ("description", "media_type", "name", "uri")
    __match_args__ = ("uri", "name", "description", "media_type")
    uri: str
    name: str
    description: str | None
    media_type: str | None

    def __init__(
        self, uri: str, name: str, description: str | None = None, media_type: str | None = None
    ) -> None:
        if not (uri and name):
            raise ValueError("ResourceLink: the uri or the name is empty; a link needs both")
        self._set(uri=uri, name=name, description=description, media_type=media_type)

    def __repr__(self) -> str:
        return f"ResourceLink({self.uri!r}, {self.name!r})"


Part: TypeAlias = Image | Audio | File | ResourceLink
Content: TypeAlias = str | Part
PARTS: Final = (Image, Audio, File, ResourceLink)


def block(one: Content) -> dict[str, Any]:
    """Write content as JSON data, in the words of MCP (revisions 2025-11-25 and 2026-07-28).

    >>> block(Image(b"?", "image/png"))
    {'type': 'image', 'data': 'Pw==', 'mimeType': 'image/png'}
    """
    if isinstance(one, str):
        return {"type": "text", "text": one}
    if isinstance(one, ResourceLink):
        said = {"description": one.description, "mimeType": one.media_type}
        known = {key: value for key, value in said.items() if value is not None}
        return {"type": "resource_link", "uri": one.uri, "name": one.name, **known}
    if isinstance(one, File):
        uri = one.uri or f"file:///{quote(one.name or 'file')}"
        body = {"blob": one.base64} if one.text is None else {"text": one.text}
        return {"type": "resource", "resource": {"uri": uri, "mimeType": one.media_type, **body}}
    kind = "image" if isinstance(one, Image) else "audio"
    return {"type": kind, "data": one.base64, "mimeType": one.media_type}
