"""pydantic: models, dataclasses, TypedDicts, `TypeAdapter`s, and every annotation of builtins."""

from __future__ import annotations

__all__: list[str] = []
