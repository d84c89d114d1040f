"""Collect the tools of an object or a class: from its classes, and from its attributes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from toolhaft.tools.internals import needs_object
from toolhaft.tools.tool import Tool
from toolhaft.toolset.foreign import is_standard_tool

__all__ = ["NotCollected", "collect_tools", "is_tool"]

UNBOUND = "a method needs its object; pass an instance instead of the class"


class NotCollected(NamedTuple):
    """A tool that an object has and a set of its tools has not: under which name, and why."""

    attribute: str
    reason: str


def collect_tools(owner: Any) -> tuple[list[Any], list[NotCollected]]:
    """Return the tools of an object, bound to it, and the reasons for each that cannot be used."""
    members: list[Any] = []
    left_out: list[NotCollected] = []
    for name, value in _attributes(owner).items():
        bound = getattr(owner, name) if issubclass(type(value), Tool) else value
        if issubclass(type(bound), Tool) and needs_object(bound):
            left_out.append(NotCollected(name, UNBOUND))
        elif is_tool(bound) and not any(bound is known or bound == known for known in members):
            members.append(bound)
    return members, left_out


def _attributes(owner: Any) -> dict[str, Any]:
    """Return the attributes of classes, the nearest one's last, and the object's own."""
    kind = owner if issubclass(type(owner), type) else type(owner)
    members: dict[str, Any] = {}
    for base in reversed(kind.__mro__):
        members |= vars(base)
    return members | dict(_own_attributes(owner))


def _own_attributes(owner: Any) -> Iterator[tuple[str, Any]]:
    if issubclass(type(owner), type):
        return
    yield from getattr(owner, "__dict__", {}).items()
    for kind in type(owner).__mro__:
        slots = vars(kind).get("__slots__", ())
        for slot in (slots,) if isinstance(slots, str) else slots:
            if slot not in ("__dict__", "__weakref__") and hasattr(owner, slot):
                yield slot, getattr(owner, slot)


def is_tool(value: Any) -> bool:
    """Return whether a value is a tool: ours, a formatted one, or one of the StandardTool shape."""
    # By its type: a proxy that stands for nothing yet would raise, a mock has every attribute.
    if issubclass(type(value), Tool):
        return True
    return is_standard_tool(value) and all(
        isinstance(text, str) for text in (value.name, value.description)
    )
