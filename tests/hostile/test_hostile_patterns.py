"""A pattern that goes back in a text ends in time, however many texts there are."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.forks import Ask, answering

# Each takes a second or more on a thousand texts where nobody counts over all of them.
SLOW = [
    (r"^(\w+\s?)+(?!.)\1$", "a" * 30 + "!"),
    (r"^(?=(a|aa)+$)\1?b?$|^(a|aa)+(?!x)c$", "a" * 40 + "c"),
    (r"^(\w+\s?)+(?!.)$|^(\w+\s?)+(?!x)!$", "a" * 16 + "!"),
    (r"^((?!password).)*$", "hello world " * 1_500),
    (r"(?=.*a)(?=.*b)(?=.*c).*z$", "a" * 60_000),
    (r"(?=.*a)(?=.*b)(?=.*c).*z$", "a" * 5_000),
    (r"(?<=a+)b", "a" * 20_000),
    (r"(?=a*b)c", "a" * 15_000),
    (r"^(?:(?=.*b).)*$", "a" * 20_000 + "b"),
]
SHAPES = [{}, {"anyOf": [{"type": "integer", "maximum": 3}, {"type": "string"}]}]


@pytest.fixture(scope="module")
def ask() -> Iterator[Ask]:
    with answering("tests.hostile.patterns_child") as ask:
        yield ask


@pytest.mark.unmeasured
@pytest.mark.requirement("schema-backtracking")
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("pattern", "text"), SLOW)
def test_ten_thousand_texts_are_answered_in_seconds(
    ask: Ask, pattern: str, text: str, shape: object
) -> None:
    count = 10_000 if len(text) < 100 else 200
    answer, code = ask(pattern, text, count, shape)
    assert code == 0
    kind, message = json.loads(answer)
    assert kind == "invalid_input"
    assert "takes too long to match" in message
    assert len(message) <= 700
