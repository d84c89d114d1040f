"""Tools made of declarations, MCP servers and OpenAPI documents."""

from __future__ import annotations

__all__: list[str] = []
