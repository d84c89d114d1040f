"""A slice of the laws of deferred tools; `python -m tests.laws_of_search` tries all of them."""

from __future__ import annotations

import pytest

from tests.laws_of_search.law import TARGETS, Wire, check_conversation, check_scope
from tests.share import share


@pytest.mark.requirement("search-scope")
def test_nobody_finds_or_calls_what_it_may_not_see() -> None:
    for seed in range(share(60)):
        check_scope(seed)


@pytest.mark.requirement("deferred-tools")
@pytest.mark.parametrize("wire", TARGETS, ids=" ".join)
def test_a_conversation_finds_calls_and_goes_on_elsewhere(wire: Wire) -> None:
    assert sum(check_conversation(seed, wire) for seed in range(share(40))) > 0
