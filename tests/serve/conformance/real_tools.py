"""Fifty real declarations of the shared data, served as tools that give their arguments back."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any, Final

from toolhaft import DefinitionError, Toolset, from_json

DATA: Final = Path(__file__).parents[4] / "shared" / "data" / "tools_mcp.jsonl.gz"
COUNT: Final = 50


def without_formats(schema: Any) -> Any:
    """Leave out formats: annotations here as in JSON Schema, which schemathesis asserts."""
    if isinstance(schema, list):
        return list(map(without_formats, schema))
    if not isinstance(schema, dict):
        return schema
    # A property may have the name as well, and is no text.
    is_format = isinstance(schema.get("format"), str)
    return {k: without_formats(v) for k, v in schema.items() if not (is_format and k == "format")}


def declarations() -> list[dict[str, Any]]:
    """Return every tenth declaration, or so, without its results."""
    with gzip.open(DATA, "rt", encoding="utf-8") as lines:
        rows = list(map(json.loads, lines))
    by_name = {row["name"].casefold(): row for row in rows}
    picked = sorted(by_name)[:: len(by_name) // (COUNT + 10)]
    fields = ("name", "description", "inputSchema")
    return [without_formats({field: by_name[name][field] for field in fields}) for name in picked]


def make() -> Toolset:
    """Make tools of the first fifty usable declarations."""
    tools = Toolset()
    for declared in declarations():
        if len(tools) < COUNT:
            try:
                tools += from_json([declared], call=lambda _name, arguments: arguments)
            except DefinitionError:
                continue
    return tools


tools = make()
