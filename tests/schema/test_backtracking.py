"""Patterns that can take exponential time are found, and others are not."""

from __future__ import annotations

import pytest

from toolhaft.schema.backtracking import explodes, exploding_faults


@pytest.mark.parametrize(
    "pattern",
    [
        "^(a+)+$",
        "^(a+){10}$",
        r"^([^,;]+x)+$",
        "(a*)*b",
        "^(a|a)*$",
        r"(\w+\s?)*$",
        r"^([a-zA-Z0-9]+)*@",
        r"((ab|c)+)*",
        r"(?:[^,]+,?)+$",
        r"(x(y+)z?)*(a{1,}){2,}",
        r"(.*)+",
        "^(a|aa)+$",
        "^(a{1,2})*$",
        r"^(\d\d?)+$",
        r"^(\d{3}\d?)+$",
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
        "^(a+){1,9}$",
        r"^([^,;]+,)+$",
        "(?<=a)b+(?!c)",
        r"^\p{L}+$",
        "(",
        r"^[^@\s]+@[^@\s]+\.[a-z]{2,}$",
        r"(?:[^,]+,)+$",
        "(|a)*",
        "^(ab?)+$",
        r"^(\d{1,3},)+$",
        r"^(?:[0-9a-f]{1,2}:)*[0-9a-f]{1,2}$",
        "^(foo|foobar)+$",
        r"^\d{1,3}(,\d{3})*$",
    ],
)
def test_other_patterns_do_not(pattern: str) -> None:
    assert not explodes(pattern)


@pytest.mark.requirement("schema-backtracking")
@pytest.mark.parametrize(
    "pattern", [r"^(?<x>(a+)+)\k<x>$", r"^(\p{L}+)+(?!\d)$", r"^(?=(a|aa)+$)\1?b?$"]
)
def test_spellings_that_python_lacks_are_read_too(pattern: str) -> None:
    assert explodes(pattern)


@pytest.mark.requirement("schema-backtracking")
def test_only_a_pattern_that_must_go_back_is_a_fault() -> None:
    linear, bounded, exploding = "^(a+)+$", r"^(?!a)b+$", r"^(a+)+\1$"
    schema = {
        "properties": {
            name: {"pattern": pattern}
            for name, pattern in [("l", linear), ("b", bounded), ("e", exploding)]
        },
        "patternProperties": {exploding: True},
    }
    assert [(fault.pointer, fault.reason) for fault in exploding_faults(schema)] == [
        ("", "pattern that can take exponential time"),
        ("/properties/e", "pattern that can take exponential time"),
    ]
