"""Models without function calling: the prompt, calls out of the text, results as text."""

from __future__ import annotations

import json

import pytest

from tests.providers.sample import tools
from toolhaft import ToolCall, Toolset, WireError
from toolhaft.call.outcome import Err

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
