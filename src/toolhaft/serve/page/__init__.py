"""The page of a server: try tools, see what models and providers see, and decide calls."""

from __future__ import annotations

__all__: list[str] = []
