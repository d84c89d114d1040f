"""Read fields of what a session returns, in the spelling of either generation of its package."""

from __future__ import annotations

from typing import Any, Final

__all__ = ["SCHEMAS", "read_field"]

# What mcp 2 spells in snake case, and mcp 1 as it is on the wire.
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


def read_field(holder: Any, name: str) -> Any:
    """Return a field by its name in mcp 2.

    >>> from types import SimpleNamespace
    >>> read_field(SimpleNamespace(isError=True), "is_error")
    True
    """
    return getattr(holder, name if hasattr(holder, name) else WIRE[name])
