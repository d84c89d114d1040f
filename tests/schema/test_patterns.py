"""Texts for patterns: each text matches, and unreadable patterns are reported."""

from __future__ import annotations

from random import Random

import pytest

from toolhaft.schema.engine import matcher
from toolhaft.schema.patterns import Unreadable, texts_for

PATTERNS = (
    r"^[A-C]{2}-[0-9]+$",
    r"^\d{5}(-\d{4})?$",
    r"a|b|(?:c|d)?x",
    r"^#[0-9a-fA-F]{6}$",
    r"^[a-z][a-z0-9_-]*$",
    r"^(?<year>\d{4})$",
    r"^[\w.-]+\/x\u0041$",
    r"^\u{1F600}\x41\t$",
    r"^\p{Lu}\w*?\P{N}$",
    r"^\p{L}{9}\p{Letter}{9}\p{Ll}{9}\p{N}{9}\p{Nd}$",
    r"^[^@\s]+@[^@\s]+\.[a-z]{2,}$",
    r"^[\S]\D\W.$",
    r"^\bword\b$",
    r"^[a-]$",
    r"^a{2,3}b{2,}$",
    r"",
)
UNREADABLE = (
    r"(a)\1", r"(?#note)", r"a)", r"(a", r"[a", r"*a", r"\p{Script=Greek}", r"\pL", r"a{x}", r"a{1",
    r"[^\s\S]", r"\k<a>", "a\\",
)  # fmt: skip


@pytest.mark.parametrize("pattern", PATTERNS)
def test_texts_match_their_pattern(pattern: str) -> None:
    draw, matches = texts_for(pattern), matcher(pattern)
    texts = [draw(Random(seed)) for seed in range(50)]
    assert [text for text in texts if not matches(text)] == []


def test_a_lookaround_is_skipped() -> None:
    assert texts_for(r"^(?!b)(?=a)a(?<=a)(?<!b)$")(Random(0)) == "a"


@pytest.mark.parametrize("pattern", UNREADABLE)
def test_what_is_not_known_is_unreadable(pattern: str) -> None:
    with pytest.raises(Unreadable):
        texts_for(pattern)
