"""What tells one set of tools from another: names, descriptions and schemas."""

from __future__ import annotations

from collections.abc import Iterable

from toolhaft.jsonio.canonical import digest
from toolhaft.tools.tool import AnyTool

__all__ = ["tools_digest"]


def tools_digest(tools: Iterable[AnyTool]) -> str:
    """Give the SHA-256 of what calls of the tools are held to, the same in every process.

    >>> from toolhaft import tool
    >>> @tool
    ... def double(n: int) -> int:
    ...     "Twice a number."
    ...     return 2 * n
    >>> tools_digest([double]) == tools_digest([double, double])
    False
    """
    described = [
        {
            "name": tool.name,
            "description": tool.description,
            "input": tool.input_schema.json_schema(),
            "coerce": tool.rules.coerce,
        }
        for tool in tools
    ]
    return digest(sorted(described, key=lambda one: str(one["name"])))
