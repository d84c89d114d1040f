"""The laws of calls on a slice of random types; `make laws-of-calls` runs them at full size."""

from __future__ import annotations

import pytest

from tests.laws_of_calls.__main__ import lines
from tests.laws_of_calls.draw import VENDORS, draw
from tests.laws_of_calls.runner import run
from tests.laws_of_calls.sample import Sample
from tests.share import share
from toolhaft import DefinitionError

TYPES = share(40)
VALUES = 3


@pytest.mark.unmeasured
@pytest.mark.requirement("gate-law")
@pytest.mark.requirement("view-law")
@pytest.mark.parametrize("vendor", VENDORS)
def test_one_value_is_checked_shown_approved_and_run(vendor: str) -> None:
    tally = run(vendor, TYPES, VALUES, seed=2)
    violations = "\n".join(map(str, tally.samples.values()))
    assert violations == ""
    assert tally.usable > TYPES * 0.7
    assert tally.accepted > TYPES * VALUES * 0.7


@pytest.mark.unmeasured
@pytest.mark.parametrize(
    ("vendor", "number"),
    [
        ("pydantic", 5222),  # a branch of a union takes any key
        ("pydantic_dataclass", 21338),  # a function rejects what the shown branch accepts
        ("attrs", 20732),  # a decimal of a factory, behind a converter
    ],
)
def test_types_that_broke_a_law_keep_all_laws(vendor: str, number: int) -> None:
    tally = run(vendor, 1, 4, seed=1, start=number)
    assert "\n".join(map(str, tally.samples.values())) == ""
    assert tally.accepted


def test_the_same_seed_writes_the_same_types() -> None:
    for vendor in VENDORS:
        texts = [Sample(draw(vendor, 3, 5)) for _ in range(2)]
        for each in texts:
            each.close()
        assert texts[0].source == texts[1].source


def test_the_table_has_a_line_of_figures_for_a_vendor() -> None:
    tally = run("typed_dict", 1, 2, seed=1)
    assert lines(tally)[0].split()[:3] == ["typed_dict", "1", "1"]


@pytest.mark.unmeasured
def test_a_definition_that_keys_refuse_is_counted_by_its_reason() -> None:
    numbers = (each for each in range(10_000) if _is_refused(each))
    assert next(numbers) >= 0


def _is_refused(number: int) -> bool:
    sample = Sample(draw("pydantic", 1, number))
    try:
        sample.tool()
    except DefinitionError:
        return sample.spec.refusal is not None
    finally:
        sample.close()
    return False
