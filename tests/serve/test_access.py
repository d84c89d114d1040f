"""Each request is one line of the log, without anything that a client wrote."""

from __future__ import annotations

import json
import logging
import re
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import spawned
from tests.serve.served import served
from toolhaft import ToolError, Toolset, tool
from toolhaft.cli.serve_logging import FORM, AccessLines, JsonFormatter
from toolhaft.serve.access import Access

pytestmark = pytest.mark.requirement("serve-log")


@tool
def pay(to: str) -> str:
    """Pay somebody."""
    if to == "crash":
        raise RuntimeError("secret")
    if to == "nobody":
        raise ToolError("there is nobody")
    return "paid"


def user_of(request: Any) -> dict[str, str]:
    return {"identity": request.headers.get("user", "guest")}


def line(record: logging.LogRecord) -> str:
    """Give a record as a person reads it, without its time and ids."""
    text = re.sub(r"\d+\.\d ms", "T", record.getMessage())
    return f"{record.levelname} " + re.sub("id=[0-9a-f]{12}", "id=ID", text)


def test_a_request_is_one_line(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "toolhaft.access")
    with served(Toolset([pay]), context=user_of) as server:
        server.post("/tools/pay", {"to": "ann"}, user="bob\x85")
        server.post("/tools/pay", {"to": "nobody"})
        server.post("/tools/pay", {"to": "crash"})
        server.post("/tools/hunter2", {})
        server.request("GET", "/tools/pay")
        server.request("GET", "/health")
        server.request("GET", "/hunter2?hunter2")
        server.request("GET", "/tools", host="evil.example")
    logged = [line(one) for one in caplog.records if one.name == "toolhaft.access"]
    refused = "this host is not served here; name it in hosts= or --allow-host"
    assert logged == [
        r"INFO POST /tools/{tool} pay 200 ok T caller=bob\x85",
        "INFO POST /tools/{tool} pay 409 tool_error T caller=guest",
        "INFO POST /tools/{tool} pay 500 runtime_error T caller=guest id=ID",
        "INFO POST /tools/{tool} 404 unknown_tool T caller=guest",
        "INFO GET /tools/{tool} 200 T caller=guest",
        "DEBUG GET /health 200 T",
        "WARNING GET - 404 T caller=guest (nothing is served here; tools are under /tools)",
        f"WARNING GET - 421 T ({refused})",
    ]


def test_a_call_over_mcp_is_logged_with_its_tool(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "toolhaft.access")
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params = {"name": "pay", "arguments": {"to": "ann"}, "_meta": meta}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    headers = {"mcp_protocol_version": "2026-07-28", "mcp_method": "tools/call", "mcp_name": "pay"}
    with served(Toolset([pay])) as server:
        server.post("/mcp", message, accept="application/json, text/event-stream", **headers)
    assert [line(one) for one in caplog.records] == ["INFO POST /mcp pay 200 ok T"]


def test_a_record_is_one_object_of_json() -> None:
    record = logging.LogRecord("toolhaft.access", logging.INFO, "", 0, "a %s", ("b",), None)
    record.access = {"method": "GET", "status": 200}
    written = json.loads(JsonFormatter().format(record))
    assert written.pop("time")[:2] == "20"
    assert written == {
        "level": "info",
        "logger": "toolhaft.access",
        "message": "a b",
        "access": {"method": "GET", "status": 200},
    }


@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize("reason", [None, "no such page"])
def test_a_line_is_as_a_record_of_the_same_request_would_be(form: str, reason: str | None) -> None:
    access = Access("POST")
    access.route, access.status, access.caller, access.reason = "/tools/{tool}", 200, "ann", reason
    access.tool, access.kind, access.error_id = "pay", "ok", "0123"
    stream = StringIO()
    lines = AccessLines(stream, logging.INFO, form)
    record = logging.LogRecord("toolhaft.access", access.level, "", 0, access.line, None, None)
    record.access = access.facts
    formatter = JsonFormatter() if form == "json" else logging.Formatter(FORM)
    lines(access)
    digits = re.compile("[0-9]{4}-[0-9-]+[ T][0-9:]+[,.][0-9]{3}")
    written = f"{formatter.format(record)}\n"
    assert digits.sub("T", stream.getvalue()) == digits.sub("T", written)
    probe = Access("GET")
    probe.route, probe.status = "/health", 200
    lines(probe)
    assert stream.getvalue().count("\n") == 1
    stream.close()
    lines(access)  # nobody reads the log any more


CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
MODULE = """
from toolhaft import Toolset, tool
from toolhaft.observers.logging import Logging

@tool
def add(a: int, b: int) -> int:
    "Add."
    return a + b

tools = Toolset([add], observers=[Logging()])
"""


def test_over_stdio_the_log_and_the_traces_go_to_standard_error(tmp_path: Path) -> None:
    (tmp_path / "tools.py").write_text(MODULE)
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params = {"name": "add", "arguments": {"a": 1, "b": 2}, "_meta": meta}
    ran = spawned(
        *("serve", "tools.py", "--stdio", "--log-format", "json"),
        cwd=tmp_path,
        input=json.dumps({**CALL, "params": params}).encode(),
        OTEL_TRACES_EXPORTER="console",
        OTEL_METRICS_EXPORTER="console",
    )
    assert ran.json["result"]["structuredContent"] == 3
    lines = [json.loads(line) for line in ran.err.splitlines() if line.startswith('{"time"')]
    found = [(one["logger"], one.get("access", one.get("tool_call"))) for one in lines]
    assert [name for name, _ in found] == ["toolhaft.calls", "toolhaft.access"]
    assert found[1][1].items() >= {"method": "MCP", "tool": "add", "kind": "ok"}.items()
    assert '"name": "execute_tool add"' in ran.err
    assert '"name": "toolhaft.tool.duration"' in ran.err


@pytest.mark.parametrize("name", ["OTEL_TRACES_EXPORTER", "OTEL_METRICS_EXPORTER"])
def test_an_exporter_that_is_not_installed_is_one_line(tmp_path: Path, name: str) -> None:
    (tmp_path / "tools.py").write_text(MODULE)
    environment: dict[str, Any] = {name: "nowhere"}
    ran = spawned("serve", "tools.py", "--stdio", cwd=tmp_path, **environment)
    reason = "no exporter nowhere is installed; pip install opentelemetry-exporter-otlp"
    assert (ran.code, ran.out, ran.err) == (2, "", f"error: OTEL_*: {reason}\n")


def test_the_facts_of_a_request_are_the_known_ones() -> None:
    access = Access("POST")
    assert access.facts == {"method": "POST", "route": "-", "milliseconds": 0.0}
    access.route, access.tool, access.kind = "/tools/{tool}", "pay", "tool_error"
    access.status, access.seconds = 409, 0.0123456
    access.caller, access.error_id, access.reason = "ann", "0123", "no"
    assert access.facts == {
        "method": "POST",
        "route": "/tools/{tool}",
        "tool": "pay",
        "kind": "tool_error",
        "status": 409,
        "milliseconds": 12.346,
        "error_id": "0123",
        "caller": "ann",
        "reason": "no",
    }


@pytest.mark.parametrize(
    ("route", "status", "reason", "level"),
    [
        ("/tools", 200, None, "INFO"),
        ("/tools", 500, None, "INFO"),
        ("/health", 200, None, "DEBUG"),
        ("/ready", 503, None, "INFO"),
        ("/health", 421, "another host", "WARNING"),
    ],
)
def test_a_refusal_is_a_warning_and_a_probe_that_succeeds_is_for_debugging(
    route: str, status: int, reason: str | None, level: str
) -> None:
    access = Access("GET")
    access.route, access.status, access.reason = route, status, reason
    assert logging.getLevelName(access.level) == level
