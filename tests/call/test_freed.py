"""A tool that is dropped is freed at once with all its parts, however it was used."""

from __future__ import annotations

import weakref
from collections import Counter

import pytest

from tests.call.freed import KINDS, left_over, use, watching

pytestmark = pytest.mark.unmeasured


@pytest.mark.parametrize("kind", KINDS)
def test_tools_leave_nothing_behind_without_the_collector(kind: str) -> None:
    assert left_over(KINDS[kind], 2) == Counter()


@pytest.mark.parametrize("kind", KINDS)
def test_a_tool_is_gone_with_its_last_reference(kind: str) -> None:
    with watching():
        made = KINDS[kind]()
        use(made)
        reference = weakref.ref(made)
        del made
        assert reference() is None
