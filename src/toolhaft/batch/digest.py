"""The digest by which processes tell that they have the same tools."""

from __future__ import annotations

from collections.abc import Iterable

from toolhaft.jsonio.canonical import digest
from toolhaft.tools.internals import call_options_of
from toolhaft.tools.tool import AnyTool

__all__ = ["digest_of"]


def digest_of(tools: Iterable[AnyTool]) -> str:
    """Return the SHA-256 of the rules for calls of the tools, the same in every process."""
    described = [
        {
            "name": tool.name,
            "description": tool.description,
            "input": tool.input_schema.json_schema(),
            "coerce": call_options_of(tool).coerce,
        }
        for tool in sorted(tools, key=lambda tool: tool.name)
    ]
    return digest(described)
