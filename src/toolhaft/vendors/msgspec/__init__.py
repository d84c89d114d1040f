"""msgspec: Structs, and containers, dataclasses and TypedDicts that hold them or its `Meta`."""

from __future__ import annotations

__all__: list[str] = []
