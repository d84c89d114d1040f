"""The Converse API, against the service model of botocore 1.44.5."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from tests.installed import sdk
from tests.providers.sample import tools
from tests.providers.sample_streams import BY_TARGET
from tests.providers.sample_turn import CALLS
from toolhaft import WireError

STREAM = BY_TARGET["bedrock"]
WHOLE_TURN = STREAM.whole


@cache
def model() -> Any:
    """botocore's model of the service; it has no types."""
    return sdk("botocore.session").get_session().get_service_model("bedrock-runtime")


def faults(data: Any, shape: str) -> str:
    """botocore's errors for data to be sent, or received, as a shape of the service."""
    validator = sdk("botocore.validate").ParamValidator()
    report: str = validator.validate(data, model().shape_for(shape)).generate_report()
    return report


def use(call_id: str, name: str, arguments: Any, **more: Any) -> dict[str, Any]:
    return {"toolUse": {"toolUseId": call_id, "name": name, "input": arguments, **more}}


def response(*content: Any, stop_reason: str = "tool_use") -> dict[str, Any]:
    message = {"role": "assistant", "content": list(content)}
    return {"output": {"message": message}, "stopReason": stop_reason}


RESULTS = [
    {
        "toolResult": {
            "toolUseId": one.id,
            "content": [{"text": one.text}],
            "status": "success" if one.kind is None else "error",
        }
    }
    for one in CALLS
]


def test_the_samples_are_of_the_services_own_shapes() -> None:
    assert faults(WHOLE_TURN, "ConverseResponse") == ""
    assert [faults(one, "ConverseStreamOutput") for one in STREAM.events] == [""] * len(
        STREAM.events
    )


def test_a_request_is_what_the_service_model_demands() -> None:
    for wire in (tools().export("bedrock"), tools().export("bedrock", strict="prefer")):
        assert faults({"modelId": "m", **wire.request}, "ConverseRequest") == ""


@pytest.mark.requirement("answer-whole-turn")
@pytest.mark.usefixtures("known_error_ids")
def test_all_results_go_into_one_user_message() -> None:
    answer = tools().export("bedrock").answer_sync(WHOLE_TURN)
    assert answer.messages == [
        WHOLE_TURN["output"]["message"],
        {"role": "user", "content": RESULTS},
    ]
    assert answer.messages[0] is WHOLE_TURN["output"]["message"]
    assert answer.results == RESULTS
    assert faults({"modelId": "m", "messages": answer.messages}, "ConverseRequest") == ""


@pytest.mark.usefixtures("known_error_ids")
def test_the_messages_of_a_stream_are_what_the_service_model_demands() -> None:
    wire = tools().export("bedrock")
    answer = wire.answer_sync(wire.collect_sync(STREAM.events))
    assert answer.results == RESULTS
    assert faults({"modelId": "m", "messages": answer.messages}, "ConverseRequest") == ""


def test_a_response_without_calls_is_done() -> None:
    received = response({"text": "Sunny."}, stop_reason="end_turn")
    answer = tools().export("bedrock").answer_sync(received)
    assert (answer.done, answer.messages) == (True, [received["output"]["message"]])
    answer = tools().export("bedrock").answer_sync(response(stop_reason="end_turn"))
    assert (answer.done, answer.messages) == (True, [])


def test_the_providers_own_tools_are_not_ours_to_call() -> None:
    own = use("t1", "add", {"a": 1, "b": 2}, type="server_tool_use")
    result = {"toolResult": {"toolUseId": "t1", "content": [{"text": "3"}], "type": "x"}}
    assert tools().export("bedrock").calls(response(own, result)) == []


@pytest.mark.requirement("answer-truncated-calls")
@pytest.mark.parametrize("reason", ["max_tokens", "model_context_window_exceeded"])
def test_the_call_at_which_the_model_was_stopped_is_not_run(reason: str) -> None:
    whole, cut = use("t1", "add", {"a": 1, "b": 2}), use("t2", "crash", {})
    answer = tools().export("bedrock").answer_sync(response(whole, cut, stop_reason=reason))
    assert [getattr(one, "kind", None) for one in answer.outcomes] == [None, "truncated"]


@pytest.mark.requirement("wire-errors")
@pytest.mark.parametrize(
    ("received", "field"),
    [
        ({}, "output"),
        (None, "output"),
        ({"choices": []}, "output"),
        ({"output": {}}, "output.message"),
        ({"output": {"message": {}}}, "output.message.content"),
        (response({"toolUse": {"toolUseId": "t"}}), "output.message.content[0].toolUse.name"),
        (response(use("t", "add", {}), use("t", "add", {})),
         "output.message.content[1].toolUse.toolUseId"),
        ({"role": "assistant", "content": "Sunny."}, "content"),
    ],
)  # fmt: skip
def test_another_shape_is_one_error_that_names_the_field(received: Any, field: str) -> None:
    with pytest.raises(WireError) as raised:
        tools().export("bedrock").answer_sync(received)
    assert (raised.value.provider, raised.value.field) == ("bedrock", field)


# ------------------------------------------------------------------------------ streams


def block(*deltas: Any, start: Any = None, index: int = 0) -> list[Any]:
    at = {"contentBlockIndex": index}
    begun = [] if start is None else [{"contentBlockStart": {"start": start, **at}}]
    going_on = [{"contentBlockDelta": {"delta": delta, **at}} for delta in deltas]
    return [*begun, *going_on, {"contentBlockStop": at}]


def collected(*events: Any, stop_reason: str = "tool_use") -> Any:
    ended = [*events, {"messageStop": {"stopReason": stop_reason}}]
    assert [faults(one, "ConverseStreamOutput") for one in ended] == [""] * len(ended)
    response = tools().export("bedrock").collect_sync(ended)
    assert faults(response["output"]["message"], "Message") == ""
    return response


def test_text_with_sources_is_one_block_of_both() -> None:
    sources = [{"citation": {"title": title}} for title in ("A", "B")]
    whole = collected(*block({"text": "Sun"}, sources[0], {"text": "ny."}, sources[1]))
    cited = {"content": [{"text": "Sunny."}], "citations": [{"title": "A"}, {"title": "B"}]}
    assert whole["output"]["message"]["content"] == [{"citationsContent": cited}]


def test_what_the_provider_runs_itself_is_kept_and_not_called() -> None:
    own = {"toolUse": {"toolUseId": "s1", "name": "add", "type": "server_tool_use"}}
    result = {"toolResult": {"toolUseId": "s1"}}
    whole = collected(
        *block({"toolUse": {"input": '{"a": 1}'}}, start=own),
        *block({"toolResult": [{"text": "3"}]}, start=result, index=1),
    )
    assert tools().export("bedrock").calls(whole) == []
    assert whole["output"]["message"]["content"] == [
        {"toolUse": {**own["toolUse"], "input": {"a": 1}}},
        {"toolResult": {"toolUseId": "s1", "content": [{"text": "3"}]}},
    ]


def test_a_call_without_a_piece_of_input_has_no_arguments() -> None:
    start = {"toolUse": {"toolUseId": "t1", "name": "crash"}}
    [call] = tools().export("bedrock").calls(collected(*block(start=start)))
    assert call.arguments == {}


@pytest.mark.requirement("answer-truncated-calls")
def test_a_call_at_which_a_stream_was_stopped_is_not_run() -> None:
    start = {"toolUse": {"toolUseId": "t1", "name": "crash"}}
    whole = collected(*block(start=start), stop_reason="max_tokens")
    [outcome] = tools().export("bedrock").answer_sync(whole).outcomes
    assert getattr(outcome, "kind", None) == "truncated"


def test_the_calls_of_a_stream_with_one_id_are_an_error() -> None:
    start = {"toolUse": {"toolUseId": "t1", "name": "crash"}}
    whole = collected(*block(start=start), *block(start=start, index=1))
    with pytest.raises(WireError, match="the same id as"):
        tools().export("bedrock").answer_sync(whole)
