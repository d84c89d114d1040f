"""Each wrong call gets the text that a person has read, whichever library says the tool."""

from __future__ import annotations

import pytest

from tests.texts.golden import call, rows, text_of, written
from tests.texts.tools import INPUTS, NO_WAY
from toolhaft import Err

ROWS = rows()
VENDORS = ("schema", "pydantic", "msgspec", "attrs", "dataclass")
FEWEST = 120


@pytest.mark.requirement("texts-golden")
@pytest.mark.parametrize("vendor", VENDORS)
@pytest.mark.parametrize("name", INPUTS)
def test_the_text_of_a_wrong_call_is_the_same_for_every_vendor(name: str, vendor: str) -> None:
    if vendor not in INPUTS[name]:
        pytest.skip(NO_WAY[name])
    for row in ROWS:
        if row.tool == name:
            outcome = call(name, vendor, row.target, row.sent)
            assert (row.sent, text_of(outcome)) == (row.sent, row.text)


@pytest.mark.requirement("texts-golden")
def test_the_golden_file_has_every_call_that_is_to_be_read() -> None:
    assert written() == "".join(
        f"{row.tool}{'@' if row.target else ''}{row.target} {_quoted(row.sent)}\n  {row.text}\n\n"
        for row in ROWS
    ).removesuffix("\n")
    assert len(ROWS) >= FEWEST
    assert {row.tool for row in ROWS} == set(INPUTS)


def _quoted(sent: str) -> str:
    import json

    return json.dumps(sent)


@pytest.mark.requirement("feedback-bounds")
def test_every_text_of_the_golden_file_is_within_its_bounds() -> None:
    for row in ROWS:
        outcome = call(row.tool, next(iter(INPUTS[row.tool])), row.target, row.sent)
        assert isinstance(outcome, Err)
        assert len(outcome.text) <= 700
