"""A share of the law of tools of one text; `python -m tests.laws_of_texts` has all of it."""

from __future__ import annotations

import pytest

from tests.laws_of_texts.law import BY_HAND, Known, check_by_hand, check_drawn
from tests.share import share

pytestmark = pytest.mark.requirement("text-tools")


@pytest.mark.parametrize("known", BY_HAND, ids=lambda one: one.pattern)
def test_an_expression_has_its_known_verdicts_on_every_target(known: Known) -> None:
    assert check_by_hand(known) > 0


def test_drawn_expressions_have_the_verdicts_of_pythons_own_engine_on_every_target() -> None:
    assert all(check_drawn(seed) for seed in range(share(100)))
