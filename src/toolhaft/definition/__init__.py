"""The parts of a definition: markers, options, signatures, docstrings and names."""

from __future__ import annotations

__all__: list[str] = []
