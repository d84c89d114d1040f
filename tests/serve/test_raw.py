"""Bytes that no client of good will sends: no tool runs, and the next request is answered."""

from __future__ import annotations

import gzip
import json
import socket
import threading
from collections.abc import Iterator
from typing import Final

import pytest

from tests.serve.served import Address, Transfers, read_response, served
from toolhaft import Toolset, tool
from toolhaft.serve.limits import Limits

pytestmark = pytest.mark.requirement("serve-hostile")

TRANSFERS: Final = Transfers()
RIGHT: Final = {"account": "AB1234", "amount": 5}
BODY: Final = json.dumps(RIGHT).encode()
PATH: Final = "/tools/transfer"
# Half a second is the shortest deadline that a busy machine does not miss by itself.
QUICK: Final = Limits(header_seconds=0.5, body_seconds=0.5, idle_seconds=5, connections=20)


@pytest.fixture(scope="module")
def server() -> Iterator[Address]:
    with served(TRANSFERS.tools, limits=QUICK, hosts=["tools.example"]) as address:
        yield address


@pytest.fixture(autouse=True)
def nothing_ran(server: Address) -> Iterator[None]:
    TRANSFERS.ran.clear()
    yield
    assert TRANSFERS.ran == []
    assert server.post(PATH, RIGHT).status == 200
    assert TRANSFERS.ran == [RIGHT]


@pytest.mark.parametrize(
    "host",
    [
        "", "evil.example", "127.0.0.1:{port}@evil.example", "localhost:{port}.evil.example",
        "localhost", "127.0.0.1", "localhost:1", "localhost.:{port}", "127.1:{port}",
        "2130706433:{port}", "0.0.0.0:{port}", "[::]:{port}", "127.0.0.1:{port}0", "127.0.0.1:",
        "localhost:{port},evil.example", "localhost:{port}#", "localhost:{port}/",
        "tools.example:{port}", "x.tools.example", "tools.example.", "http://localhost:{port}",
    ],
)  # fmt: skip
def test_another_host_is_not_served(server: Address, host: str) -> None:
    host = host.format(port=server.port)
    assert server.request("POST", PATH, BODY, host=host).status in (400, 421)
    assert server.request("GET", "/tools", host=host).status in (400, 421)
    assert server.request("GET", "/openapi.json", host=host).status in (400, 421)


def test_two_hosts_are_none(server: Address) -> None:
    head = server.head("POST", PATH, BODY)[:-2] + b"Host: evil.example\r\n\r\n"
    assert server.send(head + BODY).status == 400


def test_what_a_proxy_says_of_the_host_does_not_count(server: Address) -> None:
    forwarded = {"x_forwarded_host": f"127.0.0.1:{server.port}", "forwarded": "host=localhost"}
    assert server.request("POST", PATH, BODY, host="evil.example", **forwarded).status == 421


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "http://localhost.evil.example"},
        {"origin": "http://localhost:{port}.evil.example"},
        {"origin": "http://127.0.0.1:{port}@evil.example"},
        {"origin": "chrome-extension://abc"},
        {"origin": "file://localhost:{port}"},
        {"origin": "localhost:{port}"},
        {"origin": "http://localhost:1"},
        {"sec_fetch_site": "cross-site"},
        {"sec_fetch_site": "same-site"},
        {"sec_fetch_site": "same-origin, cross-site"},
    ],
)
def test_a_page_of_another_site_may_not_call(server: Address, headers: dict[str, str]) -> None:
    headers = {name: value.format(port=server.port) for name, value in headers.items()}
    assert server.request("POST", PATH, BODY, **headers).status == 403


@pytest.mark.parametrize(
    "declared",
    [
        "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "",
        "application/jsonp", "application/json, text/plain", "application/json; charset=utf-16",
        "text/plain; application/json", "application/json;", "application/json-seq",
    ],
)  # fmt: skip
def test_a_body_that_a_form_can_send_is_not_read(server: Address, declared: str) -> None:
    assert server.request("POST", PATH, BODY, content_type=declared).status == 415
    assert server.request("POST", "/mcp", BODY, content_type=declared).status == 415


def test_a_compressed_body_is_not_read(server: Address) -> None:
    body = gzip.compress(BODY)
    assert server.request("POST", PATH, body, content_encoding="gzip").status == 415


@pytest.mark.parametrize(
    "body",
    [
        b'{"account": "AB1234", "amount": 5, "amount": 999999}',
        b'{"account": "AB1234", "amount": 5, "am\\u006funt": 999999}',
        b'{"account": "AB1234", "amount": 5, "opts": {"a": 1, "a": 2}}',
        b'{"account": "AB1234", "amount": NaN}',
        b'{"account": "AB1234", "amount": 1e999}',
        b'{"account": "AB1234", "amount": 5} {}',
        b'{"account": "AB1234", "amount": 5,}',
        b"{'account': 'AB1234', 'amount': 5}",
        b'"{\\"account\\": \\"AB1234\\", \\"amount\\": 5}"',
        b'\xef\xbb\xbf{"account": "AB1234", "amount": 5}',
        b'{"account": "\xff", "amount": 5}',
        b'{"account": "\xc0\xaf", "amount": 5}',
        b'{"account": "\\ud800", "amount": 5}',
        json.dumps(RIGHT).encode("utf-16"),
        b'{"account": "A\x00", "amount": 5}',
        b'{"account": "AB1234", "amount": 5, "opts": ' + b'{"a":' * 9_999 + b"1" + b"}" * 10_000,
        b"[" * 1_000_000,
        b"1" * 1_000_000,
        b'{"account": "AB1234", "amount": ' + b"9" * 5_000 + b"}",
    ],
)  # fmt: skip
def test_a_body_that_is_not_strict_json_is_refused(server: Address, body: bytes) -> None:
    assert server.request("POST", PATH, body).status == 422
    rpc = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"transfer","arguments":'
    modern = {"mcp_protocol_version": "2026-07-28", "mcp_method": "tools/call"}
    accept = "application/json, text/event-stream"
    answered = server.request(
        "POST", "/mcp", rpc + body + b"}}", accept=accept, mcp_name="transfer", **modern
    )
    assert answered.status == 400


@pytest.mark.parametrize("length", ["-1", "+38", "0x26", "38, 38", "38;38", "3 8", "1e1", "٣"])
def test_a_length_that_is_no_number_is_refused(server: Address, length: str) -> None:
    head = server.head("POST", PATH, BODY, content_length="").replace(
        b"\r\n\r\n", f"\r\ncontent-length: {length}\r\n\r\n".encode()
    )
    assert server.send(head + BODY).status in (400, 408)


SMUGGLED: Final = (
    b"POST /tools/transfer HTTP/1.1\r\nhost: localhost:%d\r\n"
    b"content-type: application/json\r\ncontent-length: %d\r\n\r\n"
)


@pytest.mark.parametrize(
    "extra",
    [
        b"transfer-encoding: chunked\r\ncontent-length: 5",
        b"content-length: 5\r\ntransfer-encoding: chunked",
        b"transfer-encoding: chunked\r\ntransfer-encoding: identity\r\ncontent-length: 5",
        b"content-length: 5\r\ncontent-length: 6",
        b"transfer-encoding: xchunked",
        b"transfer-encoding: identity, chunked",
        b"transfer-encoding : chunked",
        b"content-length: 0\r\n content-length: 5",
    ],
)
def test_no_request_is_smuggled_behind_a_doubtful_length(server: Address, extra: bytes) -> None:
    head = b"POST /tools/none HTTP/1.1\r\nhost: localhost:%d\r\n%s\r\n\r\n" % (server.port, extra)
    with server.connect() as connection:
        connection.sendall(head + b"0\r\n\r\n" + SMUGGLED % (server.port, len(BODY)) + BODY)
        assert read_response(connection).status in (400, 415)
        assert b"HTTP/1.1" not in read_to_end(connection)


@pytest.mark.parametrize("refused", [b"content-encoding: gzip", b"origin: http://evil.example"])
def test_who_was_not_told_to_go_on_sends_no_second_request(server: Address, refused: bytes) -> None:
    """Its body may be left out, and then what comes next would be taken for it."""
    head = server.head("POST", PATH, BODY)[:-2] + refused + b"\r\nexpect: 100-continue\r\n\r\n"
    with server.connect() as connection:
        connection.sendall(head)
        response = read_response(connection)
        assert (response.status in (403, 415), response.headers["connection"]) == (True, "close")
        assert read_to_end(connection) == b""


def test_who_is_told_to_go_on_is_answered(server: Address) -> None:
    with served(Transfers().tools) as address, address.connect() as connection:
        connection.sendall(address.head("POST", PATH, BODY, expect="100-continue"))
        assert connection.recv(1_000) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(BODY)
        assert read_response(connection).json == "5 to AB1234"


def test_an_older_http_has_no_chunks(server: Address) -> None:
    head = server.head("POST", PATH, BODY, content_length="", transfer_encoding="chunked")
    chunks = b"%x\r\n%s\r\n0\r\n\r\n" % (len(BODY), BODY)
    answer = server.send(head.replace(b"HTTP/1.1", b"HTTP/1.0") + chunks)
    assert (answer.status, answer.json["detail"]) == (
        400, "HTTP/1.0 has no chunked bodies; send content-length"
    )  # fmt: skip


@pytest.mark.parametrize(
    "name", ["mcp-session-id", "mcp-protocol-version", "authorization", "idempotency-key"]
)
def test_a_header_that_rules_is_there_once(server: Address, name: str) -> None:
    lines = f"{name}: 2025-11-25\r\n" * 2 + "\r\n"
    head = server.head("POST", "/mcp", BODY)[:-2] + lines.encode()
    assert server.send(head + BODY).status == 400


def read_to_end(connection: socket.socket) -> bytes:
    """Read until the server closes, whether or not it still had something to read."""
    parts = []
    try:
        while part := connection.recv(65_536):
            parts.append(part)
    except ConnectionResetError:
        pass
    return b"".join(parts)


@pytest.mark.parametrize(
    "head",
    [
        b"POST /tools/transfer\r\n\r\n",
        b"POST /tools/transfer HTTP/3.0\r\nhost: localhost\r\n\r\n",
        b"POST  /tools/transfer HTTP/1.1\r\nhost: localhost\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"POST /tools/transfer HTTP/1.1\r\nho st: localhost\r\n\r\n",
        b"POST /tools/transfer HTTP/1.1\r\nhost: local\x00host\r\n\r\n",
        b"POST /tools/transfer HTTP/1.1\r\nx: " + b"a" * 100_000 + b"\r\n\r\n",
        b"GET " + b"/" * 100_000 + b" HTTP/1.1\r\n\r\n",
        b"\r\n" * 50_000,
    ],
)
def test_what_is_no_http_is_refused(server: Address, head: bytes) -> None:
    with server.connect() as connection:
        try:
            connection.sendall(head)
            connection.shutdown(socket.SHUT_WR)
        except OSError:
            return  # it was closed before all was sent
        assert read_to_end(connection)[9:12] in (b"400", b"408", b"421", b"431", b"")


@pytest.mark.parametrize(
    "method", ["GET", "HEAD", "PUT", "PATCH", "DELETE", "TRACE", "OPTIONS", "BREW"]
)
def test_no_other_method_calls(server: Address, method: str) -> None:
    head = server.head(method, PATH, BODY, x_http_method_override="POST", connection="close")
    with server.connect() as connection:
        connection.sendall(head + BODY)
        status = int(read_to_end(connection).split()[1])
    assert status == (200 if method in ("GET", "HEAD") else 405)


@pytest.mark.parametrize(
    "path",
    [
        "/tools/transfer/", "//tools/transfer", "/tools//transfer", "/tools/./transfer",
        "/tools/x/../transfer", "/tools%2ftransfer", "/tools/transfer%00", "/tools/%2e/transfer",
        "http://evil.example/tools/transfer", "/tools/transfer;x", "/tools/TRANSFER", "*",
        "/tools/%74ransfer%2f",
    ],
)  # fmt: skip
def test_no_other_path_calls(server: Address, path: str) -> None:
    assert server.request("POST", path, BODY).status in (400, 404)


@pytest.mark.parametrize("upgrade", ["websocket", "h2c"])
def test_no_connection_is_upgraded(server: Address, upgrade: str) -> None:
    asked = {"connection": "upgrade", "upgrade": upgrade, "sec_websocket_key": "x" * 22 + "=="}
    assert server.request("GET", "/mcp", b"", **asked).status in (400, 404, 405, 406)


def test_a_head_that_is_not_whole_in_time_is_ended(server: Address) -> None:
    assert server.send(b"POST /tools/transfer HT").status == 408


def test_silence_is_ended(server: Address) -> None:
    assert server.send().status == 408


def test_a_head_that_is_not_whole_after_a_right_call_is_ended(server: Address) -> None:
    with server.connect() as connection:
        connection.sendall(server.head("GET", "/health"))
        assert read_response(connection).status == 200
        connection.sendall(b"POST /tools/tran")
        assert read_response(connection).status == 408


@pytest.mark.parametrize("path", [PATH, "/mcp"])
def test_a_body_that_is_not_whole_in_time_is_ended(server: Address, path: str) -> None:
    assert server.send(server.head("POST", path, BODY), BODY[:-1]).status == 408
    chunked = server.head("POST", path, BODY, content_length="", transfer_encoding="chunked")
    assert server.send(chunked, b"5\r\n", BODY[:5]).status == 408


@pytest.mark.parametrize("path", [PATH, "/mcp"])
def test_a_body_of_100_mb_is_refused_before_it_is_read(server: Address, path: str) -> None:
    head = server.head("POST", path, BODY, content_length=str(100_000_000))
    with server.connect() as connection:
        connection.sendall(head)
        sent = 0
        try:
            while sent < 100_000_000:
                sent += connection.send(b" " * 1_000_000)
        except OSError:
            pass
        assert sent < 50_000_000


def test_a_body_that_is_a_little_too_long_is_told_so(server: Address) -> None:
    answered = server.request("POST", PATH, b" " * 3_000_000)
    assert (answered.status, answered.headers["connection"]) == (413, "close")


def test_a_chunked_body_without_end_is_ended(server: Address) -> None:
    head = server.head("POST", PATH, BODY, content_length="", transfer_encoding="chunked")
    with server.connect() as connection:
        connection.sendall(head)
        sent = 0
        try:
            while sent < 50_000_000:
                connection.sendall(b"100000\r\n" + b" " * 0x100000 + b"\r\n")
                sent += 0x100000
        except OSError:
            pass
        assert sent < 50_000_000


def test_pipelined_requests_are_answered_in_order_and_looked_at_one_by_one(server: Address) -> None:
    wrong = server.head("POST", PATH, BODY, host="evil.example") + BODY
    health = server.head("GET", "/health")
    with server.connect() as connection:
        connection.sendall(health + wrong + health)
        with connection.makefile("rb") as stream:
            statuses = []
            for _ in range(3):
                statuses.append(int(stream.readline().split()[1]))
                length = 0
                while (field := stream.readline().strip()) != b"":
                    if field.startswith(b"content-length"):
                        length = int(field.split()[1])
                stream.read(length)
    assert statuses == [200, 421, 200]


def test_more_connections_than_the_limit_are_refused(server: Address) -> None:
    held = [server.connect() for _ in range(QUICK.connections)]
    try:
        for connection in held:  # each is known to the server
            connection.sendall(server.head("GET", "/health"))
            assert read_response(connection).status == 200
        with server.connect() as connection, connection.makefile("rb") as refused:
            assert refused.readline() == b"HTTP/1.1 503 Service Unavailable\r\n"
    finally:
        for connection in held:
            connection.close()
    # Those are gone when the server has seen it, which the next test of the battery waits for.
    while server.request("GET", "/health").status == 503:
        pass


def test_a_client_that_goes_away_during_a_call_disturbs_nobody(server: Address) -> None:
    begun, go_on, ended = threading.Event(), threading.Event(), threading.Event()

    @tool
    def waits() -> None:
        """Wait."""
        begun.set()
        go_on.wait(20)
        ended.set()

    with served(Toolset([waits])) as address:
        with address.connect() as connection:
            connection.sendall(address.head("POST", "/tools/waits"))
            assert begun.wait(10)
        go_on.set()
        assert ended.wait(10)
        assert address.request("POST", "/tools/waits").status == 200


def test_a_client_that_reads_nothing_is_left() -> None:
    @tool
    def large() -> str:
        """Give much."""
        return "x" * 50_000_000

    limits = QUICK._replace(write_seconds=0.5)
    with served(Toolset([large]), limits=limits) as address, address.connect() as connection:
        connection.sendall(address.head("POST", "/tools/large"))
        assert address.request("GET", "/health").status == 200
        reached = threading.Event()
        # Nothing is read until the server has given up: a second connection tells when.
        while not reached.is_set():
            try:
                connection.send(b" ")
            except OSError:
                reached.set()
