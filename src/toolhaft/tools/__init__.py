"""One tool: how it is defined, assembled and derived from another."""

from __future__ import annotations

__all__: list[str] = []
