"""Patterns run in linear time; other patterns may backtrack as often as a call may."""

from __future__ import annotations

from typing import Any

import pytest

from toolhaft.schema.checker import Checker
from toolhaft.schema.engine import compiled, is_linear, match_counted, matcher, quick_matcher

SLOW = r"^(\w+\s?)+(?!.)\1$"
SLOW_TEXT = "a" * 30 + "!"
# Every text takes some hundred steps back.
STEADY = r"^(?!.*(.).*\1)[a-z]+$"
LETTERS = "abcdefghijklmnopqrstuvwxyz"


@pytest.mark.requirement("schema-backtracking")
@pytest.mark.parametrize("pattern", ["^(a+)+$", r"^\p{L}+$", r"\bfoo\b", "(?<name>a)", "a{1,50}"])
def test_a_pattern_without_lookarounds_and_back_references_is_linear(pattern: str) -> None:
    assert is_linear(pattern)
    assert matcher(pattern)("foo aaa") is (pattern != "^(a+)+$" and not pattern.startswith("^"))


@pytest.mark.requirement("schema-backtracking")
@pytest.mark.parametrize("pattern", ["^(?=a)", "a(?!b)", "(?<!a)b", r"(a)\1", r"(?<x>a)\k<x>", "("])
def test_any_other_pattern_is_not(pattern: str) -> None:
    assert not is_linear(pattern)


@pytest.mark.requirement("schema-backtracking")
def test_steps_back_are_counted_and_bounded() -> None:
    assert match_counted(STEADY, LETTERS, 1_000_000) == (True, 1_000, 157_648)
    assert match_counted(STEADY, "aa", 100_000) == (False, 10, 256)
    assert match_counted(SLOW, SLOW_TEXT, 10_000_000) == (None, 0, 9_848_719)
    assert match_counted(SLOW, SLOW_TEXT, 100_000) == (None, 0, 98_518)
    assert not quick_matcher(SLOW)(SLOW_TEXT)


@pytest.mark.requirement("schema-backtracking")
@pytest.mark.parametrize("pattern", [r"(?=.*a)(?=.*b).*z$", "(?<=a+)b", "(?=a*b)c", "(?=a)a*b"])
def test_what_is_tried_from_each_place_counts_with_the_length_of_the_text(pattern: str) -> None:
    """As many steps back take a hundred times the work on a text a hundred times as long."""
    _, limit, short = match_counted(pattern, "a" * 200, 10_000_000_000)
    _, again, tenfold = match_counted(pattern, "a" * 2_000, 10_000_000_000)
    assert limit <= 1_000
    assert again <= 5_000
    assert tenfold > 30 * short
    assert match_counted(pattern, "a" * 200_000, 100_000_000)[0] is None


@pytest.mark.requirement("schema-backtracking")
def test_a_pattern_that_only_goes_on_counts_before_it_is_tried() -> None:
    """`.*` looks at the whole text in each round, and nothing is gone back."""
    ahead = "^(?:(?=.*b).)*$"
    assert match_counted(ahead, "a" * 30_000, 400_000_000) == (None, 0, 0)
    assert match_counted(ahead, "ab", 100_000) == (True, 10, 186)
    assert not quick_matcher(ahead)("a" * 30_000 + "b")


@pytest.mark.requirement("schema-backtracking")
def test_lookarounds_of_passwords_match_right_on_ordinary_texts() -> None:
    rule = r"^(?=.*[A-Z])(?=.*\d)(?=.*[^\w])[^\s]{8,100}$"
    checker = listed(rule)
    assert checker.is_valid({"x": ["Passw0rd!" * 10] * 1_000})
    wrong = checker.issues({"x": ["Passw0rd!" * 10, "password!" * 10, "Pass 0rd!"]})
    assert [(issue.path, issue.code) for issue in wrong] == [
        (("x", 1), "format"), (("x", 2), "format")
    ]  # fmt: skip


@pytest.mark.requirement("schema-backtracking")
def test_a_long_text_that_matches_at_once_is_accepted() -> None:
    checker = listed("(?=.*a)(?=.*b)(?=.*c).*z$")
    assert checker.is_valid({"x": ["abc" * 20_000 + "z"]})
    assert not checker.is_valid({"x": ["a" * 60_000]})
    assert listed("^((?!password).)*$").is_valid({"x": ["hello world " * 8_000]})


@pytest.mark.requirement("schema-backtracking")
def test_a_value_is_held_to_the_schema_of_its_key_however_long_that_takes_to_match() -> None:
    schema = {"type": "object", "patternProperties": {"^((?!zz).)*$": {"type": "integer"}}}
    for length in (50, 150, 5_000):
        assert Checker(schema).is_valid({"a" * length: 1})
        assert not Checker(schema).is_valid({"a" * length: "x"})
        [issue] = Checker(schema).issues({"a" * length: "x"})
        assert issue.message == "expected integer, received string"


@pytest.mark.requirement("schema-backtracking")
def test_keys_count_as_texts_do() -> None:
    pattern = "(?=.*a)(?=.*b).*z$"
    schemas: list[dict[str, Any]] = [
        {"patternProperties": {pattern: True}, "additionalProperties": False},
        {"patternProperties": {pattern: True}, "unevaluatedProperties": False},
        {"propertyNames": {"pattern": pattern}},
    ]
    for schema in schemas:
        checker = Checker({"type": "object", **schema})
        assert checker.is_valid({"abz": 1})
        assert not checker.is_valid({"a" * 60_000: 1})
        [issue] = checker.issues({"a" * 60_000: 1})
        assert issue.message == f"takes too long to match against {pattern}; send less text"


def listed(pattern: str, **more: Any) -> Checker:
    item = {"type": "string", "pattern": pattern, **more}
    return Checker({"type": "object", "properties": {"x": {"type": "array", "items": item}}})


@pytest.mark.requirement("schema-backtracking")
@pytest.mark.parametrize("count", [1, 100, 20_000])
def test_a_text_that_takes_too_long_is_refused_where_it_stands(count: int) -> None:
    checker = listed(SLOW)
    data = {"x": ["b" * 3, *[SLOW_TEXT] * count]}
    assert not checker.is_valid(data)
    messages = [str(issue) for issue in checker.issues(data)]
    assert messages[-1].startswith("x.1: takes too long to match against ^(\\w+\\s?)+")
    assert messages[-1].endswith("; send less text")


@pytest.mark.requirement("schema-backtracking")
def test_texts_share_what_a_call_may_go_back() -> None:
    checker = listed(STEADY)
    assert checker.is_valid({"x": [LETTERS] * 1_000})
    assert not checker.is_valid({"x": [LETTERS] * 20_000})
    [issue] = checker.issues({"x": [LETTERS] * 20_000})
    assert issue.code == "format"
    assert issue.message == f"takes too long to match against {STEADY}; send less text"
    assert checker.is_valid({"x": ["abc"] * 20_000})


@pytest.mark.requirement("schema-backtracking")
@pytest.mark.parametrize("wrap", ["anyOf", "oneOf", "not", "if", "contains", "propertyNames"])
def test_what_is_not_known_to_match_is_refused_whatever_holds_the_pattern(wrap: str) -> None:
    pattern = {"type": "string", "pattern": SLOW}
    schemas: dict[str, Any] = {
        "anyOf": {"anyOf": [pattern, {"type": "integer"}]},
        "oneOf": {"oneOf": [pattern, {"type": "string"}]},
        "not": {"not": pattern},
        "if": {"if": pattern, "then": {"minLength": 40}, "else": {"maxLength": 9}},
        "contains": {"contains": pattern},
        "propertyNames": {"propertyNames": pattern},
    }
    values = {"contains": [SLOW_TEXT], "propertyNames": {SLOW_TEXT: 1}}
    checker = Checker(schemas[wrap])
    value = values.get(wrap, SLOW_TEXT)
    assert not checker.is_valid(value)
    assert checker.issues(value)


@pytest.mark.requirement("schema-backtracking")
@pytest.mark.parametrize(("most", "fits"), [(1, False), (3, True)])
def test_a_text_for_which_a_pattern_goes_back_too_often_is_refused(most: int, fits: bool) -> None:
    assert compiled({"pattern": r"^(?=(a|aa)+$)\1?b?$"}, most)("a") is fits
