"""The page of rules matches the code."""

from __future__ import annotations

from pathlib import Path

from toolhaft.review.checks.reference import page

RULES = Path(__file__).parents[3] / "docs" / "rules.md"


def test_the_page_of_rules_is_what_the_code_writes() -> None:
    assert RULES.read_text(encoding="utf-8") == page(), (
        "run python -m toolhaft.review.checks.reference"
    )
