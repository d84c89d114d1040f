"""Patterns that can take exponential time are told from those that cannot."""

from __future__ import annotations

import pytest

from toolhaft.review.checks.patterns import explodes


@pytest.mark.parametrize(
    "pattern",
    [
        "^(a+)+$",
        "(a*)*b",
        "^(a|a)*$",
        r"(\w+\s?)*$",
        r"^([a-zA-Z0-9]+)*@",
        r"((ab|c)+)*",
        r"(?:[^,]+,?)+$",
        r"(x(y+)z?)*(a{1,}){2,}",
        r"(.*)+",
    ],
)
def test_repetition_inside_of_repetition_explodes(pattern: str) -> None:
    assert explodes(pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        "^[a-z]+$",
        r"^([a-z]+\.)*[a-z]+$",
        r"^(\d{3}-)+\d{4}$",
        "^(foo|bar)*$",
        r"^(?:\w+\s)*$",
        "^(a+){1,3}$",
        "(?<=a)b+(?!c)",
        r"^\p{L}+$",
        "(",
        r"^[^@\s]+@[^@\s]+\.[a-z]{2,}$",
        r"(?:[^,]+,)+$",
        "(|a)*",
    ],
)
def test_other_patterns_do_not(pattern: str) -> None:
    assert not explodes(pattern)
