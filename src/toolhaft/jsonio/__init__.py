"""JSON in and out: strict text, plain data, the canonical form, Python literals."""

from __future__ import annotations

__all__: list[str] = []
