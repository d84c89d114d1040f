"""Calls are found in a model's text, whatever stands around them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from toolhaft.providers.envelopes import envelopes

CALL = '{"name": "find", "arguments": {"city": "Paris"}}'
PARIS = ("find", {"city": "Paris"})


def calls(text: str) -> list[tuple[str, Any]]:
    return [(one.name, one.arguments) for one in envelopes(text)]


@pytest.mark.requirement("text-envelopes")
@pytest.mark.parametrize(
    "text",
    [
        CALL,
        f"```json\n{CALL}\n```",
        f"```tool_call\n{CALL}\n```\nThat should do.",
        f"<tool_call>\n{CALL}\n</tool_call>",
        f"I shall look {{for it}}: {CALL} [done]",
        "[" + CALL + "]",
        CALL.replace("arguments", "parameters"),
        "{'name': 'find', 'arguments': {'city': 'Paris'}}",
        json.dumps({"thought": "hm"}) + CALL,
        json.dumps({"calls": [json.loads(CALL)]}),
    ],
)
def test_one_call_is_found(text: str) -> None:
    assert calls(text) == [PARIS]


@pytest.mark.requirement("text-envelopes")
def test_several_calls_come_in_the_order_of_the_text() -> None:
    other = '{"name": "now"}'
    assert calls(f"First {CALL}, then {other}.\n[{other}, {CALL}]") == [
        PARIS,
        ("now", None),
        ("now", None),
        PARIS,
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "No call.",
        "{}",
        '{"city": "Paris"}',
        '{"name": 7, "arguments": {}}',
        '{"name": "Ann", "age": 7}',
        '[{"city": "Paris"}, 3]',
        "{'unclosed",
        'a "quoted { bracket" here',
    ],
)
def test_prose_and_other_json_are_no_calls(text: str) -> None:
    assert calls(text) == []


def test_brackets_in_strings_close_nothing() -> None:
    text = '{"name": "write", "arguments": {"text": "a } b \\" ] c {"}} and more'
    assert calls(text) == [("write", {"text": 'a } b " ] c {'})]


@pytest.mark.requirement("text-envelopes")
def test_a_call_that_stops_in_the_middle_keeps_what_came_of_its_arguments() -> None:
    assert calls('{"name": "find", "arguments": {"city": "Par') == [("find", '{"city": "Par')]


def test_a_call_that_is_no_json_keeps_its_arguments_as_they_came() -> None:
    assert calls('{"name": "find", "arguments": {city: Paris}} Done.') == [
        ("find", "{city: Paris}")
    ]
    assert calls('{"name": "find", "arguments": Paris') == [("find", "Paris")]


def test_a_text_of_brackets_ends_in_time() -> None:
    assert calls('{"' * 2_000) == []
