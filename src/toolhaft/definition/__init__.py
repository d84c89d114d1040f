"""What a definition is written with: markers, options, signatures, docstrings and names."""

from __future__ import annotations

__all__: list[str] = []
