"""Models without function calling: the prompt, calls out of the text, results as text."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.providers.sample import tools
from toolhaft import ToolCall, Toolset, WireError
from toolhaft.call.decode import Undecodable, decode
from toolhaft.call.outcome import Err
from toolhaft.providers.text import envelopes

ANSWER = """I add them first.
{"name": "add", "arguments": {"a": "1", "b": 2}}
{"name": "get_wether", "arguments": {}}"""


@pytest.mark.requirement("text-target")
def test_a_turn_goes_from_text_to_text() -> None:
    answer = tools().export("text").answer_sync(ANSWER)
    unknown = (
        "There is no tool named get_wether. Did you mean get_weather? Available tools: add, "
        "calendar_respond, crash, find_order, get_weather."
    )
    assert answer.results == [
        {"name": "add", "result": "3"},
        {"name": "get_wether", "error": unknown},
    ]
    lines = "\n".join(json.dumps(one, separators=(",", ":")) for one in answer.results)
    assert answer.messages == [
        {"role": "assistant", "content": ANSWER},
        {"role": "user", "content": lines},
    ]
    assert [one.call_id for one in answer.outcomes] == ["call_0", "call_1"]


def test_the_prompt_names_every_tool_with_its_schema() -> None:
    wire = tools().export("text")
    prompt = wire.request["prompt"]
    for declared in wire.tools:
        assert f"## {declared['name']}\n\n{declared['description']}" in prompt
        assert json.dumps(declared["parameters"], separators=(",", ":")) in prompt


def test_an_answer_in_words_is_the_end() -> None:
    answer = tools().export("text").answer_sync({"role": "assistant", "content": "It is 3."})
    assert (answer.done, answer.messages) == (
        True,
        [{"role": "assistant", "content": "It is 3."}],
    )


def test_a_call_that_stops_in_the_middle_is_not_run() -> None:
    [outcome] = tools().export("text").answer_sync('{"name": "add", "arguments": {"a": 1').outcomes
    assert isinstance(outcome, Err)
    assert (outcome.kind, outcome.name) == ("truncated", "add")


def test_a_response_without_text_is_named() -> None:
    with pytest.raises(WireError, match=r"^text: content: missing; expected text; this"):
        tools().export("text").calls({"choices": []})


def test_without_tools_there_is_no_prompt() -> None:
    assert Toolset().export("text").request == {}
    assert tools().export("text").call_sync(ToolCall("c", "add", {"a": 1, "b": 1})).unwrap() == 2


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


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "find", "arguments": {"city": "Paris"}',
        '{"name": "find", "arguments": ',
        '{"name": "find", "arguments": }',
        '{"name": "find", "arguments": null',
        '{"name": "find", "name": "drop", "arguments": {}}',
        '{"name": "find", "arguments": {}, "arguments": {"city": "Paris"}}',
        '{"name": "find", "arguments": {}, "id": oops}',
    ],
)
def test_arguments_inside_of_what_cannot_be_read_are_the_whole_text(text: str) -> None:
    assert calls(text) == [("find", text)]


@pytest.mark.parametrize(
    "text",
    [
        "{\"text\": \"{'name': 'find', 'arguments': {}}\"}",
        '{"city": {"name": "find"}}',
        '{"arguments": {"name": "find", "arguments": {}}, "name": "now"',
        json.dumps({"name": 7, "arguments": {"name": "find"}}),
    ],
)
def test_what_is_quoted_or_only_looks_alike_is_no_call(text: str) -> None:
    assert calls(text) == []


def test_arguments_that_are_null_are_none_and_those_of_a_call_are_no_calls() -> None:
    assert calls('{"name": "now", "arguments": null}') == [("now", None)]
    inner = {"name": "find", "arguments": {"name": "x", "arguments": {}}}
    assert calls(json.dumps(inner)) == [("find", inner["arguments"])]


def test_brackets_in_single_quotes_close_nothing_in_python() -> None:
    text = """{'name': 'find', 'arguments': {'city': 'Par"is } ['}} and {'name': 'now'}"""
    assert calls(text) == [("find", {"city": 'Par"is } ['}), ("now", None)]


def nested(depth: int) -> str:
    return '{"name": "find", "arguments": ' + '{"a":' * depth + "1" + "}" * depth + "}"


def test_an_envelope_takes_nothing_from_the_depth_of_the_arguments() -> None:
    [(name, arguments)] = calls(nested(32))
    assert (name, type(arguments)) == ("find", dict)
    assert calls(nested(100)) == [("find", nested(100)[30:-1])]


@given(
    st.recursive(
        st.none() | st.text() | st.integers(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=8,
    ),
    st.data(),
)
def test_a_call_that_merely_stops_is_never_run(value: Any, data: st.DataObject) -> None:
    text = json.dumps({"name": "find", "arguments": {"a": value}}, ensure_ascii=False)
    cut = text[: data.draw(st.integers(0, len(text) - 1))]
    for _, arguments in calls(cut):
        with pytest.raises(Undecodable):
            decode(arguments)


@pytest.mark.unmeasured
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"' * 100_000, "text: character 40: too many brackets that are not closed"),
        ("x" * ((1 << 20) + 1), "text: text: longer than 1048576 characters"),
    ],
)
def test_a_text_that_cannot_be_looked_through_is_an_error(text: str, reason: str) -> None:
    with pytest.raises(WireError) as raised:
        calls(text)
    assert str(raised.value) == reason
    assert calls('{"' * 2_000) == []
