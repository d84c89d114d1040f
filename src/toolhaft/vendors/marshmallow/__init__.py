"""marshmallow: Schema classes and instances."""

from __future__ import annotations

__all__: list[str] = []
