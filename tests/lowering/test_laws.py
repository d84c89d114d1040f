"""The laws of lowering on a slice of random schemas; `make laws` runs them at full size."""

from __future__ import annotations

import os

import pytest

from tests.laws.__main__ import modes, run
from tests.laws.schemas import LEAST
from tests.share import share
from toolhaft.lowering import Strict

SEED = int(os.environ.get("LAWS_SEED", "1"))
SCHEMAS = int(os.environ.get("LAWS_SCHEMAS", share(25)))


@pytest.mark.no_cover
@pytest.mark.requirement("lowering-laws")
@pytest.mark.requirement("lowering-places")
@pytest.mark.parametrize("least", [LEAST, 0.15])
@pytest.mark.parametrize(("target", "strict"), list(modes()))
def test_the_seven_laws_hold(target: str, strict: Strict, least: float) -> None:
    tally = run(target, strict, SCHEMAS, 8, SEED, least)
    assert tally.samples == {}
    assert tally.reached == tally.values > 0
    assert tally.losses["narrowed"] == 0
