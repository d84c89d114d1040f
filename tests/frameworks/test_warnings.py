"""A host that loses a guarantee is warned of, once."""

from __future__ import annotations

import pytest

from tests.frameworks.driver import INSTALLED, converters
from toolhaft import tool
from toolhaft.frameworks import agno, strands
from toolhaft.frameworks.bridge import warn_once

WARNINGS = {"agno": agno.WARNING, "strands": strands.WARNING}


@tool
def double(n: int) -> int:
    """Twice a number."""
    return 2 * n


@pytest.mark.parametrize("host", INSTALLED)
def test_a_lost_guarantee_is_warned_of_where_the_host_is_first_used(host: str) -> None:
    warn_once.cache_clear()
    to_host, _ = converters(host)
    with pytest.warns() as caught:  # noqa: PT031  one of them is that nothing was warned of
        to_host(double)
        to_host(double)
        import warnings

        warnings.warn("the end", stacklevel=1)
    told = [str(each.message) for each in caught if each.filename == __file__]
    assert told == [*filter(None, [WARNINGS.get(host)]), "the end"]
