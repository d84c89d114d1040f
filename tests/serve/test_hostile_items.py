"""The hostile requests of the shared data, over both revisions of MCP and over plain HTTP."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from tests.serve.served import Address, Transfers, served

pytestmark = pytest.mark.requirement("serve-hostile")

DATA: Final = Path(__file__).parents[3] / "shared" / "data" / "hostile.jsonl"
TRANSFERS: Final = Transfers()
RIGHT: Final = {"account": "AB1234", "amount": 5}
MODERN: Final = "2026-07-28"
META: Final = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
}
OLDER: Final = "2025-11-25"
# A session means nothing to the newer revision, by its design, and to a server without sessions.
GUESS: Final = "http-sid-guess"
LISTENS: Final = "http-get"


def items() -> list[Any]:
    if not DATA.exists():
        return [pytest.param(None, marks=pytest.mark.skip(reason=f"no {DATA.name} here"))]
    rows = map(json.loads, DATA.read_text(encoding="utf-8").splitlines())
    return [pytest.param(row, id=row["id"]) for row in rows if row["surface"] == "http"]


@pytest.fixture(scope="module", params=[True, False], ids=["stateless", "sessions"])
def stateless(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.fixture(scope="module")
def server(stateless: bool) -> Iterator[Address]:
    with served(TRANSFERS.tools, stateless=stateless) as address:
        yield address


def body_of(request: dict[str, Any]) -> bytes:
    raw = request.get("raw")
    if raw is None:
        return json.dumps(request["body"]).encode()
    if "b64" in raw:
        return base64.b64decode(raw["b64"])
    text: str = raw["text"] if "text" in raw else raw["gen"][1] * raw["gen"][2]
    return text.encode()


def in_revision(server: Address, revision: str, body: bytes) -> tuple[bytes, dict[str, str]]:
    """Complete a request for a revision, so that only its hostile part counts."""
    if revision == MODERN:
        headers = {
            "mcp-protocol-version": MODERN,
            "mcp-method": "tools/call",
            "mcp-name": "transfer",
        }
        meta = b'"params": {"_meta": ' + json.dumps(META).encode() + b", "
        return body.replace(b'"params":{', meta).replace(b'"params": {', meta, 1), headers
    return body, {"mcp-session-id": open_session(server)}


def open_session(server: Address) -> str:
    client = {"protocolVersion": "2025-11-25", "capabilities": {}}
    client["clientInfo"] = {"name": "test", "version": "0"}
    message = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": client}
    accept = "application/json, text/event-stream"
    session = server.post("/mcp", message, accept=accept).headers.get("mcp-session-id", "")
    ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    assert server.post("/mcp", ready, accept=accept, mcp_session_id=session).status == 202
    return session


def send(server: Address, method: str, headers: dict[str, str], body: bytes) -> int:
    named = {"content-length": str(len(body)), **headers}
    head = "".join(f"{name}: {value}\r\n" for name, value in named.items() if value)
    sent = f"{method} /mcp HTTP/1.1\r\nconnection: close\r\n{head}\r\n".encode("latin-1")
    with server.connect() as connection:
        connection.sendall(sent + body)
        with connection.makefile("rb") as stream:
            status = int(stream.readline().split()[1])
            if method == "POST":  # to a GET, an older revision opens a stream without end
                stream.read()
    return status


@pytest.mark.parametrize("revision", [MODERN, OLDER])
def test_the_same_request_without_what_is_hostile_runs(server: Address, revision: str) -> None:
    TRANSFERS.ran.clear()
    params = {"name": "transfer", "arguments": RIGHT}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    body, needed = in_revision(server, revision, json.dumps(message).encode())
    headers = {
        "host": f"127.0.0.1:{server.port}",
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
    }
    assert send(server, "POST", {**headers, **needed}, body) == 200
    assert TRANSFERS.ran == [RIGHT]


@pytest.mark.parametrize("revision", [MODERN, OLDER])
@pytest.mark.parametrize("item", items())
def test_a_hostile_request_runs_nothing(
    server: Address, item: Any, revision: str, stateless: bool
) -> None:
    has_sessions = revision == OLDER and not stateless
    if item["id"] == GUESS and not has_sessions:
        pytest.skip("sessions mean nothing here")
    TRANSFERS.ran.clear()
    request = item["input"]["json"]
    body, needed = in_revision(server, revision, body_of(request))
    # The items were written for the port 8000.
    own = {
        name: value.replace("127.0.0.1:8000", f"127.0.0.1:{server.port}")
        for name, value in request["headers"].items()
    }
    status = send(server, request["method"], {**needed, **own}, body)
    # Errors of the arguments alone are reported inside of an answer, and the stream that a GET
    # opens in a session of the older revision only listens.
    told_inside = item["id"] == "http-args-null" or (item["id"] == LISTENS and has_sessions)
    assert 400 <= status < 500 or (told_inside and status == 200)
    assert TRANSFERS.ran == []
    assert server.post("/tools/transfer", RIGHT).status == 200


def test_cancelling_what_is_not_there_does_nothing(server: Address) -> None:
    message = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 999}}
    accept = "application/json, text/event-stream"
    session = open_session(server)
    assert server.post("/mcp", message, accept=accept, mcp_session_id=session).status == 202
    modern = {"accept": accept, "mcp_protocol_version": MODERN}
    assert server.post("/mcp", message, **modern).status == 202


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {}, "result": {}},
        {"jsonrpc": "2.0", "id": True, "method": "ping"},
        {"jsonrpc": "2.0", "id": 1.5, "method": "ping"},
        {"jsonrpc": "2.0", "id": {}, "method": "ping"},
        {"jsonrpc": "1.0", "id": 1, "method": "ping"},
        {"jsonrpc": "2.0", "id": 1, "method": ["ping"]},
        {"jsonrpc": "2.0", "id": 1},
        {"jsonrpc": "2.0", "id": 1, "result": {}, "error": {}},
        [{"jsonrpc": "2.0", "id": 1, "method": "ping"}],
        "ping",
        None,
    ],
)
def test_what_is_no_message_is_told_so(server: Address, message: Any) -> None:
    answered = server.post("/mcp", message, accept="application/json, text/event-stream")
    assert (answered.status, answered.json["error"]["code"]) == (400, -32600)
