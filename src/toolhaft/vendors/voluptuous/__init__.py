"""voluptuous: Schema objects, and dicts whose keys are its markers."""

from __future__ import annotations

__all__: list[str] = []
