"""Models without function calling: the schema stands in the prompt, as 2020-12."""

from __future__ import annotations

from toolhaft.lowering.dialects.dialect import Dialect, Rule
from toolhaft.lowering.dialects.mcp import NEWEST

__all__ = ["ONLY"]

ONLY = Dialect(
    "text",
    False,
    (
        *NEWEST.rules,
        Rule("root object", True, "documented", "2026-11-20", "arguments are always an object"),
    ),
    (),
    (Rule("answer", "tool", "documented", "2026-11-28", "an answer in an envelope is no prose"),),
)
