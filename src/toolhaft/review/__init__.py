"""What a reviewer reads and keeps: findings, locks, differences, manifests, reference pages."""

from __future__ import annotations

__all__: list[str] = []
