"""The environment of OpenTelemetry decides what is exported, and by which exporter."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from opentelemetry import metrics, trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader

from toolhaft.serve import telemetry
from toolhaft.serve.access import Access
from toolhaft.serve.telemetry import TelemetryError, start_telemetry


@pytest.fixture(autouse=True)
def nothing_is_set_up(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, name in ((trace, "get_tracer_provider"), (metrics, "get_meter_provider")):
        monkeypatch.setattr(module, name, object)


ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT"


@pytest.mark.parametrize(
    "environ",
    [
        {},
        {"OTEL_TRACES_EXPORTER": "none"},
        {ENDPOINT: "", "OTEL_METRICS_EXPORTER": " , none"},
        {ENDPOINT: "http://x", "OTEL_SDK_DISABLED": "True"},
        {ENDPOINT: "http://x", "OTEL_TRACES_EXPORTER": "none", "OTEL_METRICS_EXPORTER": "none"},
        {"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"},
    ],
)
def test_nothing_is_exported_where_nothing_asks_for_it(environ: dict[str, str]) -> None:
    assert start_telemetry(environ) == []


# None of these exporters is installed where the tests run, and the error names it.
@pytest.mark.parametrize(
    ("environ", "exporter"),
    [
        ({"OTEL_TRACES_EXPORTER": "a"}, "a"),
        ({"OTEL_METRICS_EXPORTER": "none, a"}, "a"),
        ({"OTEL_TRACES_EXPORTER": "a", "OTEL_SDK_DISABLED": "no"}, "a"),
        ({ENDPOINT: "http://x"}, "otlp_proto_http"),
        ({"OTEL_TRACES_EXPORTER": "otlp"}, "otlp_proto_http"),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://x"}, "otlp_proto_http"),
        ({"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT": "http://x"}, "otlp_proto_http"),
        ({ENDPOINT: "http://x", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, "otlp_proto_grpc"),
        ({ENDPOINT: "http://x", "OTEL_EXPORTER_OTLP_PROTOCOL": "http/json"}, "http/json"),
        (
            {
                ENDPOINT: "http://x",
                "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "grpc",
                "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf",
            },
            "otlp_proto_grpc",
        ),
    ],
)
def test_the_environment_names_the_exporter(environ: dict[str, str], exporter: str) -> None:
    with pytest.raises(TelemetryError) as raised:
        start_telemetry(environ)
    assert str(raised.value) == (
        f"OTEL_*: no exporter {exporter} is installed; pip install opentelemetry-exporter-otlp"
    )


def points(reader: InMemoryMetricReader) -> Iterator[tuple[str, float, dict[str, Any]]]:
    data = reader.get_metrics_data()
    assert data is not None
    for metric in data.resource_metrics[0].scope_metrics[0].metrics:
        for point in metric.data.data_points:
            yield f"{metric.name} {metric.unit}", point.sum, dict(point.attributes or {})  # type: ignore[union-attr]


def test_requests_and_calls_are_measured_by_what_they_were(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reader = InMemoryMetricReader()
    provider = MeterProvider(metric_readers=[reader])
    monkeypatch.setattr(metrics, "get_meter_provider", lambda: provider)
    monkeypatch.setattr(metrics, "get_meter", provider.get_meter)
    measures: list[Any] = []
    monkeypatch.setattr(telemetry, "MEASURES", measures)
    assert start_telemetry({"OTEL_METRICS_EXPORTER": "console"}) == []
    [measure] = measures
    ended = [(200, "ok", "add"), (500, "runtime_error", "add"), (404, "ok", None)]
    for status, kind, tool in ended:
        access = Access("POST")
        access.route, access.seconds = "/tools/{name}", 0.5
        access.status, access.kind, access.tool = status, kind, tool
        measure(access)
    request = {"http.request.method": "POST", "http.route": "/tools/{name}"}
    requests, calls = "http.server.request.duration s", "toolhaft.tool.duration s"
    code, error, name = "http.response.status_code", "error.type", "gen_ai.tool.name"
    assert list(points(reader)) == [
        (requests, 0.5, {**request, code: 200}),
        (requests, 0.5, {**request, code: 500, error: "500"}),
        (requests, 0.5, {**request, code: 404}),
        (calls, 0.5, {name: "add"}),
        (calls, 0.5, {name: "add", error: "runtime_error"}),
    ]
