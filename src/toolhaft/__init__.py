"""One neutral type for an LLM tool."""

from __future__ import annotations

__all__: list[str] = []
