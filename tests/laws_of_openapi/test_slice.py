"""A slice of the laws of from_openapi; `make laws-of-openapi` has the whole."""

from __future__ import annotations

import pytest

from tests.laws_of_openapi.law import arrivals, attempts
from tests.share import share


@pytest.mark.unmeasured
@pytest.mark.requirement("openapi-laws")
def test_right_calls_arrive_as_they_were_meant() -> None:
    assert arrivals(share(500), seed=11) == []


@pytest.mark.unmeasured
@pytest.mark.requirement("openapi-laws")
@pytest.mark.requirement("openapi-in-place")
def test_no_call_leaves_its_path_its_host_or_its_headers() -> None:
    assert attempts(share(250), seed=12).keys() <= {"refused", "arrived as data"}
