"""Results that are too long for a model: kept under an id, by which the model reads on."""

from __future__ import annotations

__all__: list[str] = []
