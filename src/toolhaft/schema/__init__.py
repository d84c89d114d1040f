"""JSON Schema as data: references, normal form, bounds, verdicts and explanations."""

from __future__ import annotations

__all__: list[str] = []
