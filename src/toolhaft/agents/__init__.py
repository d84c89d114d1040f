"""Whole conversations with a model, through its provider's own client or a script."""

from __future__ import annotations

__all__: list[str] = []
