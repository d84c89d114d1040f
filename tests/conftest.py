"""What every test shares: how hypothesis searches, and ids that can be known."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

# The same examples in every run and no deadlines, so that a red run can be repeated anywhere.
# `pytest --hypothesis-profile=default` searches anew.
settings.load_profile("ci")


@pytest.fixture
def known_error_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every error has the same id, so that whole texts can be compared."""
    monkeypatch.setattr(os, "urandom", bytes)
