"""The laws of lowering on a slice of random schemas; `make laws` runs them at full size."""

from __future__ import annotations

import os

import pytest

from tests.laws.__main__ import modes, run
from toolhaft.lowering import Strict

SEED = int(os.environ.get("LAWS_SEED", "1"))
SCHEMAS = int(os.environ.get("LAWS_SCHEMAS", "40"))


@pytest.mark.requirement("lowering-laws")
@pytest.mark.parametrize(("target", "strict"), list(modes()))
def test_the_seven_laws_hold(target: str, strict: Strict) -> None:
    tally = run(target, strict, SCHEMAS, 8, SEED)
    assert tally.samples == {}
    assert tally.reached == tally.values > 0
    assert tally.losses["narrowed"] == 0
