"""A JSON Schema as a document: its kinds of values, nodes, references, and places in data."""

from __future__ import annotations

__all__: list[str] = []
