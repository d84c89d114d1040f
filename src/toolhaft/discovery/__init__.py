"""Find one tool among many: the local search, which needs no network and no model."""

from __future__ import annotations

__all__: list[str] = []
