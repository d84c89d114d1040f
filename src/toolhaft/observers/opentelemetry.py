"""Spans of OpenTelemetry for calls, runs and turns: `pip install 'toolhaft[opentelemetry]'`."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from toolhaft.observers import Finish, gen_ai
from toolhaft.observers.details import CallDetails, CallStarted, Redactor
from toolhaft.observers.runs import Ended, Scope, Started
from toolhaft.packages import naming_extra

if TYPE_CHECKING:
    from opentelemetry.trace import Span, SpanKind, Tracer

__all__ = ["OpenTelemetry"]


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
            gen_ai.span_name(call), kind=SpanKind.INTERNAL, attributes=gen_ai.start_attributes(call)
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
        name, attributes = gen_ai.started_name(started), gen_ai.started_attributes(started)
        span = self._tracer.start_span(name, kind=kind, attributes=attributes)
        return _SpanScope(span, started)

    def _end_span(self, span: Span, done: CallDetails) -> None:
        from opentelemetry.trace import StatusCode

        if not span.is_recording():
            return
        span.set_attributes(gen_ai.end_attributes(done))
        if done.failed:
            span.set_status(StatusCode.ERROR)
        if self._values is not None:
            span.set_attributes(gen_ai.value_attributes(done, self._values))


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

        self._span.set_attributes(gen_ai.ended_attributes(self._started, ended))
        if ended.failed:
            self._span.set_status(StatusCode.ERROR)
        self._span.end()
