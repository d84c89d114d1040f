"""Model Context Protocol: `inputSchema` of the newest revision and of 2025-11-25."""

from __future__ import annotations

from toolhaft.lowering.dialects.dialect import DRAFT_2020_12, Dialect, Rule, rules

__all__ = ["NEWEST", "REVISION_2025_11_25"]

_FOREIGN = (
    Rule(
        "$schema",
        (DRAFT_2020_12,),
        "observed",
        "2026-11-20",
        "nataliapc/mcp-openmsx#22: clients that read 2020-12 refuse another draft",
    ),
    *rules(
        "documented",
        "2026-07-28",
        "JSON Schema 2020-12 has none of these",
        {"nullable": False, "dependencies": False, "additionalItems": False},
    ),
)

_REQUEST = rules(
    "documented",
    "2025-11-25",
    "SEP-986",
    {"name characters": "[A-Za-z0-9._-]", "name length": 128},
)

NEWEST = Dialect(
    "mcp",
    False,
    (
        Rule("root object", True, "documented", "2026-07-28", "MCP 2026-07-28, SEP-2106"),
        *_FOREIGN,
    ),
    (),
    _REQUEST,
)

REVISION_2025_11_25 = Dialect(
    "mcp-2025-11-25",
    False,
    (
        Rule("root object", True, "documented", "2025-11-25", "MCP 2025-11-25, Tool.inputSchema"),
        *_FOREIGN,
    ),
    (),
    _REQUEST,
)
