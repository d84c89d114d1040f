"""Requests of ill will to approvals, resources, prompts and the headers of calls: nothing is run.

And options that cannot be used, which are refused before anything listens.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest
from starlette.applications import Starlette

from tests.serve.served import Address, Response, served
from toolhaft import Context, DefinitionError, Toolset, tool
from toolhaft.errors import ToolhaftError
from toolhaft.serve import asgi, mount, prompt, resource
from toolhaft.serve.approvers import Decider
from toolhaft.serve.offers import Offers
from toolhaft.serve.state import State

pytestmark = pytest.mark.requirement("serve-hostile")

RAN: Final[list[str]] = []
MODERN: Final = "2026-07-28"
META: Final = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
}
# What the hook of the approver returns for some names that a request sends.
ODD_APPROVERS: Final[dict[str, Any]] = {
    "bytes": b"bob", "true": True, "one": 1, "list": ["bob"], "dict": {"name": "bob"},
    "empty": "", "none": None,
}  # fmt: skip


@tool(requires_approval=True)
def order(item: str, count: int = 1, *, user: Context[dict[str, str]]) -> str:
    """Order something."""
    RAN.append(f"{user['user']} {count} {item}")
    return item


@tool
def transfer(account: str, amount: int) -> str:
    """Move money."""
    RAN.append(f"{amount} to {account}")
    return "moved"


@resource("orders://{id}/lines/{line}")
def line_of(id: int, line: str) -> str:
    """A line of an order."""
    RAN.append(f"{id} {line}")
    return line


@prompt()
def review(code: str, days: int = 1) -> str:
    """Review code."""
    RAN.append(code)
    return f"{code} {days}"


def transfer_lines(n: int, m: int) -> int:
    """Return a line at the address of another resource."""
    return n + m


def find_approver(request: Any) -> Any:
    name = request.headers.get("approver")
    if name == "raises":
        raise RuntimeError(name)
    return ODD_APPROVERS.get(name, name)


class Waiting(NamedTuple):
    """A server with a call of ann's that waits."""

    server: Address
    path: str
    digest: str

    def decide(self, body: Any = None, path: str | None = None, **headers: str) -> Response:
        """Send a decision, right but for what is given."""
        sent = {"decision": "approve", "digest": self.digest} if body is None else body
        raw = sent if isinstance(sent, bytes) else json.dumps(sent).encode()
        where = self.path if path is None else path
        return self.server.request("POST", where, raw, **{"approver": "bob", **headers})

    def ask_mcp(self, method: str, params: Any, name: str = "") -> Any:
        message: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": method}
        message["params"] = {"_meta": META, **params}
        headers = {"accept": "application/json, text/event-stream", "mcp_method": method}
        headers |= {"mcp_name": name} if name else {}
        answer = self.server.post("/mcp", message, mcp_protocol_version=MODERN, **headers)
        return answer.json


@pytest.fixture(scope="module")
def waiting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Waiting]:
    hidden = order.transform(hide={"count": 7}).replace(name="order_seven")
    tools = Toolset([order, hidden, transfer])
    options: dict[str, Any] = {
        "state": State(str(tmp_path_factory.mktemp("state") / "state")),
        "context": lambda request: {"user": request.headers.get("user", "")},
        "decider": Decider(find_approver, lambda known: known["identity"]),
        "offers": Offers(tools, [line_of], [review]),
    }
    with served(tools, **options) as server:
        asked = server.post("/tools/order_seven", {"item": "tea"}, user="ann")
        digest = asked.json["prepared"]["digest"]
        yield Waiting(server, asked.headers["location"], digest)
        RAN.clear()
        last = Waiting(server, asked.headers["location"], digest)
        assert last.decide().status == 200
        assert RAN == ["ann 7 tea"]


@pytest.fixture(autouse=True)
def nothing_ran(request: pytest.FixtureRequest) -> Iterator[None]:
    RAN.clear()
    yield
    assert RAN == []
    if "waiting" in request.fixturenames:
        call: Waiting = request.getfixturevalue("waiting")
        status = call.server.request("GET", call.path, user="ann").json["status"]
        assert status == "waiting"


@pytest.mark.parametrize(
    "host",
    [
        "", "evil.example", "127.0.0.1:{port}@evil.example", "localhost:{port}.evil.example",
        "localhost", "127.0.0.1", "localhost:1", "localhost.:{port}", "127.1:{port}",
        "2130706433:{port}", "0.0.0.0:{port}", "[::]:{port}", "127.0.0.1:", "localhost:{port}#",
        "localhost:{port},evil.example", "localhost:{port}/", "http://localhost:{port}",
    ],
)  # fmt: skip
def test_another_host_has_no_approvals(waiting: Waiting, host: str) -> None:
    host = host.format(port=waiting.server.port)
    assert waiting.decide(host=host).status in (400, 421)
    listed = waiting.server.request("GET", "/approvals", host=host, approver="bob")
    assert listed.status in (400, 421)


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"}, {"origin": "null"}, {"origin": "file://"},
        {"origin": "http://localhost.evil.example"}, {"origin": "http://localhost:1"},
        {"origin": "https://127.0.0.1"}, {"origin": "chrome-extension://abc"},
        {"sec_fetch_site": "cross-site"}, {"sec_fetch_site": "same-site"},
        {"sec_fetch_site": "same-origin, cross-site"},
    ],
)  # fmt: skip
def test_a_page_of_another_site_decides_nothing(waiting: Waiting, headers: dict[str, str]) -> None:
    assert waiting.decide(**headers).status == 403


@pytest.mark.parametrize(
    "declared",
    [
        "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "",
        "application/jsonp", "application/json, text/plain", "application/json; charset=utf-16",
        "text/plain; application/json", "application/json;", "application/problem+json",
    ],
)  # fmt: skip
def test_a_decision_that_a_form_can_send_is_not_read(waiting: Waiting, declared: str) -> None:
    assert waiting.decide(content_type=declared).status == 415


@pytest.mark.parametrize(
    "body",
    [
        b"{", b"{}", b"[]", b'""', b"1", b"true", b"null ", b"\x00", b"approve", b"NaN",
        b'{"decision": "approve"}', b'{"digest": "%D"}',
        b'{"decision": "approve", "digest": "%D",}',
        b'{"decision": "approve", "digest": "%D"} {}',
        b'{"decision": "deny", "decision": "approve", "digest": "%D"}',
        b'{"decision": "approve", "d\\u0065cision": "approve", "digest": "%D"}',
        b'{"decision": "APPROVE", "digest": "%D"}',
        b'{"decision": "approve ", "digest": "%D"}',
        b'{"decision": "approve\\u0000", "digest": "%D"}',
        b'{"decision": true, "digest": "%D"}',
        b'{"decision": {"approve": true}, "digest": "%D"}',
        b'{"Decision": "approve", "digest": "%D"}',
        b'{"decision": "approve", "digest": "%D", "id": "x"}',
        b'{"decision": "approve", "digest": "%D", "principal": {"identity": {"user": "eve"}}}',
        b'{"decision": "approve", "digest": "%D", "context": {}}',
        b'{"decision": "approve", "digest": "%D", "notify_model": true}',
        b'{"decision": "edit", "digest": "%D"}',
        b'{"decision": "edit", "digest": "%D", "arguments": null}',
        b'{"decision": "edit", "digest": "%D", "arguments": "{}"}',
        b'{"decision": "edit", "digest": "%D", "arguments": {}, "notify_model": "yes"}',
        b'{"decision": "deny", "digest": "%D", "reason": null}',
        b'{"decision": "deny", "digest": "%D", "reason": ["x"]}',
        b'{"decision": "approve", "digest": "\xff"}',
        b'{"decision": "approve", "digest": "\\ud800"}',
        b'\xef\xbb\xbf{"decision": "approve", "digest": "%D"}',
        b'"{\\"decision\\": \\"approve\\", \\"digest\\": \\"%D\\"}"',
        b'{"decision": "edit", "digest": "%D", "arguments": ' + b'{"a":' * 99 + b"1" + b"}" * 100,
        b"[" * 100_000,
    ],
)  # fmt: skip
def test_what_is_no_decision_is_refused(waiting: Waiting, body: bytes) -> None:
    assert waiting.decide(body.replace(b"%D", waiting.digest.encode())).status == 422


@pytest.mark.parametrize(
    "digest",
    ["", "0" * 64, "{}x", "x{}", " {}", "{}\n", "{}\u0000", "sha256:{}", "{}{}", "%", "_", "*"],
)
def test_another_digest_decides_nothing(waiting: Waiting, digest: str) -> None:
    for decision in ("approve", "deny"):
        body = {"decision": decision, "digest": digest.replace("{}", waiting.digest)}
        assert waiting.decide(body).status == 409


def test_a_digest_in_capitals_is_another_one(waiting: Waiting) -> None:
    body = {"decision": "approve", "digest": waiting.digest.upper()}
    assert waiting.decide(body).status == 409


@pytest.mark.parametrize(
    "arguments",
    [
        {}, {"item": 5}, {"item": None}, {"itme": "x"}, {"item": "x", "Count": 1},
        {"item": "x", "user": {"user": "eve"}}, {"item": "x", "context": {}},
        {"item": "x", "__class__": 1}, {"item": ["x"]}, {"item": {"$ref": "#"}},
        {"item": "x", "": 1}, {"ITEM": "x"},
    ],
)  # fmt: skip
def test_an_edit_that_is_wrong_is_refused(waiting: Waiting, arguments: Any) -> None:
    body = {"decision": "edit", "digest": waiting.digest, "arguments": arguments}
    assert waiting.decide(body).status == 422


@pytest.mark.parametrize(
    "headers",
    [
        {"approver": ""}, {"approver": "ann"}, {"approver": "", "user": "ann"},
        {"approver": "", "user": "eve"}, {"approver": "raises"},
        *({"approver": name} for name in ODD_APPROVERS),
    ],
)  # fmt: skip
def test_who_is_no_approver_decides_nothing(waiting: Waiting, headers: dict[str, str]) -> None:
    assert waiting.decide(**headers).status in (403, 404, 500)
    if headers["approver"] != "ann":
        listed = waiting.server.request("GET", "/approvals", b"", **headers)
        assert listed.status in (403, 500)


IDS: Final = (
    "/approvals/", "/approvals//", "/approvals/x", "/approvals/{id}/", "/approvals/{id}%00",
    "/approvals/{id}%20", "/approvals/%2e%2e", "/approvals/../approvals/{id}",
    "/approvals/./{id}", "//approvals/{id}", "/approvals//{id}", "/approvals/{ID}",
    "/Approvals/{id}", "/approvals%2f{id}", "/approvals/{id}/result", "/approvals/{id};x",
    "/approvals/%{id}", "/approvals/{short}", "/approvals/{id}{id}", "/approvals/*",
    "/approvals/%25", "/approvals/_", "/approvals/' OR '1'='1".replace(" ", "%20"),
    "/approvals/x';DROP%20TABLE%20approvals;--", "/approvals/0", "/approvals/null",
    "/approvals/" + "a" * 5_000, "/approvals/%ff%fe", "/approvals/{id}%0d%0ax:1",
    "/mcp/approvals/{id}", "/tools/approvals/{id}", "http://evil.example/approvals/{id}",
)  # fmt: skip


@pytest.mark.parametrize("path", IDS)
def test_another_path_is_no_approval(waiting: Waiting, path: str) -> None:
    known = waiting.path.rpartition("/")[2]
    named = {"{id}": known, "{ID}": known.upper(), "{short}": known[:-1]}
    for name, value in named.items():
        path = path.replace(name, value)
    if known.isdecimal() and path.endswith(known):
        pytest.skip("an id without letters has no capitals")
    assert waiting.decide(path=path).status in (400, 404)
    assert waiting.server.request("GET", path, approver="bob").status in (400, 404)


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW"])
@pytest.mark.parametrize("is_list", [True, False])
def test_no_other_method_decides(waiting: Waiting, method: str, is_list: bool) -> None:
    path = "/approvals" if is_list else waiting.path
    body = json.dumps({"decision": "approve", "digest": waiting.digest}).encode()
    sent = {"approver": "bob", "x_http_method_override": "POST"}
    assert waiting.server.request(method, path, body, **sent).status == 405
    assert waiting.server.request("POST", "/approvals", body, **sent).status == 405


@pytest.mark.parametrize("key", [" ", "a b", "a\tb", "ä", "x" * 201, "\x7f", "a\x01", "a, b c"])
def test_a_malformed_key_is_refused(waiting: Waiting, key: str) -> None:
    right = {"account": "a", "amount": 1}
    answer = waiting.server.post("/tools/transfer", right, idempotency_key=key)
    assert answer.status == 400


def test_a_key_that_is_sent_twice_is_refused(waiting: Waiting) -> None:
    body = b'{"account": "a", "amount": 1}'
    twice = b"idempotency-key: a\r\n" * 2 + b"\r\n"
    head = waiting.server.head("POST", "/tools/transfer", body)[:-2] + twice
    assert waiting.server.send(head + body).status == 400


@pytest.mark.parametrize(
    "preference",
    [
        "", "handling", "handling=", "handling=strict", "handling=lenient2", "handling lenient",
        "xhandling=lenient", "handling=strict, handling=lenient", "handling;lenient",
        "return=minimal; handling=lenient", '"handling=lenient"', "handling='lenient'",
    ],
)  # fmt: skip
def test_no_other_preference_repairs(waiting: Waiting, preference: str) -> None:
    wrong = {"account": "a", "amount": "1"}
    assert waiting.server.post("/tools/transfer", wrong, prefer=preference).status == 422


@pytest.mark.parametrize(
    "trace",
    [
        "", "00", "x" * 10_000, "00-0-0-00", "ff-" + "a" * 32 + "-" + "b" * 16 + "-01",
        "00-" + "0" * 32 + "-" + "0" * 16 + "-01", "00-\xff", "00-../../etc-x-01", "', DROP",
    ],
)  # fmt: skip
def test_a_malformed_trace_disturbs_nothing(waiting: Waiting, trace: str) -> None:
    sent = {"traceparent": trace, "tracestate": trace, "baggage": trace}
    answer = waiting.server.request("GET", "/tools", b"", **sent)
    assert answer.status == 200


ELSEWHERE: Final = (
    "orders://5/lines/..", "orders://5/lines/%2e%2e", "orders://5/lines/%252e%252e%2f",
    "orders://5/lines/a%2fb", "orders://5/lines/a%5cb", "orders://5/lines/a%00",
    "orders://5/lines/a%0d%0a", "orders://5/lines/%ff", "orders://5/lines/a/b",
    "orders://5/lines/", "orders://5/lines/a?b", "orders://5/lines/a#b", "orders:///lines/a",
    "orders://5/../5/lines/a", "orders://5//lines/a", " orders://5/lines/a",
    "orders://5/lines/a ", "orders://5/lines/" + "a" * 3_000, "ORDERS://5/lines/a",
    "orders:5/lines/a", "orders://x/lines/a", "orders://5.5/lines/a", "orders://1e3/lines/a",
    "orders://%35%2e/lines/a", "file:///etc/passwd", "http://127.0.0.1/", "orders://{id}/lines/{x}",
    "orders://", "", "/",
)  # fmt: skip


@pytest.mark.parametrize("uri", ELSEWHERE)
def test_an_address_that_leads_elsewhere_is_read_by_nobody(waiting: Waiting, uri: str) -> None:
    answer = waiting.ask_mcp("resources/read", {"uri": uri}, uri if uri.isprintable() else "x")
    assert "error" in answer


@pytest.mark.parametrize(
    "params", [{}, {"uri": 5}, {"uri": None}, {"uri": ["orders://5/lines/a"]}, {"url": "a://b"}]
)
def test_a_reading_without_an_address_is_refused(waiting: Waiting, params: Any) -> None:
    assert "error" in waiting.ask_mcp("resources/read", params, "x")


@pytest.mark.parametrize(
    "params",
    [
        {}, {"name": "nope"}, {"name": "REVIEW"}, {"name": ""}, {"name": None},
        {"name": "review"}, {"name": "review", "arguments": {}},
        {"name": "review", "arguments": {"days": "1"}},
        {"name": "review", "arguments": {"code": 5}},
        {"name": "review", "arguments": {"code": "x", "days": "soon"}},
        {"name": "review", "arguments": {"code": "x", "cdoe": "y"}},
        {"name": "review", "arguments": {"code": "x", "__class__": "y"}},
        {"name": "review", "arguments": ["x"]}, {"name": "review", "arguments": "x"},
        {"name": "order", "arguments": {"item": "x"}},
        {"name": "line_of", "arguments": {"id": "1", "line": "x"}},
    ],
)  # fmt: skip
def test_a_prompt_that_is_asked_for_wrongly_is_refused(waiting: Waiting, params: Any) -> None:
    assert "error" in waiting.ask_mcp("prompts/get", params, str(params.get("name") or "x"))


@pytest.mark.parametrize("cursor", ["x", "", "0", "line_of"])
@pytest.mark.parametrize(
    "method", ["resources/list", "resources/templates/list", "prompts/list", "tools/list"]
)
def test_a_cursor_of_another_list_is_refused(waiting: Waiting, method: str, cursor: str) -> None:
    assert "error" in waiting.ask_mcp(method, {"cursor": cursor})


@pytest.mark.parametrize("name", ["line_of", "review"])
def test_resources_and_prompts_are_no_tools(waiting: Waiting, name: str) -> None:
    assert waiting.server.post(f"/tools/{name}", {}).status == 404
    assert "error" in waiting.ask_mcp("tools/call", {"name": name, "arguments": {}}, name)


@pytest.mark.parametrize("method", ["resources/subscribe", "completion/complete", "roots/list"])
def test_what_is_not_served_is_an_error_of_the_protocol(waiting: Waiting, method: str) -> None:
    assert "error" in waiting.ask_mcp(method, {"uri": "orders://5/lines/a"})


OPTIONS: Final[tuple[dict[str, Any], ...]] = (
    {"name": ""}, {"name": 5}, {"version": 5}, {"version": " "}, {"instructions": 5},
    {"instructions": ""}, {"ttl_ms": -1}, {"ttl_ms": "5"}, {"ttl_ms": True}, {"ttl_ms": 1.5},
    {"cache_scope": "all"}, {"cache_scope": None, "ttl_ms": -1}, {"stateless": "no"},
    {"stateless": 0}, {"lifespan": 5}, {"lifespan": "shop:lifespan"}, {"context": "shop:f"},
    {"context": {"user": "ann"}}, {"approver": "bob"}, {"approver": find_approver},
    {"context_of_principal": find_approver}, {"auth": "token"}, {"auth": {"token": "x"}},
    {"hosts": "x"}, {"hosts": ["http://x/"]}, {"hosts": ["x y"]}, {"hosts": [5]}, {"hosts": ["*"]},
    {"key": "x" * 40}, {"key": b"x"}, {"state": 5}, {"state": ""}, {"state": "/no/such/folder/x"},
    {"state": "/"}, {"resources": [transfer]}, {"resources": 5}, {"resources": "x"},
    {"resources": [review]}, {"prompts": [transfer]}, {"prompts": [line_of]}, {"prompts": 5},
    {"resources": [line_of, resource("orders://{n}/lines/{m}")(transfer_lines)]},
)  # fmt: skip


@pytest.mark.parametrize("options", OPTIONS, ids="-".join)
def test_an_option_that_cannot_be_used_is_refused_at_the_start(options: dict[str, Any]) -> None:
    with pytest.raises((TypeError, ValueError, ToolhaftError, DefinitionError)) as refused:
        asgi([transfer], **options)
    option = next(iter(options))
    words = str(refused.value)
    assert "object" not in words
    assert option.rstrip("s") in words or "uri" in words or "/" in words or "ttl_ms" in words


@pytest.mark.parametrize(
    "path", ["", "/", "//", "agent", "/..", "/a/../b", "/./a", "/a//b", "../a", 5]
)
def test_a_place_that_is_none_is_refused(path: Any) -> None:
    with pytest.raises(ValueError, match="path: not a place below the application"):
        mount(Starlette(), [transfer], path)


def test_a_file_that_others_read_keeps_no_calls(tmp_path: Path) -> None:
    public = tmp_path / "state"
    public.touch(0o644)
    with pytest.raises(ToolhaftError, match="others may read or write it"):
        asgi([transfer], approver=find_approver, state=str(public))
