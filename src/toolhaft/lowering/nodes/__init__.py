"""How each kind of schema node is lowered: one file for each family."""

from __future__ import annotations

__all__: list[str] = []
