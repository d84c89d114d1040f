"""What every test shares: how hypothesis searches."""

from __future__ import annotations

from hypothesis import settings

# The same examples in every run and no deadlines, so that a red run can be repeated anywhere.
# `pytest --hypothesis-profile=default` searches anew.
settings.load_profile("ci")
