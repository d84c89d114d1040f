"""Values are tested before they are walked: as several tests at once, and not without bounds."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from toolhaft.schema.checker import Checker
from toolhaft.schema.explain.kind_checks import MAX_TESTS, RIGHT, combined, never, to_walk
from toolhaft.schema.explain.node import KindCheck, Walk
from toolhaft.spec import Path


def report(words: str) -> Any:
    def check(run: Walk, _: Any, path: Path, required: bool) -> None:
        run.report(False, required, words, path)

    return check


def is_big(value: int) -> bool:
    return value > 9


def is_even(value: int) -> bool:
    return value % 2 == 0


BIG = KindCheck(is_big, report("expected a big one"))
EVEN = KindCheck(is_even, report("expected an even one"))


def told(check: KindCheck, value: Any) -> list[str]:
    run = Walk(limit=64)
    check.explain(run, value, (), True)
    return [finding.issue.message for finding in run.issues]


def test_what_is_always_right_needs_no_test() -> None:
    assert combined([]) is RIGHT
    assert combined([RIGHT, RIGHT], never) is RIGHT
    assert told(RIGHT, 1) == []


def test_several_tests_are_one() -> None:
    both = combined([BIG, RIGHT, EVEN])
    assert both.fits is not None
    assert [both.fits(value) for value in (12, 2, 11)] == [True, False, False]
    assert both.tests == 2
    assert told(both, 3) == ["expected a big one", "expected an even one"]
    assert told(both, 11) == ["expected an even one"]


def test_after_a_final_check_the_others_are_moot() -> None:
    final = KindCheck(is_big, report("expected a big one"), is_final=True)
    assert told(combined([final, EVEN]), 3) == ["expected a big one"]
    assert told(combined([final, EVEN]), 11) == ["expected an even one"]
    assert not combined([final]).is_final  # of a node that another one refers to


def test_what_only_a_walk_can_tell_is_walked() -> None:
    walked = combined([EVEN, to_walk(report("walked"))])
    assert walked.fits is never
    assert told(walked, 2) == ["walked"]


def test_more_tests_than_are_made_uncounted_are_steps_of_the_walk() -> None:
    assert combined([EVEN] * MAX_TESTS).fits is not never
    many = combined([combined([EVEN] * MAX_TESTS), EVEN])
    assert (many.fits, many.tests) == (never, MAX_TESTS + 1)
    run = Walk(limit=64)
    before = run.steps
    many.explain(run, 2, (), True)
    assert run.issues == []
    assert run.steps < before


def test_an_object_is_tested_as_a_whole_or_walked() -> None:
    whole = combined([EVEN], whole=bool)
    assert whole.fits is bool
    assert combined([EVEN], whole=never).fits is never


NUMBERS = {
    "items": [
        {"minimum": 0.1},
        {"exclusiveMaximum": 0.3},
        {"multipleOf": 0.1},
        {"enum": [0.1, 1.5]},
        {"type": "integer"},
        {"uniqueItems": True},
        {"type": "string"},
    ]
}


@pytest.mark.parametrize(
    ("right", "wrong", "words"),
    [
        ("0.1", "0.09999999999999999999", "0: expected at least 0.1"),
        ("0.29999999999999999999", "0.3", "1: expected less than 0.3"),
        ("0.3", "0.30000000000000000001", "2: expected a multiple of 0.1"),
        ("0.1", "0.10000000000000000001", "3: expected one of 0.1, 1.5"),
        ("2.0", "2.5", "4: expected integer, received number"),
    ],
)
def test_a_decimal_is_the_number_that_is_written(right: str, wrong: str, words: str) -> None:
    place = int(words[0])
    checker = Checker({"prefixItems": NUMBERS["items"]})
    data: list[Any] = [1, 0, 0, 1.5, 0, [], ""]
    for text, expected in ((right, []), (wrong, [words])):
        data[place] = Decimal(text)
        assert [str(issue) for issue in checker.issues(data)] == expected
        assert checker.is_valid(data) is (expected == [])


def test_decimals_are_compared_with_other_numbers_and_told_as_numbers() -> None:
    unique = Checker({"uniqueItems": True})
    for pair in ([Decimal("0.1"), 0.1], [Decimal("1.0"), 1], [Decimal("1E+400"), Decimal("1E400")]):
        assert [str(issue) for issue in unique.issues(pair)] == ["expected no duplicate items"]
    assert unique.issues([Decimal("0.10000000000000000001"), 0.1]) == []
    [issue] = Checker({"type": "string"}).issues(Decimal("1.5"))
    assert issue.message == "expected string, received number"
