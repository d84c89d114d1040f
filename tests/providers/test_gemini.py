"""`generateContent`, against the types of google-genai 2.34.0."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from tests.installed import sdk
from tests.providers.sample import tools
from tests.providers.sample_streams import BY_TARGET, gemini_chunk
from tests.providers.sample_turn import MCP_CALLS
from toolhaft import WireError
from toolhaft.providers.ending import Ending
from toolhaft.toolset.wire import Reading

if TYPE_CHECKING:
    from google.genai import types
else:
    types = sdk("google.genai.types")

BOTH = pytest.mark.parametrize("target", ["gemini", "gemini-openapi"])


def call(name: str, args: Any, **more: Any) -> dict[str, Any]:
    return {"functionCall": {"name": name, "args": args, **more}}


WHOLE_TURN = BY_TARGET["gemini"].whole
RESULTS = [
    {
        "functionResponse": {
            "id": one.id,
            "name": one.name,
            "response": {"output" if one.kind is None else "error": one.text},
        }
    }
    for one in MCP_CALLS
]
REPLY = {"role": "user", "parts": RESULTS}


@BOTH
def test_a_request_is_what_the_sdk_types_demand(target: str) -> None:
    for wire in (tools().export(target), tools().export(target, strict="prefer")):
        config = types.GenerateContentConfig.model_validate(wire.request["config"])
        [listed] = config.tools or []
        assert isinstance(listed, types.Tool)
        assert len(listed.function_declarations or []) == 5


@pytest.mark.requirement("answer-whole-turn")
@pytest.mark.usefixtures("known_error_ids")
@BOTH
def test_a_plain_dict_is_answered_call_by_call(target: str) -> None:
    answer = tools().export(target).answer_sync(WHOLE_TURN)
    assert answer.messages == [WHOLE_TURN["candidates"][0]["content"], REPLY]
    assert answer.results == RESULTS


@pytest.mark.requirement("answer-sdk-objects")
@pytest.mark.usefixtures("known_error_ids")
@BOTH
def test_the_sdk_object_is_answered_alike_and_goes_back_as_it_came(target: str) -> None:
    received = types.GenerateContentResponse.model_validate(WHOLE_TURN)
    answer = asyncio.run(tools().export(target).answer(received))
    assert answer.results == RESULTS
    [candidate] = received.candidates or []
    assert answer.messages[0] is candidate.content
    assert tools().export(target).answer_sync(candidate).results == RESULTS


def test_every_message_is_a_content_of_the_sdk() -> None:
    for message in tools().export("gemini").answer_sync(WHOLE_TURN).messages:
        types.Content.model_validate(message)


@pytest.mark.parametrize("content", [{"role": "model"}, {"parts": None}, {"parts": []}])
def test_an_empty_response_adds_no_message_since_the_api_would_refuse_it(content: Any) -> None:
    answer = tools().export("gemini").answer_sync({"candidates": [{"content": content}]})
    assert (answer.done, answer.messages) == (True, [])


def test_a_response_without_calls_is_done() -> None:
    received = gemini_chunk({"text": "Sunny."}, finishReason="STOP")
    answer = tools().export("gemini").answer_sync(received)
    assert (answer.done, answer.messages) == (True, [received["candidates"][0]["content"]])


def test_code_that_the_provider_runs_itself_is_not_ours_to_call() -> None:
    code = {"executableCode": {"language": "PYTHON", "code": "add(1, 2)"}}
    assert tools().export("gemini").calls(gemini_chunk(code)) == []


@pytest.mark.requirement("answer-ids")
def test_calls_without_an_id_are_given_one_by_their_place() -> None:
    received = gemini_chunk(call("add", {}), call("add", {}, id=""), call("add", None, id="call_0"))
    found = tools().export("gemini").calls(received)
    assert [(one.id, one.arguments) for one in found] == [
        ("call_0_", {}),
        ("call_1", {}),
        ("call_0", None),
    ]


@pytest.mark.requirement("answer-truncated-calls")
@pytest.mark.parametrize(
    "received",
    [
        gemini_chunk(call("crash", {}), finishReason="MAX_TOKENS"),
        gemini_chunk(call("crash", None, willContinue=True), finishReason="STOP"),
    ],
)
def test_a_call_that_is_not_at_its_end_is_not_run(received: Any) -> None:
    [outcome] = tools().export("gemini").answer_sync(received).outcomes
    assert getattr(outcome, "kind", None) == "truncated"


@pytest.mark.requirement("answer-truncated-calls")
@pytest.mark.parametrize(
    "received",
    [
        gemini_chunk(call("crash", {}), finishReason="MAX_TOKENS"),
        gemini_chunk(call("crash", None, willContinue=True)),
    ],
)
def test_a_call_of_the_sdk_that_is_not_at_its_end_is_not_run(received: Any) -> None:
    typed = types.GenerateContentResponse.model_validate(received)
    [outcome] = tools().export("gemini").answer_sync(typed).outcomes
    assert getattr(outcome, "kind", None) == "truncated"


def test_a_call_before_the_text_at_which_the_model_was_stopped_is_whole() -> None:
    received = gemini_chunk(
        call("add", {"a": 1, "b": 2}), {"text": "And"}, finishReason="MAX_TOKENS"
    )
    [outcome] = tools().export("gemini").answer_sync(received).outcomes
    assert outcome.text == "3"


@pytest.mark.requirement("wire-errors")
@pytest.mark.parametrize(
    ("received", "field"),
    [
        ({}, "candidates"),
        (None, "candidates"),
        ({"choices": []}, "candidates"),
        ({"candidates": []}, "candidates"),
        ({"candidates": [{}, {}]}, "candidates"),
        ({"candidates": [{}]}, "candidates[0].content"),
        ({"candidates": [{"content": {"parts": {}}}]}, "candidates[0].content.parts"),
        (gemini_chunk({"functionCall": {}}), "candidates[0].content.parts[0].functionCall.name"),
        (
            gemini_chunk(call("add", {}, id=7)),
            "candidates[0].content.parts[0].functionCall.id",
        ),
        (
            gemini_chunk(call("add", {}, id="c"), call("add", {}, id="c")),
            "candidates[0].content.parts[1].functionCall.id",
        ),
    ],
)
def test_another_shape_is_one_error_that_names_the_field(received: Any, field: str) -> None:
    with pytest.raises(WireError) as raised:
        tools().export("gemini").answer_sync(received)
    assert (raised.value.provider, raised.value.field) == ("gemini", field)


# ------------------------------------------------------------------------------ streams


def test_a_signature_stays_in_the_part_that_it_came_in() -> None:
    signed = {"text": "", "thoughtSignature": "c2lnbmVk"}
    events = [
        gemini_chunk({"text": "I "}),
        gemini_chunk({"text": "look."}),
        gemini_chunk(signed),
        gemini_chunk({"text": "A"}),
        gemini_chunk({"text": "B"}, finishReason="STOP"),
    ]
    wire = tools().export("gemini")
    [said] = wire.answer_sync(wire.collect_sync(events)).messages
    assert said["parts"] == [{"text": "I look."}, signed, {"text": "AB"}]
    typed = [types.GenerateContentResponse.model_validate(one) for one in events]
    [said] = wire.answer_sync(wire.collect_sync(typed)).messages
    content = types.Content.model_validate(said)
    assert [(one.text, one.thought_signature) for one in content.parts or []] == [
        ("I look.", None),
        ("", b"signed"),
        ("AB", None),
    ]


def test_calls_of_one_stream_with_one_id_are_an_error() -> None:
    events = [gemini_chunk(call("add", {}, id="c")) for _ in range(2)]
    wire = tools().export("gemini")
    collected = wire.collect_sync([*events, gemini_chunk(finishReason="STOP")])
    with pytest.raises(WireError, match="the same id as"):
        wire.answer_sync(collected)


def test_one_of_several_candidates_is_answered_by_itself() -> None:
    events: list[Any] = [
        {"candidates": [{"index": place, "content": {"parts": [call("add", {"a": n, "b": 1})]}}]}
        for place, n in ((1, 5), (0, 3))
    ]
    ends = [{"index": place, "finishReason": "STOP"} for place in (0, 1)]
    wire = tools().export("gemini")
    with pytest.raises(WireError, match=r"gemini: candidates\[0\]\.finishReason: missing"):
        wire.collect_sync([*events, {"candidates": ends[:1]}])
    collected = wire.collect_sync([*events, {"candidates": ends}])
    with pytest.raises(WireError, match="there are 2; pass the candidate"):
        wire.calls(collected)
    texts = [wire.answer_sync(one).outcomes[0].text for one in collected["candidates"]]
    assert texts == ["4", "6"]


def test_a_stream_that_tells_of_costs_alone_has_no_turn() -> None:
    with pytest.raises(WireError, match=r"^gemini: candidates\[0\]\.finishReason: missing;"):
        tools().export("gemini").collect_sync([{"usageMetadata": {"totalTokenCount": 1}}])


def test_a_prompt_that_was_refused_is_the_same_ending_as_unstreamed() -> None:
    refused = {"promptFeedback": {"blockReason": "SAFETY"}}
    wire = tools().export("gemini")
    for response in (refused, wire.collect_sync([refused])):
        assert wire.read(response) == Reading("", None, Ending("refusal", "SAFETY"))
        assert (wire.calls(response), wire.answer_sync(response).messages) == ([], [])


def test_a_response_without_a_candidate_is_an_error() -> None:
    with pytest.raises(WireError, match="candidates: there are 0"):
        tools().export("gemini").read({"candidates": []})


def test_a_call_without_an_id_is_answered_without_one() -> None:
    wire = tools().export("gemini")
    parts = [call("add", {"a": 1, "b": 1}), call("add", {"a": 2, "b": 2}, id="g1")]
    answer = wire.answer_sync({"candidates": [{"content": {"role": "model", "parts": parts}}]})
    said = [part["functionResponse"] for part in answer.messages[-1]["parts"]]
    assert [one.get("id") for one in said] == [None, "g1"]
    assert [one["response"] for one in said] == [{"output": "2"}, {"output": "4"}]
