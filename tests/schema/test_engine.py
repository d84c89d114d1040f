"""Patterns run in linear time; those that cannot go back in texts as often as a call may."""

from __future__ import annotations

from typing import Any

import pytest

from toolhaft.schema.checker import Checker
from toolhaft.schema.engine import is_linear, match_counted, matcher, quick_matcher

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
    assert match_counted(STEADY, LETTERS, 100_000) == (True, 1_310)
    assert match_counted(STEADY, "aa", 100_000) == (False, 10)
    assert match_counted(SLOW, SLOW_TEXT, 10_000_000) == (None, 131_310)
    assert match_counted(SLOW, SLOW_TEXT, 1_000) == (None, 310)
    assert not quick_matcher(SLOW)(SLOW_TEXT)


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
    assert checker.is_valid({"x": [LETTERS] * 2_000})
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
