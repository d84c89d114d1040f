"""A vendor accepts what its schema accepts and nothing else, in ten shapes; here a slice of it.

The whole, at least 2,000 values a vendor, is `make agreement`.
"""

from __future__ import annotations

import pytest

from tests.vendors.agreement import audits, counted, line
from tests.vendors.shaped import LACKS, NAMES, VENDORS, shape
from toolhaft import agreement

VALUES = 20
CASES = [(vendor, name) for vendor in VENDORS for name in NAMES if (vendor, name) not in LACKS]


@pytest.mark.requirement("vendor-agreement")
@pytest.mark.parametrize(("vendor", "name"), CASES)
def test_a_vendor_and_its_schema_agree(vendor: str, name: str) -> None:
    found = agreement(shape(vendor, name), values=VALUES, seed=1)
    assert found.disagreements == ()
    assert (found.values, found.widened, found.unreadable) == (VALUES, (), ())
    assert found.mutations > 3 * VALUES


@pytest.mark.requirement("vendor-agreement")
def test_the_table_has_a_line_of_figures_for_a_vendor() -> None:
    found = audits("msgspec", 2, 0)
    assert counted(found) == {}
    assert line("msgspec", found).split()[:7] == ["msgspec", "10", "20", "200", "0", "0", "0"]
