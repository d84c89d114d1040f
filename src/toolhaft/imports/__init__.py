"""Other people's declarations, taken in as tools."""

from __future__ import annotations

__all__: list[str] = []
