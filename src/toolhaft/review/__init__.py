"""The artefacts of a review: findings, locks, differences, manifests, reference pages."""

from __future__ import annotations

__all__: list[str] = []
