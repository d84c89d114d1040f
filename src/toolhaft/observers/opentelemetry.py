"""A span of OpenTelemetry for every call: `pip install 'toolhaft[opentelemetry]'`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolhaft.observers import Finish, gen_ai
from toolhaft.observers.details import CallDetails, CallStarted, Redactor

if TYPE_CHECKING:
    from opentelemetry.trace import Span, Tracer

__all__ = ["OpenTelemetry"]


class OpenTelemetry:
    """Record a span `execute_tool NAME` around each call, current while the handler runs.

    A call that fails has the status ERROR and its kind as `error.type`.

    Args:
        tracer: The tracer; by default one of the global provider.
        values: A function that redacts arguments and results; without it no value is recorded.
    """

    def __init__(self, tracer: Tracer | None = None, *, values: Redactor | None = None) -> None:
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

    def _end_span(self, span: Span, done: CallDetails) -> None:
        from opentelemetry.trace import StatusCode

        if not span.is_recording():
            return
        span.set_attributes(gen_ai.end_attributes(done))
        if done.failed:
            span.set_status(StatusCode.ERROR)
        if self._values is not None:
            span.set_attributes(gen_ai.value_attributes(done, self._values))
