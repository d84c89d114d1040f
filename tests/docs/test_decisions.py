"""Decisions have numbers of their own, in the order in which they were written."""

from __future__ import annotations

from pathlib import Path

DECISIONS = sorted((Path(__file__).parents[2] / "docs" / "decisions").glob("*.md"))


def test_every_decision_has_the_next_number_in_its_name_and_in_its_title() -> None:
    names = [one.name.partition("-")[0] for one in DECISIONS]
    titles = [one.read_text(encoding="utf-8").partition(". ")[0] for one in DECISIONS]
    assert names == [f"{number:04}" for number in range(1, len(DECISIONS) + 1)]
    assert titles == [f"# {number}" for number in range(1, len(DECISIONS) + 1)]
