"""A result that is content: parts to show the model beside text, and their description."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from toolhaft.call.shorten import share_room, shorten
from toolhaft.definition import names

if TYPE_CHECKING:
    from toolhaft.content import Content

__all__ = ["ContentParts", "describe_part"]


class ContentParts:
    """Checked content, in order: texts and parts for a provider to write."""

    __slots__ = ("items",)

    def __init__(self, items: Iterable[Content]) -> None:
        self.items: tuple[Content, ...] = tuple(items)

    @property
    def json(self) -> list[dict[str, Any]]:
        """The parts as JSON data, as MCP writes them."""
        from toolhaft.content import block

        return [block(part) for part in self.items]

    def text(self, limit: int | None) -> str:
        """Write the texts and a description of each other part, a line each, within `limit`."""
        if limit is not None:
            lines = len(self.items) - 1
            limit -= lines + sum(
                len(describe_part(part)) for part in self.items if type(part) is not str
            )
        return "\n".join(map(describe_part, self.cut_to(limit)))

    def cut_to(self, limit: int | None) -> tuple[Content, ...]:
        """Return the parts with their texts cut to `limit` characters altogether."""
        if limit is None:
            return self.items
        sizes = [len(part) if isinstance(part, str) else 0 for part in self.items]
        return tuple(
            shorten(part, share) if isinstance(part, str) else part
            for part, share in zip(self.items, share_room(sizes, limit), strict=True)
        )


def describe_part(part: Content) -> str:
    """Describe a part that cannot be shown, or return a text as it is.

    >>> from toolhaft.content import Image
    >>> describe_part(Image(b"not really", "image/png"))
    '[image: image/png, 10 bytes]'
    """
    if isinstance(part, str):
        return part
    from toolhaft.content import ResourceLink

    if isinstance(part, ResourceLink):
        fields = (part.name, part.uri, part.description)
        return f"[link: {', '.join(names.escape_text(word, 500) for word in fields if word)}]"
    name = getattr(part, "name", None)
    suffix = f" {names.escape_text(name)}" if name else ""
    return f"[{type(part).__name__.lower()}{suffix}: {part.media_type}, {len(part.data)} bytes]"
