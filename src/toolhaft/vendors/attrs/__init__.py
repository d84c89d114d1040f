"""attrs: classes made with `define`, `frozen` or `attr.s`, and containers that hold them."""

from __future__ import annotations

__all__: list[str] = []
