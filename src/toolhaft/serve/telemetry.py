"""Traces and metrics by the variables of OpenTelemetry's environment, where any asks for them.

OTEL_TRACES_EXPORTER and OTEL_METRICS_EXPORTER name exporters; an OTLP endpoint asks for `otlp`. The
SDK itself reads the rest: OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES, OTEL_TRACES_SAMPLER and so
on. A provider that the program has set up, as `opentelemetry-instrument` does, is used as it is.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any, Final

from toolhaft.errors import ToolhaftError
from toolhaft.serve.access import MEASURES, Access

if TYPE_CHECKING:
    from opentelemetry.metrics import Histogram

    from toolhaft.observers import Observer

__all__ = ["TelemetryError", "start_telemetry", "stop_telemetry"]

SIGNALS: Final = ("TRACES", "METRICS")
SERVER_ERROR: Final = 500
# The providers set up here, which end with the server: an exporter may write to standard output.
PROVIDERS: Final[list[Any]] = []
# OpenTelemetry Environment Variable Specification 1.50, OTEL_EXPORTER_OTLP_PROTOCOL.
PROTOCOLS: Final = {"grpc": "otlp_proto_grpc", "http/protobuf": "otlp_proto_http"}


class TelemetryError(ToolhaftError):
    """The environment asks for telemetry that is not installed."""


def start_telemetry(environ: Mapping[str, str] = os.environ) -> list[Observer]:
    """Set up what the environment asks for; return the observers of calls that it needs.

    Raises:
        TelemetryError: An exporter is not installed.
    """
    chosen = {signal: _exporters(signal, environ) for signal in SIGNALS}
    if environ.get("OTEL_SDK_DISABLED", "").lower() == "true" or not any(chosen.values()):
        return []
    observers: list[Observer] = []
    try:
        if chosen["TRACES"]:
            _trace(chosen["TRACES"])
            from toolhaft.observers.opentelemetry import OpenTelemetry

            observers.append(OpenTelemetry())
        if chosen["METRICS"]:
            _measure(chosen["METRICS"])
    except ImportError as error:
        raise TelemetryError(
            f"OTEL_*: {error.name} is not installed; pip install opentelemetry-sdk"
        ) from None
    return observers


def stop_telemetry() -> None:
    """Export what is left."""
    while PROVIDERS:
        PROVIDERS.pop().shutdown()


def _exporters(signal: str, environ: Mapping[str, str]) -> list[str]:
    """List the exporters of a signal by the names that packages give them."""
    endpoints = ("OTEL_EXPORTER_OTLP_ENDPOINT", f"OTEL_EXPORTER_OTLP_{signal}_ENDPOINT")
    default = "otlp" if any(environ.get(name) for name in endpoints) else "none"
    named = environ.get(f"OTEL_{signal}_EXPORTER") or default
    protocol = environ.get(f"OTEL_EXPORTER_OTLP_{signal}_PROTOCOL") or environ.get(
        "OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf"
    )
    names = [name.strip() for name in named.split(",")]
    otlp = PROTOCOLS.get(protocol, protocol)
    return [otlp if name == "otlp" else name for name in names if name not in ("", "none")]


def _load(group: str, name: str) -> Any:
    for found in entry_points(group=group, name=name):
        return found.load()()
    raise TelemetryError(
        f"OTEL_*: no exporter {name} is installed; pip install opentelemetry-exporter-otlp"
    )


def _trace(names: list[str]) -> None:
    from opentelemetry import trace
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    if isinstance(trace.get_tracer_provider(), TracerProvider):
        return
    provider = TracerProvider()
    for name in names:
        exporter = _load("opentelemetry_traces_exporter", name)
        provider.add_span_processor(BatchSpanProcessor(exporter))
    trace.set_tracer_provider(provider)
    PROVIDERS.append(provider)


def _measure(names: list[str]) -> None:
    from opentelemetry import metrics
    from opentelemetry.sdk.metrics import MeterProvider
    from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader

    if not isinstance(metrics.get_meter_provider(), MeterProvider):
        exporters = [_load("opentelemetry_metrics_exporter", name) for name in names]
        readers = [PeriodicExportingMetricReader(exporter) for exporter in exporters]
        provider = MeterProvider(metric_readers=readers)
        metrics.set_meter_provider(provider)
        PROVIDERS.append(provider)
    meter = metrics.get_meter("toolhaft")
    # The semantic conventions of HTTP servers, and a histogram of our own for calls.
    requests = meter.create_histogram("http.server.request.duration", unit="s")
    calls = meter.create_histogram("toolhaft.tool.duration", unit="s")
    MEASURES.append(lambda access: _record(access, requests, calls))


def _record(access: Access, requests: Histogram, calls: Histogram) -> None:
    if access.status:
        attributes: dict[str, Any] = {
            "http.request.method": access.method,
            "http.route": access.route,
            "http.response.status_code": access.status,
        }
        if access.status >= SERVER_ERROR:
            attributes["error.type"] = str(access.status)
        requests.record(access.seconds, attributes)
    if access.tool is not None:
        attributes = {"gen_ai.tool.name": access.tool}
        if access.kind != "ok":
            attributes["error.type"] = access.kind
        calls.record(access.seconds, attributes)
