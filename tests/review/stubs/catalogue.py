"""The recorded tools as one catalogue; their names repeat, so it is no toolset."""

from __future__ import annotations

from typing import Any

from tests.schema.corpora import rows
from toolhaft import DefinitionError, from_json

__all__ = ["recorded_tools"]


def recorded_tools(each: int = 1) -> Any:
    """Return every so many of the recorded tools; one that cannot be a tool is left out."""
    declared = rows("tools_mcp.jsonl.gz") + rows("tools_for_calls.jsonl.gz")
    return [tool for row in declared[::each] for tool in _read(row)]


def _read(row: dict[str, Any]) -> Any:
    try:
        return [*from_json([row])]
    except DefinitionError:
        return []
