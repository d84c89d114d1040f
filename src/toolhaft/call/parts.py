"""A result that is content: what the model is shown besides text, and the same in words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from toolhaft.call.shorten import shares, shorten
from toolhaft.definition import names

if TYPE_CHECKING:
    from toolhaft.content import Content

__all__ = ["ContentParts", "stated"]


class ContentParts:
    """Checked content in its order; texts and parts for a provider to write."""

    __slots__ = ("items",)

    def __init__(self, items: Iterable[Content]) -> None:
        self.items: tuple[Content, ...] = tuple(items)

    @property
    def json(self) -> list[dict[str, Any]]:
        """The parts as JSON data, as MCP writes them."""
        from toolhaft.content import block

        return [block(one) for one in self.items]

    def text(self, limit: int | None) -> str:
        """Give the texts and a statement of each other part, a line each, within `limit`."""
        if limit is not None:
            lines = len(self.items) - 1
            limit -= lines + sum(len(stated(one)) for one in self.items if type(one) is not str)
        return "\n".join(map(stated, self.within(limit)))

    def within(self, limit: int | None) -> tuple[Content, ...]:
        """Give the parts with their texts cut to `limit` characters altogether."""
        if limit is None:
            return self.items
        sizes = [len(one) if isinstance(one, str) else 0 for one in self.items]
        return tuple(
            shorten(one, most) if isinstance(one, str) else one
            for one, most in zip(self.items, shares(sizes, limit), strict=True)
        )


def stated(one: Content) -> str:
    """Say in words what a part is, where it cannot be shown; a text says itself.

    >>> from toolhaft.content import Image
    >>> stated(Image(b"not really", "image/png"))
    '[image: image/png, 10 bytes]'
    """
    if isinstance(one, str):
        return one
    from toolhaft.content import ResourceLink

    if isinstance(one, ResourceLink):
        said = (one.name, one.uri, one.description)
        return f"[link: {', '.join(names.escape_text(word, 500) for word in said if word)}]"
    name = getattr(one, "name", None)
    called = f" {names.escape_text(name)}" if name else ""
    return f"[{type(one).__name__.lower()}{called}: {one.media_type}, {len(one.data)} bytes]"
