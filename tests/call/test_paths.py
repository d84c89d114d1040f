"""How the place of an issue is written on one line."""

from __future__ import annotations

import pytest

from toolhaft import Err, tool
from toolhaft.call.paths import END_CHARS, MOST_STEP_CHARS, _shorten

SAME = "x" * END_CHARS
LONG = "y" * MOST_STEP_CHARS


@pytest.mark.parametrize(
    ("name", "siblings", "written"),
    [
        ("city", {"city", "days"}, "city"),
        (f"{SAME}{LONG}{SAME}", {"city", f"{SAME}{LONG}{SAME}"}, f"{SAME}…{SAME}"),
        (f"{SAME}{LONG}{SAME}", set(), f"{SAME}…{SAME}"),
        (
            f"{SAME}{LONG}{SAME}",
            {f"{SAME}{LONG}{SAME}", f"{SAME}{'z' * MOST_STEP_CHARS}{SAME}"},
            f"…{SAME}{'y' * END_CHARS}…",
        ),
    ],
    ids=["short", "alone with these ends", "not declared", "with a sibling of the same ends"],
)
def test_a_long_name_keeps_what_tells_it_from_its_siblings(
    name: str, siblings: set[str], written: str
) -> None:
    assert _shorten(name, siblings) == written


def test_the_places_of_very_many_issues_end_with_their_first_step() -> None:
    @tool
    def count(counts: dict[str, int]) -> None:
        "Count."

    outcome = count.call_sync({"counts": {f"k{n}": "x" for n in range(201)}})
    assert isinstance(outcome, Err)
    places = [issue.facts["place"] for issue in outcome.issues]
    assert places[198:] == ["counts, 199th entry", "counts, 200th entry", "counts…"]
