"""Spans of OpenTelemetry for calls, runs and turns: `pip install 'toolhaft[opentelemetry]'`."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Final

from toolhaft.jsonio import jsontext
from toolhaft.observers import Finish
from toolhaft.observers.details import CallDetails, CallStarted, Redactor
from toolhaft.observers.runs import Ended, Scope, Started
from toolhaft.packages import naming_extra

if TYPE_CHECKING:
    from opentelemetry.trace import Span, SpanKind, Tracer

__all__ = ["OpenTelemetry"]

# Where the conventions have another name for a provider than the target's.
PROVIDERS: Final = {
    "bedrock": "aws.bedrock",
    "gemini": "gcp.gen_ai",
    "gemini-openapi": "gcp.gen_ai",
    "mistral": "mistral_ai",
    "openai-chat": "openai",
    "xai": "x_ai",
}


class OpenTelemetry:
    """Record a span `execute_tool NAME` around each call, current while the handler runs.

    A call that fails has the status ERROR and its kind as `error.type`. A run of the agent loop has
    a span `invoke_agent`, with a span `chat MODEL` for each turn of the model and the spans of the
    calls in it.

    Args:
        tracer: The tracer; by default one of the global provider.
        values: A function that redacts arguments and results; without it no value is recorded.
    """

    def __init__(self, tracer: Tracer | None = None, *, values: Redactor | None = None) -> None:
        user, extra = "toolhaft.observers.opentelemetry", "toolhaft[opentelemetry]"
        with naming_extra(user, "opentelemetry", extra):
            from opentelemetry import trace

        self._tracer = tracer or trace.get_tracer("toolhaft")
        self._values = values
        self.reads_values: bool = values is not None

    def started(self, call: CallStarted, /) -> Finish:
        """Handle the start of a call; see `Observer.started`.

        Args:
            call: The call before anything was done about it.
        """
        from opentelemetry.trace import SpanKind

        current = self._tracer.start_as_current_span(
            span_name(call), kind=SpanKind.INTERNAL, attributes=start_attributes(call)
        )
        span = current.__enter__()

        def finished(done: CallDetails) -> None:
            try:
                self._end_span(span, done)
            finally:
                current.__exit__(None, None, None)

        return finished

    def run_started(self, run: Started, /) -> Scope:
        """Handle the start of a run; see `RunObserver.run_started`.

        Args:
            run: The run before its first request.
        """
        from opentelemetry.trace import SpanKind

        return self._start_span(run, SpanKind.INTERNAL)

    def turn_started(self, turn: Started, /) -> Scope:
        """Handle the start of a turn; see `RunObserver.turn_started`.

        Args:
            turn: The turn before its request.
        """
        from opentelemetry.trace import SpanKind

        return self._start_span(turn, SpanKind.CLIENT)

    def _start_span(self, started: Started, kind: SpanKind) -> Scope:
        name, attributes = started_name(started), started_attributes(started)
        span = self._tracer.start_span(name, kind=kind, attributes=attributes)
        return _SpanScope(span, started)

    def _end_span(self, span: Span, done: CallDetails) -> None:
        from opentelemetry.trace import StatusCode

        if not span.is_recording():
            return
        span.set_attributes(end_attributes(done))
        if done.failed:
            span.set_status(StatusCode.ERROR)
        if self._values is not None:
            span.set_attributes(value_attributes(done, self._values))


class _SpanScope:
    """The span of a run or a turn, which is current only while code of it runs."""

    def __init__(self, span: Span, started: Started) -> None:
        self._span, self._started = span, started

    def active(self) -> AbstractContextManager[Span]:
        from opentelemetry.trace import use_span

        # Neither is an exception recorded: its message may have values.
        return use_span(self._span, record_exception=False, set_status_on_exception=False)

    def finished(self, ended: Ended, /) -> None:
        from opentelemetry.trace import StatusCode

        self._span.set_attributes(ended_attributes(self._started, ended))
        if ended.failed:
            self._span.set_status(StatusCode.ERROR)
        self._span.end()


def span_name(call: CallStarted) -> str:
    """Return the name of a span, without an unknown tool's name: models invent many names."""
    return f"execute_tool {call.tool}" if call.known else "execute_tool"


def start_attributes(call: CallStarted) -> dict[str, Any]:
    """The attributes that are known before a call runs."""
    return _without_nones(
        {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": call.tool,
            "gen_ai.tool.type": "function",
            "gen_ai.tool.description": call.description,
            "gen_ai.tool.call.id": call.call_id,
            "toolhaft.target": call.target,
        }
    )


def end_attributes(done: CallDetails) -> dict[str, Any]:
    """The attributes of the outcome; `error.type` is the kind of one that is not `ok`."""
    return _without_nones(
        {
            "error.type": done.kind if done.failed else None,
            "toolhaft.kind": done.kind,
            "toolhaft.effect": done.effect,
            "toolhaft.error_id": done.error_id,
            "toolhaft.issues": done.issue_codes or None,
            "toolhaft.coercions": done.coercion_rules or None,
        }
    )


def started_name(started: Started) -> str:
    """Return the name of the span of a run or a turn."""
    operation = _operation(started)
    return operation if started.number is None else f"{operation} {started.model}"


def _operation(started: Started) -> str:
    if started.number is None:
        return "invoke_agent"
    return "generate_content" if started.target.startswith("gemini") else "chat"


def started_attributes(started: Started) -> dict[str, Any]:
    """Return the attributes of a run or a turn that are known before its first request."""
    return _without_nones(
        {
            "gen_ai.operation.name": _operation(started),
            "gen_ai.provider.name": PROVIDERS.get(started.target, started.target),
            "gen_ai.request.model": started.model,
            "gen_ai.request.stream": True if started.stream and started.number else None,
            "toolhaft.target": started.target,
            "toolhaft.turn": started.number,
        }
    )


def ended_attributes(started: Started, ended: Ended) -> dict[str, Any]:
    """Return the attributes of how a run or a turn ended."""
    is_turn = started.number is not None
    return _without_nones(
        {
            **_usage_attributes(ended),
            "error.type": (ended.error or "_OTHER") if ended.failed else None,
            "gen_ai.response.finish_reasons": (ended.reason,) if is_turn and ended.reason else None,
            "gen_ai.response.id": ended.id,
            "gen_ai.response.model": ended.model,
            "toolhaft.reason": None if is_turn else ended.reason,
        }
    )


def _usage_attributes(ended: Ended) -> dict[str, Any]:
    if ended.usage is None:
        return {}
    return {
        "gen_ai.usage.cache_read.input_tokens": ended.usage.cached,
        "gen_ai.usage.input_tokens": ended.usage.input,
        "gen_ai.usage.output_tokens": ended.usage.output,
        "gen_ai.usage.reasoning.output_tokens": ended.usage.reasoning,
    }


def value_attributes(done: CallDetails, redact: Redactor) -> dict[str, str]:
    """Arguments and result as JSON text, as far as a redactor shows them."""
    shown = done.values(redact)
    return {f"gen_ai.tool.call.{name}": jsontext.write(value) for name, value in shown.items()}


def _without_nones(attributes: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in attributes.items() if value is not None}
