"""The hiding law on a slice of random tools; `make laws-of-hiding` runs it at full size."""

from __future__ import annotations

import pytest

from tests.laws_of_hiding.law import run
from tests.laws_of_hiding.writing import VENDORS
from tests.share import share


@pytest.mark.unmeasured
@pytest.mark.requirement("hiding-law")
@pytest.mark.parametrize("vendor", VENDORS)
def test_hidden_values_apply_and_nothing_reveals_them(vendor: str) -> None:
    tools = share(8)
    tally = run(vendor, tools, values=2, seed=2)
    assert "\n".join(map(str, tally.samples.values())) == ""
    assert tally.usable == tools
    assert tally.accepted > tools
