"""What the tests of every provider need."""

from __future__ import annotations

import os

import pytest


@pytest.fixture
def known_error_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every error has the same id, so that whole texts can be compared."""
    monkeypatch.setattr(os, "urandom", bytes)
