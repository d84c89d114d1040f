"""Explain why a value is invalid: a bounded walk along a schema and the data."""

from __future__ import annotations

__all__: list[str] = []
