"""A span for each call, by the conventions of OpenTelemetry, seen by its own in-memory exporter."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from tests.installed import needs
from tests.observers.recording import double, fail, login
from toolhaft import ToolCall, Toolset, tool
from toolhaft.observers.details import CallDetails
from toolhaft.observers.opentelemetry import OpenTelemetry


class Spans:
    """A tracer, and the spans that it made, in the order of their ends."""

    def __init__(self) -> None:
        self.exporter = InMemorySpanExporter()
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(self.exporter))
        self.tracer = provider.get_tracer("test")

    @property
    def ended(self) -> list[Any]:
        return list(self.exporter.get_finished_spans())


@pytest.fixture
def spans() -> Spans:
    return Spans()


@pytest.mark.requirement("observers-opentelemetry")
def test_a_call_is_an_internal_span_with_the_names_of_the_conventions(spans: Spans) -> None:
    wire = Toolset([double], observers=[OpenTelemetry(spans.tracer)]).export("openai")
    wire.call_sync(ToolCall("call_1", "double", '{"n": "4"}'))
    [span] = spans.ended
    assert (span.name, span.kind) == ("execute_tool double", SpanKind.INTERNAL)
    assert span.status.status_code is StatusCode.UNSET
    assert dict(span.attributes) == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "double",
        "gen_ai.tool.type": "function",
        "gen_ai.tool.description": "Twice a number.",
        "gen_ai.tool.call.id": "call_1",
        "toolhaft.target": "openai",
        "toolhaft.kind": "ok",
        "toolhaft.effect": "done",
        "toolhaft.coercions": ("number_text",),
    }


@pytest.mark.requirement("observers-opentelemetry")
@pytest.mark.parametrize(
    ("raw", "kind"),
    [('{"how": 1}', "invalid_input"), ({"how": "words"}, "tool_error"), ({"how": "crash"}, None)],
)
def test_a_failure_is_an_error_with_its_kind_and_without_the_words(
    spans: Spans, raw: Any, kind: str | None
) -> None:
    outcome = Toolset([fail], observers=[OpenTelemetry(spans.tracer)]).call_sync("fail", raw)
    [span] = spans.ended
    assert span.status.status_code is StatusCode.ERROR
    assert span.attributes["error.type"] == (kind or "runtime_error")
    assert span.attributes.get("toolhaft.error_id") == getattr(outcome, "error_id", None)
    assert span.events == ()
    assert "sk-live-1" not in span.to_json()
    assert "not today" not in span.to_json()


@pytest.mark.requirement("observers-opentelemetry")
def test_values_are_recorded_only_through_a_redactor(spans: Spans) -> None:
    def masked(call: CallDetails, data: Any) -> Any:
        return {**data, "password": "…"} if "password" in data else {**data, "token": "…"}

    plain = Toolset([login], observers=[OpenTelemetry(spans.tracer)])
    shown = Toolset([login], observers=[OpenTelemetry(spans.tracer, values=masked)])
    for tools in (plain, shown):
        tools.call_sync("login", {"user": "ann", "password": "sk-1"})
    first, second = spans.ended
    assert [name for name in first.attributes if "arguments" in name or "result" in name] == []
    assert json.loads(second.attributes["gen_ai.tool.call.arguments"]) == {
        "user": "ann",
        "password": "…",
    }
    assert json.loads(second.attributes["gen_ai.tool.call.result"]) == {"user": "ann", "token": "…"}
    assert "sk-1" not in first.to_json() + second.to_json()


@pytest.mark.requirement("observers-opentelemetry")
def test_the_span_is_current_in_the_handler_and_calls_side_by_side_keep_apart(
    spans: Spans,
) -> None:
    @tool
    def query(n: int) -> str:
        """Ask a database, in a worker thread."""
        with spans.tracer.start_as_current_span(f"SELECT {n}"):
            return "row"

    tools = Toolset([query], observers=[OpenTelemetry(spans.tracer)])

    async def turn() -> None:
        with spans.tracer.start_as_current_span("turn"):
            await tools.call_all([ToolCall(f"c{n}", "query", {"n": n}) for n in range(3)])

    asyncio.run(turn())
    by_id = {span.context.span_id: span for span in spans.ended}
    inner = [span for span in spans.ended if span.name.startswith("SELECT")]
    found = sorted(
        (one.name, by_id[one.parent.span_id].attributes["gen_ai.tool.call.id"]) for one in inner
    )
    assert found == [("SELECT 0", "c0"), ("SELECT 1", "c1"), ("SELECT 2", "c2")]
    calls = [span for span in spans.ended if span.name == "execute_tool query"]
    assert {by_id[one.parent.span_id].name for one in calls} == {"turn"}
    assert not trace.get_current_span().get_span_context().is_valid


@pytest.mark.requirement("observers-opentelemetry")
def test_a_cancelled_call_ends_its_span(spans: Spans) -> None:
    begun = asyncio.Event()

    @tool
    async def wait() -> None:
        """Wait for ever."""
        begun.set()
        await asyncio.Event().wait()

    async def cancelled() -> None:
        tools = Toolset([wait], observers=[OpenTelemetry(spans.tracer)])
        call = asyncio.create_task(tools.call("wait"))
        await begun.wait()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call

    asyncio.run(cancelled())
    [span] = spans.ended
    assert span.attributes["error.type"] == "cancelled"
    assert span.status.status_code is StatusCode.ERROR


def test_a_name_that_the_model_made_up_is_no_name_of_a_span(spans: Spans) -> None:
    Toolset([double], observers=[OpenTelemetry(spans.tracer)]).call_sync("dubble", {})
    [span] = spans.ended
    assert (span.name, span.attributes["gen_ai.tool.name"]) == ("execute_tool", "dubble")
    assert span.attributes["error.type"] == "unknown_tool"


def test_without_a_provider_calls_run_unrecorded() -> None:
    tools = Toolset([double], observers=[OpenTelemetry()])
    assert tools.call_sync("double", {"n": 4}).unwrap() == 8


@needs("opentelemetry-sdk", "1.39")  # arguments and results of tools have names
def test_the_names_match_the_installed_registry() -> None:
    from opentelemetry.semconv._incubating.attributes import gen_ai_attributes as registry

    registered = {value for name, value in vars(registry).items() if name.startswith("GEN_AI_")}
    seen = Spans()
    tools = Toolset([double], observers=[OpenTelemetry(seen.tracer, values=lambda _, data: data)])
    tools.call_all_sync([ToolCall("c1", "double", {"n": 1})])
    ours = {name for name in seen.ended[0].attributes if name.startswith("gen_ai.")}
    assert len(ours) == 7
    assert ours <= registered
