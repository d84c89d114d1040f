"""Several tools: which join, how calls find them, and how they go to a provider and back."""

from __future__ import annotations

__all__: list[str] = []
