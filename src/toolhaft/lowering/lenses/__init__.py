"""How values are written on the wire and read back: one file for each family of lenses."""

from __future__ import annotations

__all__: list[str] = []
