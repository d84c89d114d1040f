"""Python modules by which a program calls tools: typed functions written from schemas."""

from __future__ import annotations

__all__: list[str] = []
