"""A span for a run of the agent loop and for each turn of the model, with the calls inside."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.trace import SpanKind, StatusCode

from tests.observers.recording import double
from tests.observers.test_opentelemetry import Spans
from toolhaft import Toolset
from toolhaft.agent_loop import ModelTurn, Streamed, Usage, run, run_sync
from toolhaft.observers.opentelemetry import OpenTelemetry
from toolhaft.observers.runs import Ended, Started
from toolhaft.testing import ScriptedModel, ScriptedTurn

CALL = ScriptedTurn(calls=[("double", {"n": 4})], usage=Usage(10, 4, 3, 2))
ANSWER = ScriptedTurn("Eight.", usage=Usage(20, 5, 4, 1))


@pytest.fixture
def spans() -> Spans:
    return Spans()


def tools(spans: Spans) -> Toolset:
    return Toolset([double], observers=[OpenTelemetry(spans.tracer)])


def asked(spans: Spans, target: str = "openai", **options: Any) -> dict[str, Any]:
    return {"model": "gpt-x", "messages": [], "tools": tools(spans).export(target), **options}


@pytest.mark.requirement("observers-runs")
@pytest.mark.parametrize("stream", [False, True])
def test_a_run_is_a_span_around_its_turns_and_calls(spans: Spans, stream: bool) -> None:
    list(run_sync(ScriptedModel(CALL, ANSWER), **asked(spans, stream=stream)))
    first, called, second, whole = spans.ended
    names = [span.name for span in spans.ended]
    assert names == ["chat gpt-x", "execute_tool double", "chat gpt-x", "invoke_agent"]
    assert [span.kind for span in spans.ended] == [
        SpanKind.CLIENT,
        SpanKind.INTERNAL,
        SpanKind.CLIENT,
        SpanKind.INTERNAL,
    ]
    parents = [span.parent and span.parent.span_id for span in spans.ended]
    assert parents == [whole.context.span_id] * 3 + [None]
    assert {span.status.status_code for span in (first, called, second, whole)} == {
        StatusCode.UNSET
    }
    asked_in_a_stream = {"gen_ai.request.stream": True} if stream else {}
    assert dict(first.attributes) == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "gpt-x",
        **asked_in_a_stream,
        "gen_ai.response.finish_reasons": ("completed",),
        "gen_ai.response.id": "resp_1",
        "gen_ai.response.model": "gpt-x",
        "gen_ai.usage.cache_read.input_tokens": 3,
        "gen_ai.usage.input_tokens": 10,
        "gen_ai.usage.output_tokens": 4,
        "gen_ai.usage.reasoning.output_tokens": 2,
        "toolhaft.target": "openai",
        "toolhaft.turn": 1,
    }
    assert dict(whole.attributes) == {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "gpt-x",
        "gen_ai.usage.cache_read.input_tokens": 7,
        "gen_ai.usage.input_tokens": 30,
        "gen_ai.usage.output_tokens": 9,
        "gen_ai.usage.reasoning.output_tokens": 3,
        "toolhaft.reason": "done",
        "toolhaft.target": "openai",
    }


@pytest.mark.requirement("observers-runs")
def test_gemini_has_names_of_its_own(spans: Spans) -> None:
    list(run_sync(ScriptedModel(ANSWER, target="gemini"), **asked(spans, "gemini")))
    turn, _ = spans.ended
    assert turn.name == "generate_content gpt-x"
    assert turn.attributes["gen_ai.provider.name"] == "gcp.gen_ai"
    assert turn.attributes["gen_ai.response.finish_reasons"] == ("STOP",)
    assert turn.attributes["gen_ai.response.id"] == "response_1"


@pytest.mark.requirement("observers-runs")
def test_nothing_of_a_run_is_current_in_the_program_between_two_events(spans: Spans) -> None:
    current: list[Any] = []

    async def held() -> None:
        with spans.tracer.start_as_current_span("program") as program:
            events = run(ScriptedModel(CALL, ANSWER), **asked(spans, stream=True))
            current.extend([trace.get_current_span() is program async for _ in events])

    asyncio.run(held())
    assert all(current)
    *_, whole, program = spans.ended
    assert (whole.name, whole.parent.span_id) == ("invoke_agent", program.context.span_id)


@pytest.mark.requirement("observers-runs")
def test_a_turn_is_current_while_the_client_sends_its_request(spans: Spans) -> None:
    async def client(**request: Any) -> Any:
        with spans.tracer.start_as_current_span("POST"):
            return {"output": []}

    list(run_sync(client, **asked(spans)))
    sent, turn, _ = spans.ended
    assert (sent.name, sent.parent.span_id) == ("POST", turn.context.span_id)


@pytest.mark.requirement("observers-runs")
def test_failures_and_exceptions_are_errors_without_their_words(spans: Spans) -> None:
    list(run_sync(ScriptedModel(ScriptedTurn(stop="failed")), **asked(spans)))
    turn, whole = spans.ended
    for span in (turn, whole):
        assert span.status.status_code is StatusCode.ERROR
        assert (span.attributes["error.type"], span.events) == ("_OTHER", ())
    assert whole.attributes["toolhaft.reason"] == "failed"

    async def client(**request: Any) -> Any:
        raise ConnectionError("secret")

    with pytest.raises(ConnectionError):
        list(run_sync(client, **asked(spans)))
    for span in spans.ended[2:]:
        assert span.status.status_code is StatusCode.ERROR
        assert span.attributes["error.type"] == "ConnectionError"
        assert "secret" not in str(span.to_json())


@pytest.mark.requirement("observers-runs")
@pytest.mark.parametrize("left_at", [Streamed, ModelTurn])
def test_a_run_that_is_left_is_no_error(spans: Spans, left_at: type) -> None:
    events = run_sync(ScriptedModel(CALL, ANSWER), **asked(spans, stream=True))
    assert any(isinstance(event, left_at) for event in events)
    del events
    whole = spans.ended[-1]
    assert (whole.name, whole.attributes["toolhaft.reason"]) == ("invoke_agent", "cancelled")
    assert whole.status.status_code is StatusCode.UNSET


class Broken:
    """An observer that raises wherever it can."""

    def started(self, call: Any, /) -> None:
        """See nothing of calls."""

    def run_started(self, run: Started, /) -> Broken:
        return self

    def turn_started(self, turn: Started, /) -> None:
        raise RuntimeError("turn")

    def active(self) -> Any:
        raise RuntimeError("active")

    def finished(self, ended: Ended, /) -> None:
        raise RuntimeError("finished")


@pytest.mark.requirement("observers-runs")
def test_an_observer_that_raises_is_logged_and_breaks_no_run(
    caplog: pytest.LogCaptureFixture,
) -> None:
    wire = Toolset([double], observers=[Broken()]).export("openai")
    with caplog.at_level(logging.ERROR):
        events = list(run_sync(ScriptedModel(CALL, ANSWER), model="m", messages=[], tools=wire))
    assert [type(event).__name__ for event in events] == [
        "ModelTurn",
        "Called",
        "ModelTurn",
        "Finished",
    ]
    assert "Broken" in caplog.text
