"""TOOLS that are the operations of an OpenAPI document."""

from __future__ import annotations

import json
import threading
from collections.abc import Generator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import Run
from toolhaft.cli import openapi

OPERATION: dict[str, Any] = {
    "operationId": "get_pet",
    "summary": "Get a pet by its number.",
    "parameters": [
        {
            "name": "id",
            "in": "path",
            "required": True,
            "description": "Its number.",
            "schema": {"type": "integer"},
        }
    ],
    "responses": {"200": {"description": "It."}},
}
FAULTY = {**OPERATION, "operationId": "linked", "parameters": [{"$ref": "https://example.org/p"}]}


class Pets(BaseHTTPRequestHandler):
    """Answers with the path that was requested, and the key."""

    def do_GET(self) -> None:
        key = self.headers.get("x-key")
        body = json.dumps({"asked": self.path} | ({"key": key} if key else {})).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Keep quiet."""


@pytest.fixture
def address() -> Generator[str]:
    with HTTPServer(("127.0.0.1", 0), Pets) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()
        thread.join()


@pytest.fixture
def document(tmp_path: Path) -> Any:
    def write(*servers: str, **paths: Any) -> str:
        data = {
            "openapi": "3.1.0",
            "info": {"title": "Pets", "version": "1"},
            "paths": {"/pets/{id}": {"get": OPERATION}, **paths},
            "servers": [{"url": server} for server in servers],
        }
        path = tmp_path / "pets.json"
        path.write_text(json.dumps(data))
        return f"openapi:{path}"

    return write


@pytest.mark.requirement("cli-sources")
def test_an_operation_is_called_at_the_server_that_the_document_names(
    run: Run, document: Any, address: str
) -> None:
    pytest.importorskip("httpx", reason="httpx is not installed")
    target = document(address)
    assert run("call", target, "get_pet", "id=7") == (0, '{"asked":"/v1/pets/7"}\n', "")
    refused = run("call", target, "get_pet", "id=x")
    words = "Please rewrite the input with valid arguments. Errors: id: expected integer"
    assert (refused.code, refused.out[: len(words)]) == (1, words)
    assert run("check", target).code == 0


@pytest.mark.requirement("cli-sources")
@pytest.mark.parametrize("servers", [[], ["/v1"]])
def test_without_a_whole_address_operations_are_looked_at_and_calls_are_checked(
    run: Run, document: Any, servers: list[str]
) -> None:
    target = document(*servers)
    [shown] = run("show", target, "--format", "json").json
    assert (shown["name"], shown["defined"]) == ("get_pet", target)
    why = "toolhaft: not run: the document names no server: give --base-url\n"
    assert run("call", target, "get_pet", "id=7") == (0, 'accepted, not run: {"id":7}\n', why)


@pytest.mark.requirement("cli-sources")
def test_without_an_http_library_calls_are_checked(
    run: Run, document: Any, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("mcp", reason="serving needs it")
    monkeypatch.setattr(openapi, "CLIENTS", ("no_such_library",))
    target = document(address)
    lacks = "calls of operations need httpx: pip install httpx\n"
    ran = run("call", target, "get_pet", "id=7")
    assert ran == (0, 'accepted, not run: {"id":7}\n', f"toolhaft: not run: {lacks}")
    assert run("serve", target) == (2, "", f"error: {target}: {lacks}")
    assert run("batch", target, "/dev/null").code == 0
    executed = run("batch", target, "/dev/null", "--execute")
    assert executed == (2, "", f"error: {target}: {lacks}")


@pytest.mark.requirement("cli-sources")
def test_an_operation_that_cannot_be_a_tool_is_reported_and_the_others_work(
    run: Run, document: Any
) -> None:
    ran = run("show", document(**{"/linked": {"get": FAULTY}}), "--format", "json")
    assert (ran.code, [one["name"] for one in ran.json]) == (1, ["get_pet"])
    assert ran.err.count("\n") == 1
    assert ran.err.startswith("toolhaft: left out: ")
    assert "linked" in ran.err


@pytest.mark.requirement("cli-sources")
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (None, "no such file"),
        ("openapi: 3.1.0", "write it as JSON"),
        ("{}", ""),
        ('{"openapi": "2.0"}', ""),
        ('{"openapi": "3.1.0", "paths": {}}', "no operation"),
    ],
)
def test_a_file_that_is_no_document_is_a_one_line_error(
    run: Run, tmp_path: Path, text: str | None, reason: str
) -> None:
    path = tmp_path / "pets.json"
    if text is not None:
        path.write_text(text)
    ran = run("show", f"openapi:{path}")
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1), ran
    assert ran.err.startswith(f"error: openapi:{path}: ")
    assert reason in ran.err


@pytest.mark.requirement("cli-remote")
def test_headers_of_a_file_are_sent_to_the_given_address(
    run: Run, document: Any, address: str, tmp_path: Path
) -> None:
    pytest.importorskip("httpx", reason="httpx is not installed")
    headers = tmp_path / "headers"
    headers.write_text("X-Key: a key\n\n")
    headers.chmod(0o600)
    ran = run(
        "call", document(), "get_pet", "id=7", "--headers", str(headers), "--base-url", address
    )
    assert ran == (0, '{"asked":"/v1/pets/7","key":"a key"}\n', "")


@pytest.mark.requirement("cli-remote")
@pytest.mark.parametrize(
    ("text", "mode", "reason"),
    [
        ("X-Key: a key", 0o604, "others may read it; chmod 600 it"),
        ("X-Key: a key", 0o660, "others may read it; chmod 600 it"),
        ("X-Key a key\nA: b\n:", 0o600, "line 1, 3: expected lines of NAME: VALUE"),
        ("", 0o600, "expected lines of NAME: VALUE"),
        ("X-Key: a\x00b", 0o600, "line 1: expected lines of NAME: VALUE"),
        ("X-Key: ä", 0o600, "not ASCII text"),
    ],
)
def test_a_bad_file_of_headers_is_one_line_that_holds_none_of_it(
    run: Run, document: Any, tmp_path: Path, text: str, mode: int, reason: str
) -> None:
    headers = tmp_path / "headers"
    headers.write_text(text, encoding="utf-8")
    headers.chmod(mode)
    ran = run("show", document(), "--headers", str(headers))
    assert ran == (2, "", f"error: --headers {headers}: {reason}\n")


@pytest.mark.requirement("cli-remote")
def test_a_base_url_that_is_no_address_is_one_line(run: Run, document: Any) -> None:
    ran = run("show", document(), "--base-url", "127.0.0.1")
    wrong = "error: --base-url: not an absolute address of http or https\n"
    assert ran == (2, "", wrong)
    for secret in (
        "https://user:S3CRET@a.test",
        "https://a.test?key=S3CRET",
        "https://a.test#S3CRET",
    ):
        assert run("lock", document(), "--base-url", secret) == (2, "", wrong)


@pytest.mark.requirement("cli-docs")
def test_a_lock_and_a_page_show_the_address_without_a_path_that_may_be_a_token(
    run: Run, document: Any, tmp_path: Path
) -> None:
    site = tmp_path / "site"
    at = (document("https://a.test/v1"), "--base-url", "https://bots.test/S3CRET")
    locked = run("lock", *at, "-o", "-").json["tools"]["get_pet"]["definition"]
    assert run("docs", *at, "-o", str(site)).code == 0
    address = locked["source"]["address"]
    assert address.startswith("https://bots.test/sha256-")
    assert address.endswith("/pets/{id}")
    for name in ("get_pet.md", "index.html"):
        page = (site / name).read_text()
        assert "S3CRET" not in page
        assert address in page
    shown = json.dumps(locked["source"], indent=2)
    assert f"## Sent as\n\n```json\n{shown}\n```" in (site / "get_pet.md").read_text()


@pytest.mark.requirement("cli-mistakes")
@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("pet.json", "no such file; did you mean pets.json?"),
        ("nowhere", "no such file"),
        ("", "is a folder; name a document in it"),
        ("http://127.0.0.1:1", "expected a file, not an address; download the document"),
    ],
)
def test_a_missing_file_is_a_one_line_error_with_a_suggestion(
    run: Run, document: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, reason: str
) -> None:
    document()
    monkeypatch.chdir(tmp_path)
    assert run("show", f"openapi:{name}") == (2, "", f"error: openapi:{name}: {reason}\n")


@pytest.mark.requirement("cli-remote")
def test_an_option_that_has_no_meaning_for_the_tools_is_refused(
    run: Run, document: Any, tmp_path: Path
) -> None:
    headers = tmp_path / "headers"
    headers.write_text("X-Key: S3CRET")
    headers.chmod(0o600)
    said = "error: --headers: only for tools of mcp+http:, mcp+https:, openapi:\n"
    for command in ("show tools.py", "diff a.lock b.lock", "call mcp+stdio:server now"):
        assert run(*command.split(), "--headers", str(headers)) == (2, "", said)
    base_url = ("--base-url", "https://a.test")
    said = "error: --base-url: only for tools of openapi:\n"
    assert run("show", "mcp+https://b.test/mcp", *base_url) == (2, "", said)
    assert run("diff", document(), document(), *base_url, "--headers", str(headers)).code == 0


@pytest.mark.requirement("cli-remote")
def test_a_server_that_refuses_the_connection_is_one_line(
    run: Run, document: Any, caplog: pytest.LogCaptureFixture
) -> None:
    pytest.importorskip("httpx", reason="httpx is not installed")
    ran = run("call", document("http://127.0.0.1:1"), "get_pet", "id=7")
    assert (ran.code, ran.out[:20], ran.err) == (1, "The tool failed (id ", "")
    [record] = caplog.records
    assert record.getMessage().startswith("tool get_pet failed: no connection: ConnectError: ")
    assert record.exc_info is None
    pytest.importorskip("mcp", reason="mcp is not installed")
    server = "mcp+http://127.0.0.1:1/mcp"
    ran = run("show", server)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert ran.err.startswith(f"error: {server}: the server does not answer: ConnectError: ")
