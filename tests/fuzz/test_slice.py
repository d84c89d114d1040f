"""Every surface holds for its seeds and for some edits of them; `make fuzz` goes on from there."""

from __future__ import annotations

from contextlib import suppress
from random import Random

import pytest

from tests.fuzz.seeds import edited, seeds
from tests.fuzz.surfaces import SURFACES, Uninteresting
from tests.share import share

pytest.importorskip("starlette", reason="starlette is not installed")


@pytest.mark.unmeasured
@pytest.mark.requirement("fuzz-surfaces")
@pytest.mark.parametrize("surface", SURFACES)
def test_a_seed_of_a_surface_goes_all_the_way(surface: str) -> None:
    assert any(list(map(SURFACES[surface], seeds(surface))))


@pytest.mark.unmeasured
@pytest.mark.requirement("fuzz-surfaces")
@pytest.mark.parametrize("surface", SURFACES)
def test_nothing_that_is_written_to_a_surface_breaks_it(surface: str) -> None:
    random, found = Random(surface), list(seeds(surface))
    assert found
    for number in range(len(found) + share(300)):
        data = found[number] if number < len(found) else edited(random.choice(found), random)
        with suppress(Uninteresting):
            try:
                SURFACES[surface](data)
            except Uninteresting:
                raise
            except BaseException as error:
                error.add_note(f"{surface}: {data!r}")
                raise
